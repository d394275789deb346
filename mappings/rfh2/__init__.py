"""Folders of the rules and formatting header 2: names and values in a text that is nearly XML."""

from __future__ import annotations

from .folder import Folder, FolderError, FolderValue, read_folder

__all__ = ["Folder", "FolderError", "FolderValue", "read_folder"]
"""Reading only; the structure itself is ``protocol.structures.rfh2``."""
