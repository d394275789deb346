"""Keeps what plays put on the wire as captures: ``pytest --wire FOLDER``, one pcap file for each test file.

Recorded are the connections of simulated networks (``simulation.network``, ``gateway.stage``), what single machines and
their partners say (``channels.playbook.Play``), and what played clients say and hear that need no network
(``wire.on_the_wire``). With ``--wire-ours`` what partners played by hand say is left out:
they may say it wrong on purpose; ``--wire-segments N`` keeps that many of each connection, ``--wire-connections N``
that many connections of each test.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from weakref import WeakKeyDictionary

import pytest

from mqbridge.captures import Direction, Endpoint
from mqbridge.captures.recording.recorder import ConnectionRecorder, Recorder
from support.channels.playbook import Play
from support.gateway.stage import WatchedNetwork, WatchedStream
from support.simulation.network import Network, Stream
from support.simulation.node import NodeEnd
from support.wire.on_the_wire import OnTheWire

SERVER = Endpoint("10.0.0.2", 1414)
FIRST_PORT, LAST_PORT = 2000, 65_000
FIRST_SEGMENTS, FIRST_CONNECTIONS = 2000, 10_000
"""Segments of each connection and connections of each test that are kept, unless the options say otherwise."""

_Played = Play | OnTheWire
_SIDES = (Direction.INITIATOR, Direction.RESPONDER)


class Unrecorded:
    """A connection of which no record is kept."""

    def send(self, _side: Direction, _data: bytes, _now: float) -> None:
        pass

    def close(self, _side: Direction, _now: float) -> None:
        pass

    reset = close


class Wire:
    """One capture. ``partners``: what is said by hand is kept too; ``segments``: how many of each connection.

    ``connections``: of how many more connections a record is kept.
    """

    def __init__(
        self,
        file: BinaryIO,
        *,
        partners: bool = True,
        segments: int = FIRST_SEGMENTS,
        connections: int = FIRST_CONNECTIONS,
    ) -> None:
        self.partners = partners
        self.connections = connections
        self._recorder = Recorder(file, first_segments=segments)
        self._connections = 0

    def connection(self, now: float) -> ConnectionRecorder | Unrecorded:
        """Begin the record of the next connection, from a port of its own."""
        if self.connections == 0:
            return Unrecorded()
        self.connections -= 1
        host, port = divmod(self._connections, LAST_PORT - FIRST_PORT)
        self._connections += 1
        return self._recorder.connect(Endpoint(f"10.0.1.{host}", FIRST_PORT + port), SERVER, now)


class RecordedStream(Stream):
    """A connection of a simulated network, as the ends send it: what the line loses later is in the record."""

    wire: Wire

    def __init__(self, network: Network, caller: str) -> None:
        super().__init__(network, caller)
        self.record = self.wire.connection(network.clock.now)

    def send(self, side: int, data: bytes) -> None:
        if not self.broken and (self.wire.partners or isinstance(self.ends[side], NodeEnd)):
            self.record.send(_SIDES[side], data, self.network.clock.now)
        super().send(side, data)

    def close(self, side: int, abort: bool) -> None:
        now = self.network.clock.now
        if abort:
            self.record.reset(_SIDES[side], now)
        else:
            self.record.close(_SIDES[side], now)
        super().close(side, abort)


class RecordedWatchedStream(WatchedStream, RecordedStream):
    """The same on a stage; what the scissors keep from being sent is not recorded."""


@contextmanager
def on_record(wire: Wire) -> Iterator[None]:
    """Record, while it lasts, what passes on the connections of simulated networks and in plays."""
    plays: WeakKeyDictionary[_Played, ConnectionRecorder | Unrecorded] = WeakKeyDictionary()

    def says(play: _Played, who: str, data: bytes) -> None:
        if play not in plays:
            plays[play] = wire.connection(play.now)
        if who == "we" or wire.partners:
            plays[play].send(Direction.RESPONDER if who == "we" else Direction.INITIATOR, data, play.now)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RecordedStream, "wire", wire, raising=False)
        patch.setattr(Network, "stream_type", RecordedStream)
        patch.setattr(WatchedNetwork, "stream_type", RecordedWatchedStream)
        patch.setattr(Play, "says", says)
        patch.setattr(OnTheWire, "passes", says)
        yield


# The plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--wire", type=Path, metavar="FOLDER", help="keep what plays put on the wire, a pcap a test file")
    parser.addoption("--wire-ours", action="store_true", help="without what partners played by hand say")
    parser.addoption("--wire-segments", type=int, default=FIRST_SEGMENTS, metavar="N", help="of each connection")
    parser.addoption("--wire-connections", type=int, default=FIRST_CONNECTIONS, metavar="N", help="of each test")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--wire")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        options = {"partners": not config.getoption("--wire-ours"), "segments": config.getoption("--wire-segments")}
        config.pluginmanager.register(_Keeper(folder, options, config.getoption("--wire-connections")))


class _Keeper:
    """Opens the file of each test file when its first test begins."""

    def __init__(self, folder: Path, options: dict[str, Any], connections: int) -> None:
        self.folder = folder
        self.options = options
        self.connections = connections
        self.files: dict[str, BinaryIO] = {}
        self.wires: dict[str, Wire] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        name = item.path.stem
        if name not in self.wires:
            self.files[name] = (self.folder / f"{name}.pcap").open("wb")
            self.wires[name] = Wire(self.files[name], **self.options)
        self.wires[name].connections = self.connections
        with on_record(self.wires[name]):
            return (yield)

    def pytest_unconfigure(self) -> None:
        for file in self.files.values():
            file.close()
