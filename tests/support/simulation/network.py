"""A network of byte streams: delays, packets of any size, connections cut at any byte, ends that learn of it late."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Protocol

from .clock import SimulatedClock

CALLER = "10.0.0.1"
"""Address that a listening node sees of a caller, unless another one is said."""


class Endpoint(Protocol):
    """One side of a stream, at a node."""

    def received(self, data: bytes) -> None: ...

    def lost(self) -> None: ...


class Stream:
    """A connection. Bytes arrive in order, in other pieces than they were sent; after a cut some never do."""

    def __init__(self, network: Network, caller: str = CALLER) -> None:
        self.network = network
        self.caller = caller
        self.ends: list[Endpoint | None] = [None, None]
        self.arrival = [network.clock.now, network.clock.now]
        self.broken = False
        self.in_flight = [0, 0]

    def send(self, side: int, data: bytes) -> None:
        """Side 0 or 1 sends."""
        if self.broken:
            return
        network, random, other = self.network, self.network.random, 1 - side
        start = 0
        while start < len(data):
            size = len(data) - start if random.random() < 0.7 else random.randint(1, len(data) - start)
            piece = data[start : start + size]
            start += size
            self.arrival[other] = max(self.arrival[other], network.clock.now + random.expovariate(1 / network.delay))
            self.in_flight[other] += 1
            network.clock.at(self.arrival[other], lambda piece=piece: self._arrive(other, piece))  # type: ignore[misc]

    def _arrive(self, side: int, piece: bytes) -> None:
        self.in_flight[side] -= 1
        end = self.ends[side]
        if end is None:
            return
        if self.broken:
            # What was on its way when the line was cut arrives in part, and nothing after it.
            keep = self.network.random.randint(0, len(piece))
            self.ends[side] = None
            if keep:
                end.received(piece[:keep])
            end.lost()
            return
        end.received(piece)

    def close(self, side: int, abort: bool) -> None:
        """Side ends the connection; what it sent before still arrives unless it aborts."""
        end, self.ends[side] = self.ends[side], None
        if end is not None:
            end.lost()
        other = 1 - side
        if abort:
            self.broken = True
        self.arrival[other] = max(self.arrival[other], self.network.clock.now + self.network.random.random() * 0.01)
        self.network.clock.at(self.arrival[other], lambda: self._hang_up(other))

    def cut(self) -> None:
        """The line breaks: each side learns of it in its own time, now and then much later."""
        if self.broken:
            return
        self.broken = True
        random, clock = self.network.random, self.network.clock
        for side in (0, 1):
            late = random.choice([0.0, 0.01, 0.5, 40.0]) if random.random() < 0.5 else 0.0
            clock.after(random.random() * 0.05 + late, lambda side=side: self._hang_up(side))  # type: ignore[misc]

    def drop_side(self, side: int) -> None:
        """The process of one side died: the other one is reset."""
        self.ends[side] = None
        self.broken = True
        self.network.clock.after(self.network.random.random() * 0.02, lambda: self._hang_up(1 - side))

    def _hang_up(self, side: int) -> None:
        end, self.ends[side] = self.ends[side], None
        if end is not None:
            end.lost()


class Network:
    """Where nodes listen and connect."""

    stream_type = Stream

    def __init__(self, clock: SimulatedClock, random: Random, delay: float = 0.002) -> None:
        self.clock = clock
        self.random = random
        self.delay = delay
        self.listeners: dict[str, Callable[[Stream], Endpoint | None]] = {}
        self.streams: list[Stream] = []
        self.refuse_rate = 0.0

    def connect(
        self,
        host: str,
        made: Callable[[Stream], Endpoint | None],
        failed: Callable[[], None],
        caller: str = CALLER,
    ) -> None:
        """Opens a connection to a host after a while."""

        def arrive() -> None:
            accept = self.listeners.get(host)
            if accept is None or self.random.random() < self.refuse_rate:
                failed()
                return
            stream = self.stream_type(self, caller)
            self.streams.append(stream)
            stream.ends[1] = accept(stream)
            stream.ends[0] = made(stream)
            for side in (0, 1):
                if stream.ends[side] is None:
                    stream.broken = True
                    stream._hang_up(1 - side)

        self.clock.after(self.random.random() * 0.01, arrive)

    def open_streams(self) -> list[Stream]:
        self.streams = [stream for stream in self.streams if not stream.broken and all(stream.ends)]
        return self.streams
