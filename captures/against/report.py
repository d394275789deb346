"""Result of playing a capture against an endpoint, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mqbridge.captures.differential import Tally

VERSION: Final = 1
"""Version of the JSON form."""


@dataclass(slots=True)
class PlayedFlow:
    """One recorded connection. ``played``: segments of its initiator sent after the negotiation. ``notes``: what could
    not be played, and why."""

    number: int
    played: int = 0
    tally: Tally = field(default_factory=Tally)
    notes: list[str] = field(default_factory=list)


def as_json(endpoint: str, flows: Sequence[PlayedFlow]) -> dict[str, Any]:
    """Return the object of ``mqbridge replay --against --json``."""
    whole = Tally()
    for flow in flows:
        whole.add(flow.tally)
    return {
        "version": VERSION,
        "endpoint": endpoint,
        "equal": whole.equal,
        "allowed": whole.allowed.total(),
        "different": [difference.as_row() for difference in whole.different],
        "masks": dict(sorted(whole.allowed.items())),
        "flows": [
            {
                "flow": flow.number,
                "played": flow.played,
                "equal": flow.tally.equal,
                "allowed": flow.tally.allowed.total(),
                "different": len(flow.tally.different),
                "notes": flow.notes,
            }
            for flow in flows
        ],
    }
