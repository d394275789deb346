"""Deadlines of a client connection: handshake, replies, waiting gets, heartbeats (client-observed.md 7)."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.link import Link, Timer
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.mqi.outgoing import WHOLE

from .conversation import ClientConversation
from .exchange import Exchange
from .gets import Gets

_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)


class ClientTimers:
    """The deadlines of a connection."""

    __slots__ = ("_conversation", "_exchange", "_gets", "_link")

    def __init__(self, link: Link[Any], conversation: ClientConversation, exchange: Exchange, gets: Gets) -> None:
        self._link = link
        self._conversation = conversation
        self._exchange = exchange
        self._gets = gets

    def heartbeat(self, segment: Segment, now: float) -> None:
        """Handle HEARTBEAT: answer it if requested."""
        if segment.flags1 & _CONFIRM:
            self._conversation.send_common(SegmentType.HEARTBEAT, flags=WHOLE)

    def due(self) -> Iterator[Timer]:
        """Yield the current deadlines."""
        link, exchange = self._link, self._exchange
        if link.closed:
            return
        if self._conversation.connecting:
            yield exchange.deadline, self._no_reply
            return
        waiting = self._gets.deadline
        if waiting is not None:
            yield waiting, self._gets.wait_expired
        elif exchange.call is not None and exchange.deadline < inf:
            yield exchange.deadline, self._no_reply
        agreed = self._conversation.agreed
        if agreed is None or not agreed.heartbeat_interval or link.paused:
            return
        interval = agreed.heartbeat_interval
        if link.state is State.HEARTBEATING:
            yield link.silent_since + 2 * interval, self._silent_too_long
        elif agreed.shared:
            yield link.silent_since + interval, self._ask
        elif exchange.patient:
            # The queue manager sends heartbeats while a get waits; without them it is gone (O-122).
            yield link.silent_since + inferred.SILENT_INTERVALS * interval, self._silent_too_long

    def _ask(self, now: float) -> None:
        """Send a heartbeat after an interval of silence."""
        self._link.go(Trigger.HEARTBEAT)
        self._conversation.send_common(SegmentType.HEARTBEAT, flags=_CONFIRM | WHOLE)

    def _silent_too_long(self, now: float) -> None:
        silence = now - self._link.silent_since
        self._link.finish(f"nothing heard for {silence:g} seconds", "AMQ9259", retryable=True)

    def _no_reply(self, now: float) -> None:
        call = self._exchange.call
        what = "connection" if call is None else str(SegmentType(call.type))
        since = self._link.started_at if call is None else min(call.begun, now)
        self._link.finish(f"no reply to {what} within {now - since:g} seconds", "AMQ9259", retryable=True)
