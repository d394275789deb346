"""Analysis of captures: flow events to rows of segments, flows, findings, messages, calls and batches.

:func:`analyse_file` analyses a capture, :func:`analyse_set` one divided into files, :func:`analyse` the events of some
flows.
"""

from __future__ import annotations

from mqbridge.captures.analysis.analyser import (
    Analyser,
    CaptureAnalysis,
    analyse,
    analyse_file,
    analyse_set,
    analyse_steps,
    unread_of_mq,
)
from mqbridge.captures.analysis.options import ALL_TABLES, AnalysisOptions, Bodies
from mqbridge.captures.analysis.whole_captures import across_flows, capture_findings, capture_rows

__all__ = [
    "ALL_TABLES",
    "Analyser",
    "AnalysisOptions",
    "Bodies",
    "CaptureAnalysis",
    "across_flows",
    "analyse",
    "analyse_file",
    "analyse_set",
    "analyse_steps",
    "capture_findings",
    "capture_rows",
    "unread_of_mq",
]
