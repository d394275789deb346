"""Captures divided by flows without being copied: into shares, for which all of the file is read and some flows are
kept, or by an index of where flows lie, into parts that read only that."""

from __future__ import annotations

from mqbridge.captures.indexing.capture_index import CaptureIndex, index_capture
from mqbridge.captures.indexing.capture_part import CapturePart
from mqbridge.captures.indexing.flow_share import FlowShare, share_flows
from mqbridge.captures.indexing.indexed_flow import Block, IndexedFlow

__all__ = ["Block", "CaptureIndex", "CapturePart", "FlowShare", "IndexedFlow", "index_capture", "share_flows"]
