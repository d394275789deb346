"""Findings of rules about message channels in recorded traffic, each reviewed: which, and why it is right."""

from __future__ import annotations

from dataclasses import dataclass

OF_ALL = {
    "C-603": "queue managers of 2003 spoke in clear",
}


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A finding of a rule in a ``session``: ``queue managers`` or ``bridge`` of the packets of 2003."""

    rule: str
    session: str
    reason: str


REVIEWED = (
    Reviewed("C-219", "queue managers", "the answer to the end of the batch was never captured"),
    Reviewed(
        "C-206",
        "bridge",
        "the answer to the bridge's INITIAL_DATA is not among the packets; that nothing of the other end was captured"
        " keeps it from being an error",
    ),
    Reviewed("C-422", "bridge", "a true fault of the bridge: 438 where 437 is right, which MQSeries took"),
)


def expected_of(session: str) -> list[str]:
    """Rules that find something in a session, in order."""
    return sorted(row.rule for row in REVIEWED if row.session == session)
