"""The end that asks, from a recording: what it said on one connection, in order."""

from __future__ import annotations

import random
from typing import Final

from mqbridge.mappings.templates import BuildError, PacketError, Role, StreamError, Values

from .recorded import Recorded, Said
from .renewing import Renewing

PATIENCE: Final = 10.0
"""Seconds in which what was recorded next of the other end must come."""


class Asker:
    """A `Player` of the recorded connection with the most messages. Each packet goes out when the other end has said as
    much as it had by then; ``complete``: everything was sent, and answered by the same kinds."""

    def __init__(self, recorded: Recorded, dice: random.Random) -> None:
        self._recorded = recorded
        self._protocol = recorded.protocol
        self._other: Role = "responder" if recorded.role == "initiator" else "initiator"
        self._framer = self._protocol.framer(self._other)
        self._renewing = Renewing(self._protocol, recorded.role, dice, recorded.first_numbers())
        self._steps: list[Said] = max(recorded.dialogues, key=len, default=[])
        self._at = 0
        self._due: float | None = None
        self._request: Values | None = None
        self._output = bytearray()
        self._lines: list[str] = []
        self.over = False
        self.complete = False

    @property
    def next_timeout(self) -> float | None:
        """See `Player.next_timeout`."""
        return None if self.over else self._due

    def timeout(self, now: float) -> None:
        """See `Player.timeout`."""
        if not self.over and self._due is not None and now >= self._due:
            self._end(f"{self._steps[self._at].values.transaction} did not come within {PATIENCE:g} seconds")

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
        self._go_on(now)

    def receive_data(self, data: bytes, now: float) -> None:
        """See `Player.receive_data`."""
        if self.over:
            return
        if not data:
            self._end("the other end has closed the connection")
            return
        try:
            for packet in self._framer.receive(data):
                self._packet(packet, now)
        except StreamError as error:
            self._end(f"what came cannot be cut: {error}")

    def _packet(self, packet: bytes, now: float) -> None:
        if self.over:
            return
        try:
            found = self._protocol.read(packet, self._other)
        except PacketError as error:
            self._end(str(error))
            return
        expected = self._steps[self._at].values.transaction
        came = found.values.transaction if found is not None else f"a packet that is none: {packet[:32].hex(' ')}"
        if found is None or came != expected:
            self._end(f"{expected} was recorded, and {came} came")
            return
        self._request = self._renewing.known[came] = found.values
        self._lines.append(f"{came} came, as recorded (packet {self._steps[self._at].packet})")
        self._at += 1
        self._go_on(now)

    def _go_on(self, now: float) -> None:
        """Send what comes next in the recording."""
        while self._at < len(self._steps) and self._steps[self._at].mine:
            values = self._steps[self._at].values
            kind = self._request.transaction if self._request is not None else ""
            try:
                data, left = self._renewing.packet(
                    values, self._recorded.sources(kind, values.transaction), self._request, now
                )
            except BuildError as error:
                self._end(f"{values.transaction} cannot be sent: {error}")
                return
            self._output += data
            self._lines.append(f"{values.transaction} sent" + (f" as it was recorded: {left}" if left else ""))
            self._at += 1
        if self._at == len(self._steps):
            self.complete = self.over = True
        else:
            self._due = now + PATIENCE

    def _end(self, why: str) -> None:
        self._lines.append(why)
        self.over = True
