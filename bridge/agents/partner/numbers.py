"""Sequence numbers of a partner: in memory as they were given, and on disk.

A row of table ``partner-numbers`` for each partner: JSON of the last numbers by counter, which are safe: those of
messages that the other side has, or of packets that went out after the row was written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from mqbridge.bridge.store.interface import PutRecord, Store, StoreDamaged
from mqbridge.mappings.templates import Counters

TABLE: Final = "partner-numbers"


class SequenceNumbers:
    """The numbers of one partner. ``counters``: those given. Raises ``StoreDamaged``."""

    __slots__ = ("_partner", "_safe", "counters")

    def __init__(self, partner: str, store: Store) -> None:
        self._partner = partner
        row = store.record(TABLE, partner.encode())
        try:
            self._safe: dict[str, int] = {} if row is None else {str(k): int(v) for k, v in json.loads(row).items()}
        except (AttributeError, TypeError, ValueError) as error:
            raise StoreDamaged("a partner's record cannot be read", f"{TABLE} {partner!r}") from error
        self.counters = Counters(self._safe)

    def taken_since(self, before: Mapping[str, int]) -> dict[str, int]:
        """Return the numbers that were given since the counters were ``before``."""
        return {name: number for name, number in self.counters.numbers.items() if before.get(name) != number}

    def give_back(self, taken: Mapping[str, int]) -> None:
        """Take back numbers of a message that nobody has; not those behind which others were given."""
        numbers = self.counters.numbers
        for name, number in taken.items():
            if numbers.get(name) == number:
                if name in self._safe:
                    numbers[name] = self._safe[name]
                else:
                    del numbers[name]

    def keep(self, taken: Mapping[str, int]) -> PutRecord:
        """Count numbers as safe, and return the operation that writes the row."""
        self._safe.update(taken)
        return PutRecord(TABLE, self._partner.encode(), json.dumps(self._safe, separators=(",", ":")).encode())
