"""Folders of the rules and formatting header 2: names and values in text that resembles XML."""

from __future__ import annotations

from .folder import MAX_TAGS, Folder, FolderError, FolderValue, read_folder, tags_in
from .writing import write_folder

__all__ = ["MAX_TAGS", "Folder", "FolderError", "FolderValue", "read_folder", "tags_in", "write_folder"]
"""The structure itself is ``protocol.structures.rfh2``."""
