"""Capture files into packets, and packets into TCP segments: file formats, compression, link and network layers."""
