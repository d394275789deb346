"""Bytes as plain data for people: segments, messages and all they are made of, in the form that JSON takes.

:func:`dissect_segments`, :class:`SegmentStream` and :func:`dissect_segment` take segments apart,
:func:`dissect_message` a message; :class:`Findings` gathers what was wrong. Nothing raises on bad input: what could be
taken apart is shown. :func:`segment_lines` and :func:`message_lines` give the same as lines of text.

A segment is ``{"offset", "length", "direction", "structures"}``, a structure ``{"structure", "offset", "length",
"fields", "names"}`` or ``{…, "hex"}``. The structures of a segment stand one behind the other and leave no byte out.
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
