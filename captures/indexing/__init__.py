"""Captures divided by flows without being copied: an index of where they lie, and parts that read only that."""

from __future__ import annotations

from captures.indexing.capture_index import CaptureIndex, index_capture
from captures.indexing.capture_part import CapturePart
from captures.indexing.indexed_flow import Block, IndexedFlow

__all__ = ["Block", "CaptureIndex", "CapturePart", "IndexedFlow", "index_capture"]
