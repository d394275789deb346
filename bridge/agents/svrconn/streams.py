"""The streams of a program: messages sent to a client on request (client-observed.md 5)."""

from __future__ import annotations

from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.agents.svrconn.stream import OutboundStream
from mqbridge.bridge.queue_manager import RetrievedMessage
from mqbridge.bridge.queue_manager.calls.outcomes import Outcome
from mqbridge.bridge.queue_manager.calls.requests import Settle
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.mqi import Delivery


class OutboundStreams:
    """The streams of a program, by handle. ``pending``: by tag, those with a search or wait in progress."""

    __slots__ = ("_program", "_streams", "pending")

    def __init__(self, program: Hconn) -> None:
        self._program = program
        self._streams: dict[int, OutboundStream] = {}
        self.pending: dict[int, OutboundStream] = {}

    def of(self, delivery: Delivery) -> OutboundStream:
        """The stream of a handle whose messages the client requests."""
        stream = self._streams.get(delivery.handle)
        if stream is None or stream.delivery is not delivery:
            stream = self._streams[delivery.handle] = OutboundStream(self._program, delivery, self.pending)
        return stream

    def completed(self, tag: int, outcome: Outcome, now: Time) -> None:
        """A request of a stream has completed; ignored if it is no longer wanted."""
        stream, session = self.pending.pop(tag, None), self._program.session
        if stream is not None:
            stream.completed(outcome, now)
        elif isinstance(outcome, RetrievedMessage) and session is not None:
            session.submit(Settle(0, back=(outcome.token,)), now)

    def end_gets(self, reason: int, now: Time) -> None:
        """End the searches and waits of gets."""
        for stream in list(self._streams.values()):
            stream.end(reason, now)

    def connection_stopped(self) -> None:
        """An operator has ended the connection."""
        for stream in list(self._streams.values()):
            stream.abort(MQRC.CONNECTION_BROKEN)

    def resume(self, now: Time) -> None:
        """The transport takes more."""
        for stream in list(self._streams.values()):
            if stream.stalled:
                stream.fill(now)

    def unit_ended(self, now: Time) -> None:
        """The program's unit of work has ended."""
        for stream in list(self._streams.values()):
            if stream.paused:
                stream.paused = False
                stream.fill(now)

    def closed(self, handle: int, unreceived: list[bytes], now: Time) -> None:
        """A handle is being closed."""
        stream = self._streams.pop(handle, None)
        if stream is not None:
            stream.closed(unreceived, now)

    def drop(self, now: Time) -> None:
        """The program has gone; the messages that it has confirmed have arrived."""
        for stream in self._streams.values():
            stream.forget_wait(now)
            stream.confirm(now)
        self._streams.clear()
