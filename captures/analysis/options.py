"""Options of an analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mqbridge.captures.tables.schema import TABLES

ALL_TABLES: Final = frozenset(TABLES)

Bodies = Literal["none", "hash", "bytes"]


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """Options of an analysis. Raises ``ValueError`` for unknown tables."""

    capture: str = ""
    """Value of the column ``capture``."""
    tables: frozenset[str] = ALL_TABLES - {"segments"}
    """Tables whose rows are wanted; rows of others are not made."""
    bodies: Bodies = "hash"
    """Bodies of messages: ``none``, ``hash`` (SHA-256), or also ``bytes``, of those that are whole and no longer than
    observers keep (``protocol.observer.MAX_KEPT_DATA``)."""
    fields: frozenset[str] | None = None
    """Fields of segments: None for all, else names in the map (``ID.ChannelName``); an empty set gives headers only,
    which is much faster."""

    def __post_init__(self) -> None:
        unknown = self.tables - ALL_TABLES
        if unknown:
            raise ValueError(f"no such table: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
