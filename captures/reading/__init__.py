"""Capture files to packets, packets to TCP segments: file formats, compression, link and network layers."""
