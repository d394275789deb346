"""Streams of the simulated network under observation, as a capture at the end that was called has them."""

from __future__ import annotations

from mqbridge.protocol.observer import Ending
from support.rules.observer_playbook import INITIATOR, RESPONDER, Watch

from .network import CALLER, Network, Stream


class WatchedStream(Stream):
    """A connection with an observer at the end that listens."""

    all: list[WatchedStream]

    def __init__(self, network: Network, caller: str = CALLER) -> None:
        super().__init__(network, caller)
        self.watch = Watch(now=network.clock.now)
        self.over = False
        self.all.append(self)

    def _hear(self, side: int, data: bytes) -> None:
        self.watch.now = max(self.watch.now, self.network.clock.now)
        if data and not self.over:
            self.watch.passes(RESPONDER if side else INITIATOR, data)

    def send(self, side: int, data: bytes) -> None:
        if side == 1 and not self.broken:
            self._hear(1, data)
        super().send(side, data)

    def _arrive(self, side: int, piece: bytes) -> None:
        if side == 1 and self.ends[1] is not None and not self.broken:
            self._hear(0, piece)
        super()._arrive(side, piece)

    def _hang_up(self, side: int) -> None:
        if side == 1:
            self.finish(Ending.RESET if self.broken else Ending.CLOSED)
        super()._hang_up(side)

    def finish(self, ending: Ending) -> None:
        if not self.over:
            self.over = True
            self.watch.now = max(self.watch.now, self.network.clock.now)
            self.watch.end(ending)


def watch_streams(network: Network) -> list[WatchedStream]:
    """From now on every new connection of a network is watched; the list grows with them."""
    streams: list[WatchedStream] = []
    network.stream_type = type("Watched", (WatchedStream,), {"all": streams})
    return streams
