"""An ear at every channel machine: all that it sends and is sent goes to an observer with all rules.

Bytes count as sent when a machine has queued them, which is the order in which its partner may see them. A machine that
sends a long message is no longer listened to: its segments are only made when they are taken.
"""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.captures.rules import Finding, Severity
from mqbridge.protocol.channel.link import Link
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Observation
from support.rules.observer_playbook import Watch


class Ear(Watch):
    """One connection. ``ours``: direction of the machine; ``faults``: findings of severity error at what it sent."""

    def __init__(self, ours: Direction) -> None:
        super().__init__()
        self.ours = ours
        self.faults: list[Finding] = []
        self.deaf = False

    def _heard(self, told: list[Observation]) -> list[Observation]:
        for one in told:
            found = self.judge.judge([one], self.observer, 1)
            if one.direction is self.ours:
                self.faults += [finding for finding in found if finding.severity is Severity.ERROR]
        return super()._heard(told)


class Ears:
    """All connections of a test, by the wire that a machine has."""

    def __init__(self) -> None:
        self.connections: dict[int, tuple[Wire, Ear]] = {}

    def of(self, wire: Wire, we_speak: bool) -> Ear:
        known = self.connections.get(id(wire))
        if known is None:
            ear = Ear(Direction.INITIATOR if we_speak else Direction.RESPONDER)
            known = self.connections[id(wire)] = wire, ear
        return known[1]

    def hears(self, wire: Wire, we_speak: bool, data: bytes) -> None:
        ear = self.of(wire, we_speak)
        if data and not ear.deaf:
            ear.passes(ear.ours if we_speak else ear.ours.other, data)

    def listen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put the ears on, until the end of the test."""
        receive, timeout = Link.receive_data, Link.timeout
        queue, queue_split = Wire.queue, Wire.queue_split

        def receive_data(link: Any, data: bytes, now: float) -> Any:
            ear = self.of(link.wire, False)
            ear.now = max(ear.now, now)
            self.hears(link.wire, False, data)
            return receive(link, data, now)

        def passing_time(link: Any, now: float) -> Any:
            known = self.connections.get(id(link.wire))
            if known is not None:
                known[1].now = max(known[1].now, now)
            return timeout(link, now)

        def queued(wire: Wire, pieces: Any, length: int, conversation: int | None = None) -> None:
            self.hears(wire, True, b"".join(pieces))
            queue(wire, pieces, length, conversation)

        def queued_split(wire: Wire, message: Any, conversation: int | None = None) -> None:
            self.of(wire, True).deaf = True
            queue_split(wire, message, conversation)

        monkeypatch.setattr(Link, "receive_data", receive_data)
        monkeypatch.setattr(Link, "timeout", passing_time)
        monkeypatch.setattr(Wire, "queue", queued)
        monkeypatch.setattr(Wire, "queue_split", queued_split)

    @property
    def faults(self) -> list[Finding]:
        return [fault for _, ear in self.connections.values() for fault in ear.faults]
