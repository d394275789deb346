"""Deadlines of a server connection: handshake, heartbeats, silence, DISCINT (client-observed.md 7).

On a shared connection a heartbeat is sent after an interval of silence, and the client is given up later. On one that
is not shared this happens only while a get waits: otherwise a client may be silent for hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import receive_timeout
from mqbridge.protocol.channel.link import Link, Timer
from mqbridge.protocol.channel.states import State, Trigger
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.framing import Segment

from .conversation import ServerConversations
from .events import Event
from .message_calls import Get
from .parameters import ServerParameters

_RUNNING: Final = State.RUNNING  # for every segment: members of an enum are looked up slowly
_CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST)


class ServerTimers:
    """The deadlines of a connection."""

    __slots__ = ("_conversations", "_link", "_parameters", "_sent_mark")

    def __init__(self, link: Link[Event], conversations: ServerConversations, parameters: ServerParameters) -> None:
        self._link = link
        self._conversations = conversations
        self._parameters = parameters
        self._sent_mark = 0  # bytes sent when the heartbeat was queued

    def due(self) -> Iterable[Timer]:
        """Return the current deadlines."""
        link = self._link
        if link.state is _RUNNING and link.shared and not link.paused:
            # A busy connection has one deadline: the end of permitted silence.
            conversations = self._conversations
            agreed = conversations.agreed
            if agreed is not None and agreed.heartbeat_interval and conversations.connected and conversations.by_id:
                return ((link.silent_since + agreed.heartbeat_interval, self._ask),)
        return self._timers()

    def heartbeat(self, segment: Segment, now: float) -> None:
        """Handle HEARTBEAT: answer it if requested."""
        if segment.flags1 & _CONFIRM:
            self._link.send(SegmentType.HEARTBEAT)

    def _timers(self) -> Iterator[Timer]:
        link, parameters, conversations = self._link, self._parameters, self._conversations
        if link.closed:
            return
        calling = conversations.calling
        if not conversations.connected and not calling:
            yield link.started_at + parameters.handshake_timeout, self._handshake_too_long
        if conversations.connected and not conversations.by_id:
            yield link.silent_since + parameters.handshake_timeout, self._no_conversations
        agreed, idle = conversations.agreed, parameters.disconnect_interval
        if agreed is None:
            return
        if idle and not agreed.shared and not calling:
            yield link.silent_since + idle, self._idle_too_long
        limit = receive_timeout(agreed.heartbeat_interval)
        if limit is None or link.paused:
            return
        if link.state is State.HEARTBEATING:
            yield link.silent_since + limit, self._silent_too_long
        elif agreed.shared or any(isinstance(call, Get) for call in calling):
            yield link.silent_since + agreed.heartbeat_interval, self._ask

    def _ask(self, now: float) -> None:
        """Send a heartbeat after an interval of silence."""
        link = self._link
        link.go(Trigger.HEARTBEAT)
        self._sent_mark = link.wire.counters.bytes_sent
        link.send(SegmentType.HEARTBEAT, flags=_CONFIRM)

    def _silent_too_long(self, now: float) -> None:
        link = self._link
        sent = link.wire.counters.bytes_sent
        if link.wire.unsent and sent > self._sent_mark:
            # The heartbeat is queued behind other output that the client is taking: it is slow, not gone.
            self._sent_mark = sent
            link.silent_since = now
            return
        link.finish(f"nothing heard for {now - link.silent_since:g} seconds", "AMQ9259", retryable=True)

    def _handshake_too_long(self, now: float) -> None:
        limit = self._parameters.handshake_timeout
        self._link.finish(f"no connection within {limit:g} seconds", "AMQ9259", retryable=True)

    def _no_conversations(self, now: float) -> None:
        self._link.finish("the last conversation has ended", "AMQ9001", normal=True)

    def _idle_too_long(self, now: float) -> None:
        link = self._link
        link.send(SegmentType.STATUS_DATA, flags=int(inferred.CLOSE_FLAGS))
        link.finish(f"no call for {now - link.silent_since:g} seconds", "AMQ9001", normal=True)
