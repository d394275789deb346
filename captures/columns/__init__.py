"""Segments of a capture as columns: the headers of many segments as lists, for counts, tables and plots."""

from __future__ import annotations

from mqbridge.captures.columns.columns_reader import CaptureColumns, read_segment_columns
from mqbridge.captures.columns.segment_columns import FIELDS, SegmentColumns

__all__ = ["FIELDS", "CaptureColumns", "SegmentColumns", "read_segment_columns"]
