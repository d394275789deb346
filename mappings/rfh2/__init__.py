"""Folders of the rules and formatting header 2: names and values in a text that is nearly XML."""

from __future__ import annotations

from .folder import Folder, FolderError, FolderValue, read_folder
from .writing import write_folder

__all__ = ["Folder", "FolderError", "FolderValue", "read_folder", "write_folder"]
"""The structure itself is ``protocol.structures.rfh2``."""
