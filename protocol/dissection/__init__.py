"""Dissection: segments and messages as plain data, in a form suitable for JSON.

:func:`dissect_segments`, :class:`SegmentStream` and :func:`dissect_segment` dissect segments, :func:`dissect_message`
a message; :class:`Findings` collects errors. Nothing raises on bad input: what could be parsed is shown.
:func:`segment_lines` and :func:`message_lines` format the result as text.

A segment is ``{"offset", "length", "direction", "structures"}``, a structure ``{"structure", "offset", "length",
"fields", "names"}`` or ``{…, "hex"}``. The structures of a segment are in order and cover all its bytes.
"""

from __future__ import annotations

from .findings import Findings, FolderReader
from .messages import begins_message, dissect_message
from .segments import SegmentStream, begins_segment, dissect_segment, dissect_segments
from .shown import MASK, Shown
from .text_form import message_lines, segment_lines, structure_lines

__all__ = [
    "MASK",
    "Findings",
    "FolderReader",
    "SegmentStream",
    "Shown",
    "begins_message",
    "begins_segment",
    "dissect_message",
    "dissect_segment",
    "dissect_segments",
    "message_lines",
    "segment_lines",
    "structure_lines",
]
