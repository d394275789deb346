"""What an analysis is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mqbridge.captures.tables.schema import TABLES

ALL_TABLES: Final = frozenset(TABLES)

Bodies = Literal["none", "hash", "bytes"]


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """``capture``: what stands in the column of that name. ``tables``: rows wanted; those of others are not made.

    ``bodies`` of messages: ``none``, ``hash`` (their SHA-256), or ``bytes`` too, of those that are whole
    and no longer than observers keep (``protocol.observer.MAX_KEPT_DATA``). ``fields`` of
    segments: None for all, else the names that the map may hold (``ID.ChannelName``); none at all gives rows with the
    header alone, which is much faster. Raises ``ValueError`` for unknown tables.
    """

    capture: str = ""
    tables: frozenset[str] = ALL_TABLES - {"segments"}
    bodies: Bodies = "hash"
    fields: frozenset[str] | None = None

    def __post_init__(self) -> None:
        unknown = self.tables - ALL_TABLES
        if unknown:
            raise ValueError(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
