"""What is said of a capture as a whole: its row, what is wrong with the file, and what all its flows show together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mqbridge.captures.analysis.flow_analysis import finding_row
from mqbridge.captures.analysis.options import AnalysisOptions
from mqbridge.captures.errors import CaptureError, UnknownCaptureError
from mqbridge.captures.rules import load
from mqbridge.captures.rules.across_flows import judge_flows
from mqbridge.captures.rules.capture_faults import CaptureEnded
from mqbridge.captures.rules.judging import GuardedJudge
from mqbridge.captures.tables.rows import CaptureRow, FindingRow, FlowRow, Row
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Observation, Observer, Place


def across_flows(rows: Iterable[FlowRow]) -> list[FindingRow]:
    """What rules find that look at all flows of a capture, given their rows. Never raises."""
    listed = list(rows)
    capture = listed[0].capture if listed else ""
    load()
    try:
        found = judge_flows(listed)
    except Exception as error:
        guard = GuardedJudge(load().values())
        nowhere = Observation(Direction.INITIATOR, Place(0.0, 0, 0))
        found = guard.failed("across flows", error, nowhere, Observer(), 0)
    return [finding_row(one, capture) for one in found]


def capture_rows(
    options: AnalysisOptions,
    packets: int,
    size: int,
    error: CaptureError | None,
    unread: Mapping[str, int],
    not_decrypted: str = "",
) -> Iterator[Row]:
    """Findings and row of a capture that was read, as far as they are wanted.

    ``packets``, ``size``: what was read, ``size`` in bytes. ``unread``: packets that may hold MQ and cannot be read, by
    reason; ``not_decrypted``: why a key log file could not be used.
    """
    if "findings" in options.tables:
        yield from capture_findings(options.capture, packets, error, unread, not_decrypted)
    if "captures" in options.tables:
        readable = not isinstance(error, UnknownCaptureError)
        reason = None if error is None else str(error)
        yield CaptureRow(options.capture, packets, size, sum(unread.values()), readable, reason)


def capture_findings(
    capture: str, packets: int, error: CaptureError | None, unread: Mapping[str, int], not_decrypted: str = ""
) -> list[FindingRow]:
    """What rules find of a capture as a whole. ``packets``: how many were read, until ``error`` if there is one;
    ``unread``: those of them that may hold MQ and cannot be read, by reason; ``not_decrypted``: why a key log file
    could not be used, empty for no such reason."""
    ended = CaptureEnded(Direction.INITIATOR, Place(0.0, packets, 0), error, dict(unread), not_decrypted)
    found = GuardedJudge(load().values()).judge([ended], Observer(), 0)
    return [finding_row(one, capture) for one in found]
