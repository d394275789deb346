"""All names of ``captures``, for whoever asks the package for one: this loads all of its modules."""

from __future__ import annotations

from captures.capture_files import CaptureFlows, CaptureSegments, read_flows, read_segments
from captures.columns import SegmentColumns, read_segment_columns
from captures.errors import CaptureError, CutCaptureError, DamagedCaptureError, DecryptionError, UnknownCaptureError
from captures.indexing import CaptureIndex, CapturePart, index_capture
from captures.reading.link_layers import NotRead, TcpSegment, read_tcp
from captures.reading.packets import Packet, PacketReader, is_capture
from captures.recording.recorder import ConnectionRecorder, PcapWriter, Recorder
from captures.streams.flow_events import (
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
from captures.streams.flows import FlowReader
from captures.streams.recognition import StreamKind, find_segment, recognise
from captures.streams.segments import CapturedSegment, SegmentCutter, SegmentFault
from captures.streams.tls_hello import TlsHello

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
