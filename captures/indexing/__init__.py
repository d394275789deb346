"""Division of captures by flows without copying: into shares, for which the whole file is read and some flows are kept,
or by an index of flows and blocks into parts that read only their blocks."""

from __future__ import annotations

from mqbridge.captures.indexing.capture_index import CaptureIndex, index_capture
from mqbridge.captures.indexing.capture_part import CapturePart
from mqbridge.captures.indexing.flow_share import FlowShare, share_flows
from mqbridge.captures.indexing.indexed_flow import Block, IndexedFlow

__all__ = ["Block", "CaptureIndex", "CapturePart", "FlowShare", "IndexedFlow", "index_capture", "share_flows"]
