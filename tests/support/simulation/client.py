"""A client of the message queue interface on the simulated network: a program that is a generator of calls.

The program yields bytes to send, and is sent the next segment; or seconds to pause; or what nobody answers. When its
connection is lost it is closed, and told so by `Lost`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import Segment, SegmentReader

from .clock import SimulatedClock
from .network import Network, Stream

Behaviour = Generator["bytes | float | Unawaited", "Segment | None", None]
LONGEST_SEGMENT = 1 << 20


@dataclass(frozen=True, slots=True)
class Unawaited:
    """Bytes that no answer follows."""

    data: bytes


class Lost(Exception):
    """The connection of a program is gone."""


class SimulatedClient:
    """One connection, and the program on it. ``ended`` is called once when both are over."""

    def __init__(self, clock: SimulatedClock, behaviour: Behaviour, ended: Callable[[], None]) -> None:
        self.clock = clock
        self.behaviour = behaviour
        self.ended = ended
        self.stream: Stream | None = None
        self._reader = SegmentReader(LONGEST_SEGMENT)
        self._came: deque[Segment] = deque()
        self._listening = False
        self._over = False

    def connect(self, network: Network, host: str) -> None:
        """Calls a queue manager; the program begins when it answers."""

        def made(stream: Stream) -> SimulatedClient:
            self.stream = stream
            self.clock.after(0, self._begin)
            return self

        network.connect(host, made, self._end)

    def _begin(self) -> None:
        if not self._over:
            self._go_on(None)

    # The stream's end

    def received(self, data: bytes) -> None:
        self._came.extend(self._reader.feed(data))
        if self._listening and not self._over:
            self._listen()

    def lost(self) -> None:
        if not self._over:
            try:
                self.behaviour.throw(Lost())
            except (Lost, StopIteration):
                pass
            else:
                raise AssertionError("a program goes on without its connection")
            self._end()

    # The program

    def _listen(self) -> None:
        self._listening = True
        while self._came and self._came[0].type == SegmentType.STATUS_DATA:
            self._came.popleft()
            if not self._came:
                return  # the end of the connection follows
        if self._came:
            self._listening = False
            self._go_on(self._came.popleft())

    def _go_on(self, segment: Segment | None) -> None:
        try:
            wanted = self.behaviour.send(segment)  # type: ignore[arg-type]
        except StopIteration:
            self._hang_up()
            return
        if isinstance(wanted, float):
            self.clock.after(wanted, self._wake)
            return
        if isinstance(wanted, Unawaited):
            if self.stream is not None:
                self.stream.send(0, wanted.data)
            self.clock.after(0.0, self._wake)
            return
        if wanted and self.stream is not None:
            self.stream.send(0, wanted)
        self._listen()

    def _wake(self) -> None:
        if not self._over:
            self._go_on(None)

    def _hang_up(self) -> None:
        stream, self.stream = self.stream, None
        self._end()
        if stream is not None:
            stream.close(0, abort=False)

    def _end(self) -> None:
        if not self._over:
            self._over = True
            self.ended()
