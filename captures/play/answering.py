"""The end that answers, from a recording."""

from __future__ import annotations

import random
from collections import Counter

from mqbridge.mappings.templates import BuildError, PacketError, Role, StreamError, Values

from .recorded import Exchange, Recorded
from .renewing import Renewing

_SHOWN = 60
"""Most characters of a value in a line."""


class Answerer:
    """A `Player` of the end that was recorded: to each message it says what was said to one with equal key fields, else
    what was said most often to one of its kind."""

    def __init__(self, recorded: Recorded, dice: random.Random) -> None:
        self._recorded = recorded
        self._protocol = recorded.protocol
        self._other: Role = "initiator" if recorded.role == "responder" else "responder"
        self._framer = self._protocol.framer(self._other)
        self._renewing = Renewing(self._protocol, recorded.role, dice, recorded.first_numbers())
        self._used: Counter[tuple[object, ...]] = Counter()
        self._output = bytearray()
        self._lines: list[str] = []
        self.over = False
        self.complete = True

    @property
    def next_timeout(self) -> float | None:
        """See `Player.next_timeout`."""
        return None

    def timeout(self, now: float) -> None:
        """See `Player.timeout`."""

    def take(self) -> bytes:
        """See `Player.take`."""
        data = bytes(self._output)
        self._output.clear()
        return data

    def take_lines(self) -> list[str]:
        """See `Player.take_lines`."""
        lines, self._lines = self._lines, []
        return lines

    def connected(self, now: float) -> None:
        """See `Player.connected`."""
        for values in self._recorded.opening:
            self._say(values, "", None, now)

    def receive_data(self, data: bytes, now: float) -> None:
        """See `Player.receive_data`."""
        if not data:
            self.over = True
            return
        try:
            for packet in self._framer.receive(data):
                self._packet(packet, now)
        except StreamError as error:
            self._wrong(f"cannot be cut: {error}")
            self.over = True

    def _packet(self, packet: bytes, now: float) -> None:
        try:
            found = self._protocol.read(packet, self._other)
        except PacketError as error:
            self._wrong(f"{error}: {packet[:32].hex(' ')}")
            return
        if found is None:
            self._wrong(f"a packet that no transaction is: {packet[:32].hex(' ')}")
            return
        request = found.values
        self._renewing.known[request.transaction] = request
        exchange, why = self._choose(request)
        if exchange is None:
            self._wrong(f"{request.transaction}: {why}")
            return
        names = ", ".join(each.transaction for each in exchange.said) or "nothing"
        self._lines.append(f"{request.transaction} → {names}, {why}")
        for values in exchange.said:
            self._say(values, request.transaction, request, now)

    def _choose(self, request: Values) -> tuple[Exchange | None, str]:
        recorded = self._recorded
        same = recorded.like(request)
        if same:
            key = recorded.key(request)
            exchange = same[self._used[key] % len(same)]
            self._used[key] += 1
            return exchange, f"recorded for {_shown(key)} (packet {exchange.packet})"
        usual = recorded.usual(request.transaction)
        if usual is None:
            return None, "nothing was recorded after one of its kind"
        exchange, count, total = usual
        return (
            exchange,
            f"the most frequent ({count} of {total}), for no key fields are equal (packet {exchange.packet})",
        )

    def _say(self, values: Values, kind: str, request: Values | None, now: float) -> None:
        sources = self._recorded.sources(kind, values.transaction)
        try:
            data, left = self._renewing.packet(values, sources, request, now)
        except BuildError as error:
            self._wrong(f"{values.transaction} cannot be sent: {error}")
            return
        if left:
            self._lines.append(f"{values.transaction} is sent as it was recorded: {left}")
        self._output += data

    def _wrong(self, line: str) -> None:
        self.complete = False
        self._lines.append(line)


def _shown(key: tuple[object, ...]) -> str:
    """Key fields for a person."""
    fields = [f"{each[0]} {each[1]!r:.{_SHOWN}}" for each in key[1:] if isinstance(each, tuple)]
    return ", ".join(fields) or "its kind"
