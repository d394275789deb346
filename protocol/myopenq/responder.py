"""The end of a connection that is called: bytes in, packets out, answers in, bytes out (M-002, M-019, M-036)."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from mqbridge.protocol.errors import LocalProtocolError

from .answers import Answer
from .codes import Code, MoqError
from .packets import Packet, PacketReader
from .transitions import CALLED, Called, Cause

PACKET_TIME: Final = 30.0
"""Seconds within which a packet must be whole once its first byte has come, and a plain caller must have begun."""


class Asked(NamedTuple):
    """A packet: `Responder.answer` is to follow."""

    packet: Packet


class Misread(NamedTuple):
    """What came is no packet, or too slow: `Responder.answer` with the error is to follow, and ends the connection."""

    error: MoqError


class Ended(NamedTuple):
    """The caller has gone. ``cut``: inside a packet."""

    cut: bool


Event: TypeAlias = Asked | Misread | Ended


class Responder:
    """One connection. ``framed``: its mode; ``now``: when it began; ``packet_time``: see `PACKET_TIME`; all seconds.

    Packets are given one by one: the next when the last is answered. What has come ahead of that is kept, so a host
    stops reading while `wants_data` is false.
    """

    __slots__ = ("_deadline", "_framed", "_gone", "_misread", "_out", "_packet_time", "_reader", "state")

    def __init__(self, *, framed: bool, now: float, packet_time: float = PACKET_TIME) -> None:
        self._framed = framed
        self._reader = PacketReader(framed)
        self._packet_time = packet_time
        self._deadline: float | None = None if framed else now + packet_time
        self._out: list[bytes] = []
        self._gone = False
        self._misread: MoqError | None = None
        self.state = Called.WAITING

    @property
    def wants_data(self) -> bool:
        """Whether more bytes are of use now."""
        return self.state in (Called.WAITING, Called.READING)

    @property
    def next_timeout(self) -> float | None:
        """When `timeout` is to be called."""
        return self._deadline

    def receive_data(self, data: bytes, now: float) -> None:
        """Take bytes of the caller; none mean that it has gone."""
        if not data:
            self._gone = True
            return
        if self.state in (Called.REFUSING, Called.ENDED):
            return
        self._reader.receive(data)
        if self._deadline is None and self.wants_data:
            self._deadline = now + self._packet_time

    def timeout(self, now: float) -> None:
        """Refuse a caller that has not sent a whole packet in time."""
        if self._deadline is not None and now >= self._deadline and self.wants_data:
            self._misread = MoqError(Code.MALFORMED, f"no packet within {self._packet_time:g} seconds")

    def next_event(self) -> Event | None:
        """Return what has happened, or None while nothing has."""
        if not self.wants_data:
            return self._end() if self._gone and self.state is not Called.ENDED else None
        try:
            if self._misread is not None:
                raise self._misread
            packet = self._reader.next_packet()
        except MoqError as error:
            self._deadline = None
            self._change(Cause.UNREADABLE)
            return Misread(error)
        if packet is not None:
            self._deadline = None
            self._change(Cause.PACKET)
            return Asked(packet)
        if self._gone:
            return self._end()
        if self._reader.pending:
            self._change(Cause.PART)
        return None

    def answer(self, answer: Answer, now: float) -> None:
        """Answer the packet that was given, or what could not be read. In plain mode that was the last.

        Raises `LocalProtocolError` where nothing waits for an answer.
        """
        last = not self._framed or self.state is Called.REFUSING
        self._change(Cause.LAST_ANSWER if last else Cause.ANSWER)
        self._out.append(answer.framed() if self._framed else answer.plain())
        if not last and self._reader.pending:
            self._deadline = now + self._packet_time

    def take(self) -> bytes:
        """Return the bytes to send; the connection is closed behind them where `state` is ENDED."""
        out, self._out = self._out, []
        return b"".join(out)

    def _end(self) -> Ended:
        cut = self.state is Called.READING or bool(self._reader.pending)
        self._deadline = None
        self._change(Cause.END)
        return Ended(cut)

    def _change(self, cause: Cause) -> None:
        state = CALLED[self.state].get(cause)
        if state is None:
            raise LocalProtocolError(f"{self.state.value}: cannot {cause.value}")
        self.state = state
