"""One end by the script of its description alone: packets have no values but those computed, copied, or made up."""

from __future__ import annotations

import random
from collections.abc import Mapping

from mqbridge.mappings.templates import (
    Accepted,
    Answered,
    Delivered,
    Ended,
    Event,
    Protocol,
    Refused,
    Role,
    SessionMachine,
    Unknown,
    Value,
)
from mqbridge.mappings.templates.fields import Field

_ZEROS = ("unsigned", "signed", "decimal", "packed", "base128", "float", "time")


def made_up(protocol: Protocol, role: Role) -> dict[str, Value]:
    """Return a value for each field of what an end sends that nothing else gives one: zero, blanks, nothing."""
    found: dict[str, Value] = {}
    known: set[str] = set()
    for transaction in protocol.transactions.values():
        for piece in transaction.layout.pieces if transaction.sent_by(role) else ():
            field = piece.field
            if field is None:
                continue
            if piece.bytes or field.computed is not None or field.value is not None:
                known.add(field.name)
            else:
                found.setdefault(field.name, _empty(field))
    return {name: value for name, value in found.items() if name not in known}


def _empty(field: Field) -> Value:
    if field.kind in _ZEROS:
        return 0
    if field.kind == "bytes":
        return bytes(field.length) if isinstance(field.length, int) else b""
    return ""


class ScriptedEnd:
    """A `Player` by script. ``values``: of this end. Raises `ScriptError` where there is no script for it."""

    def __init__(self, protocol: Protocol, role: Role, dice: random.Random, values: Mapping[str, Value]) -> None:
        self._machine = SessionMachine(protocol, role, dice, {**made_up(protocol, role), **values})
        self._lines: list[str] = []
        self.over = False
        self.complete = True

    @property
    def next_timeout(self) -> float | None:
        """See `Player.next_timeout`."""
        return self._machine.next_timeout

    def timeout(self, now: float) -> None:
        """See `Player.timeout`."""
        self._handle(self._machine.timeout(now), now)

    def take(self) -> bytes:
        """See `Player.take`."""
        return self._machine.take()

    def take_lines(self) -> list[str]:
        """See `Player.take_lines`."""
        lines, self._lines = self._lines, []
        return lines

    def connected(self, now: float) -> None:
        """See `Player.connected`."""
        self._handle(self._machine.connected(now), now)

    def receive_data(self, data: bytes, now: float) -> None:
        """See `Player.receive_data`."""
        found = self._machine.receive_data(data, now) if data else self._machine.connection_lost(now)
        self._handle(found, now)

    def _handle(self, events: list[Event], now: float) -> None:
        for event in events:
            if isinstance(event, Delivered | Answered):
                self._lines.append(
                    f"{event.values.transaction} came, and is answered by the script with made-up values"
                )
                self._handle(self._machine.settled(now), now)
            elif isinstance(event, Unknown):
                self.complete = False
                self._lines.append(f"{event.reason}: {event.extract.hex(' ')}")
            elif isinstance(event, Ended):
                self.over = True
                self._lines.append(event.reason)
            else:
                assert isinstance(event, Accepted | Refused), "no other events"
