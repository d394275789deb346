"""Tables of captured traffic: rows, their schemas, Arrow and Parquet.

Rows and schemas need only Python. :mod:`captures.tables.arrow` and :mod:`captures.tables.parquet` need pyarrow, and
raise ``ModuleNotFoundError`` with what to install if it is missing.
"""

from __future__ import annotations

from mqbridge.captures.tables.rows import (
    SCHEMA_VERSION,
    BatchRow,
    CallRow,
    CaptureRow,
    CommonFields,
    FindingRow,
    FlowRow,
    MessageRow,
    ProtocolMessageRow,
    Row,
    SegmentRow,
)
from mqbridge.captures.tables.schema import PROTOCOL_MESSAGES, ROW_CLASSES, TABLES, Column, Type, ddl, schema

__all__ = [
    "PROTOCOL_MESSAGES",
    "ROW_CLASSES",
    "SCHEMA_VERSION",
    "TABLES",
    "BatchRow",
    "CallRow",
    "CaptureRow",
    "Column",
    "CommonFields",
    "FindingRow",
    "FlowRow",
    "MessageRow",
    "ProtocolMessageRow",
    "Row",
    "SegmentRow",
    "Type",
    "ddl",
    "schema",
]
