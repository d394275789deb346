"""A client's connection to our agent without a network: its bytes go in, our segments come out, time is simulated.

:class:`AgentScene` is a queue manager with its agents on a :class:`gateway.stage.Stage`; :class:`ProgramLine` is one
connection to it.
"""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.gateway import inbound_handshake as greeting
from mqbridge.protocol.framing import LARGEST_SEGMENT, Segment, SegmentReader
from support.gateway.stage import Stage, Station
from support.wire.on_the_wire import OnTheWire

ADDRESS = "192.0.2.7"
MOMENT = 0.0005
"""Simulated seconds in which everything happens that needs no store."""
_MOST_COMMITS = 1000


class AgentScene:
    """Queue manager QM1 and an MQSC script of its objects; ``speaks``: what its SVRCONN channels say of themselves
    that no definition has (level, CCSID, byte order, segment size), by name of ``ServerParameters``."""

    def __init__(self, patch: pytest.MonkeyPatch, script: str = "", name: str = "QM1", **speaks: Any) -> None:
        self.stage = Stage()
        self.station: Station = self.stage.station(name, script)
        self.speaks = speaks
        definitions = greeting.server_parameters

        def parameters(*arguments: Any, **options: Any) -> Any:
            given = definitions(*arguments, **options)
            for attribute, value in self.speaks.items():
                setattr(given, attribute, value)
            return given

        patch.setattr(greeting, "server_parameters", parameters)

    @property
    def now(self) -> float:
        return self.stage.clock.now

    def line(self, address: str = ADDRESS) -> ProgramLine:
        """Somebody connects."""
        return ProgramLine(self, address)

    def after(self, seconds: float) -> None:
        """Time passes."""
        self.stage.wait(seconds)

    def settle(self) -> None:
        """The store answers, and all that follows from it happens."""
        clock, station = self.stage.clock, self.station
        for _ in range(_MOST_COMMITS):
            self.stage.wait(MOMENT)
            if not station._committing and not station._gathered:
                return
            clock.run(clock.now + 1.0, lambda: not station._committing)
        raise AssertionError("the store does not come to rest")


class ProgramLine(OnTheWire):
    """One connection of a client."""

    def __init__(self, scene: AgentScene, address: str) -> None:
        self.scene = scene
        self.caller = address
        self.ends: list[Any] = [None, None]
        self.closed = False
        """We have ended the connection."""
        self.got: list[Segment] = []
        """All that we have sent."""
        self._reader = SegmentReader(LARGEST_SEGMENT)
        self._taken = 0
        connections = scene.station.gateway.connections
        end = scene.station.end(self, 1, lambda: connections.inbound(address, 5000, scene.now))  # type: ignore[arg-type]
        assert end is not None, "nobody is let in"
        self._end = end

    @property
    def now(self) -> float:  # type: ignore[override]
        """The simulated time."""
        return self.scene.now

    # What the node does with its stream

    def send(self, side: int, data: bytes) -> None:
        del side
        self.passes("we", data)
        self.got += self._reader.feed(data)

    def close(self, side: int, abort: bool) -> None:
        del abort
        self.closed = True
        end, self.ends[side] = self.ends[side], None
        if end is not None:
            end.lost()

    def drop_side(self, side: int) -> None:
        self.ends[side] = None
        self.closed = True

    # The client

    def says(self, *segments: bytes) -> None:
        """The client sends, and all that follows from it happens."""
        data = b"".join(segments)
        self.passes("client", data)
        if self.ends[1] is not None:
            self._end.received(data)
        self.scene.settle()

    def hangs_up(self) -> None:
        """The client is gone."""
        end, self.ends[1] = self.ends[1], None
        if end is not None:
            end.lost()
        self.scene.settle()

    def answers(self) -> list[Segment]:
        """What we have said since the last question."""
        found = self.got[self._taken :]
        self._taken = len(self.got)
        return found
