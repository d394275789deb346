"""All names of ``captures``; importing this module loads all of its modules."""

from __future__ import annotations

from mqbridge.captures.capture_files import CaptureFlows, CaptureSegments, read_flows, read_segments
from mqbridge.captures.columns import SegmentColumns, read_segment_columns
from mqbridge.captures.errors import (
    CaptureError,
    CutCaptureError,
    DamagedCaptureError,
    DecryptionError,
    UnknownCaptureError,
)
from mqbridge.captures.indexing import CaptureIndex, CapturePart, index_capture
from mqbridge.captures.reading.link_layers import NotRead, TcpSegment, read_tcp
from mqbridge.captures.reading.packets import Packet, PacketReader, is_capture
from mqbridge.captures.recording.recorder import ConnectionRecorder, PcapWriter, Recorder
from mqbridge.captures.streams.flow_events import (
    CloseReason,
    Direction,
    Endpoint,
    Flow,
    FlowClosed,
    FlowData,
    FlowEnd,
    FlowEvent,
    FlowGap,
    FlowOpened,
)
from mqbridge.captures.streams.flows import FlowReader
from mqbridge.captures.streams.recognition import StreamKind, find_segment, recognise
from mqbridge.captures.streams.segments import CapturedSegment, SegmentCutter, SegmentFault
from mqbridge.protocol.tls_hello import TlsHello

__all__ = [
    "CaptureError",
    "CaptureFlows",
    "CaptureIndex",
    "CapturePart",
    "CaptureSegments",
    "CapturedSegment",
    "CloseReason",
    "ConnectionRecorder",
    "CutCaptureError",
    "DamagedCaptureError",
    "DecryptionError",
    "Direction",
    "Endpoint",
    "Flow",
    "FlowClosed",
    "FlowData",
    "FlowEnd",
    "FlowEvent",
    "FlowGap",
    "FlowOpened",
    "FlowReader",
    "NotRead",
    "Packet",
    "PacketReader",
    "PcapWriter",
    "Recorder",
    "SegmentColumns",
    "SegmentCutter",
    "SegmentFault",
    "StreamKind",
    "TcpSegment",
    "TlsHello",
    "UnknownCaptureError",
    "find_segment",
    "index_capture",
    "is_capture",
    "read_flows",
    "read_segment_columns",
    "read_segments",
    "read_tcp",
    "recognise",
]
