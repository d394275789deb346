"""Results about a capture as a whole: its row, faults of the file, and findings across its flows."""

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
    """Return the findings of rules across all flows of a capture, given their rows. Never raises."""
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
    """Yield findings and row of a capture that was read, if wanted.

    ``packets``, ``size``: number of packets and bytes read. ``unread``: number of packets that may contain MQ and
    cannot be read, by reason. ``not_decrypted``: why a key log file could not be used, or empty.
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
    """Return the findings on a capture as a whole.

    ``packets``: number of packets read, until ``error`` if there is one. ``unread``: number of those that may contain
    MQ and cannot be read, by reason. ``not_decrypted``: why a key log file could not be used, or empty.
    """
    ended = CaptureEnded(Direction.INITIATOR, Place(0.0, packets, 0), error, dict(unread), not_decrypted)
    found = GuardedJudge(load().values()).judge([ended], Observer(), 0)
    return [finding_row(one, capture) for one in found]
