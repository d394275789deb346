"""The program's end of a client connection: calls in, segments out; segments in, events out (mq-wire.md 8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mqbridge.protocol.channel.events import Closed
from mqbridge.protocol.channel.link import Link, Routes, Timer, read_body
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import MQRC, REPLY, ByteOrder, SegmentType, SocketAction, StatusCode
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.mqi.states import CONNECTION, ConversationState, ConversationTrigger
from mqbridge.protocol.structures import SOCKET

from .call import Call
from .calls import Calls
from .conversation import ClientConversation
from .events import Event
from .exchange import Exchange
from .gets import Gets
from .opening import ClientOpening
from .parameters import ClientParameters
from .timers import ClientTimers

_ENDED_SOCKET: Final = frozenset({2, 5, 9})
"""Types of SOCKET_ACTION after which clients drop the socket (client-observed.md O-044)."""
_REPLIES: Final = frozenset(
    int(kind) + REPLY
    for kind in (
        SegmentType.MQCONN, SegmentType.MQDISC, SegmentType.MQOPEN, SegmentType.MQCLOSE, SegmentType.MQGET,
        SegmentType.MQPUT, SegmentType.MQPUT1, SegmentType.MQSET, SegmentType.MQINQ, SegmentType.MQCMIT,
        SegmentType.MQBACK, SegmentType.SPI, SegmentType.MQSTAT, SegmentType.MQSUB, SegmentType.MQSUBRQ,
    )
)  # fmt: skip

_REASONS: Final[dict[int, MQRC]] = {
    0x01: MQRC.UNKNOWN_CHANNEL_NAME,
    **dict.fromkeys((0x02, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x10, 0x12), MQRC.CHANNEL_CONFIG_ERROR),
    **dict.fromkeys((0x16, 0x17), MQRC.CHANNEL_NOT_AVAILABLE),
    **dict.fromkeys((0x18, 0x19, 0x1C), MQRC.JSSE_ERROR),
    0x20: MQRC.STANDBY_Q_MGR,
}
"""Reason codes of a failed connection, by the code of STATUS_DATA (client-observed.md O-021, O-031, O-033)."""


class ClientConnection:
    """One TCP connection to a queue manager, with one conversation. The package's docstring describes its use.

    ``link``: the connection, as in every machine. ``calls``: the MQI.
    """

    __slots__ = (
        "_conversation",
        "_exchange",
        "_gets",
        "_opening",
        "_timers",
        "calls",
        "ended",
        "link",
        "parameters",
    )

    def __init__(self, parameters: ClientParameters, now: float) -> None:
        self.parameters = parameters
        self.ended: int | None = None
        """MQRC with which the connection ended; None while it lasts, and after an end that we requested."""
        wire = Wire(SegmentWriter(ByteOrder.BIG, parameters.ccsid))
        self.link: Link[Event] = Link(self, wire, CONNECTION, State.NEGOTIATING, now)
        self._conversation = ClientConversation(self.link, parameters.transmission_size)
        self._exchange = Exchange(self.link, self._conversation, parameters)
        self._opening = ClientOpening(self.link, self._conversation, self._exchange, parameters)
        self._gets = Gets(self.link, self._conversation, self._exchange)
        self._timers = ClientTimers(self.link, self._conversation, self._exchange, self._gets)
        self.calls = Calls(self.link, self._conversation, self._exchange, self._gets)
        parts = (self, self._opening, self._gets, self._timers)
        self.link.serve(_ROUTES, parts, self._conversation.check_header)
        self.link.answered = State.HEARTBEATING
        self._opening.state_values()

    # For the link.

    def timers(self) -> Iterable[Timer]:
        """Return the current deadlines."""
        return self._timers.due()

    def quiesce(self, status: StatusCode, now: float) -> None:
        """End at once, like :meth:`force`."""
        self.force(status)

    def force(self, status: StatusCode) -> None:
        """End at once, without MQDISC: the queue manager backs out uncommitted work."""
        self.link.finish("closed by the program", "AMQ9001", normal=True)

    def abandon(self, ending: Closed) -> bool:
        """Fail the pending call."""
        conversation = self._conversation
        if not ending.normal:
            status = ending.status if ending.by_partner else None
            self.ended = int(reason_for(status, connected=not conversation.connecting))
        self._exchange.abandon(self.ended or MQRC.CONNECTION_BROKEN)
        self._gets.clear()
        conversation.state = ConversationState.ENDED
        return False

    # Segments that concern several parts

    def reply(self, segment: Segment, now: float) -> None:
        """Handle a segment of a reply."""
        call = self._exchange.take(segment)
        if call is None:
            return
        if call.type == SegmentType.MQCONN:
            self._opening.connected(call)
            return
        if call.type == SegmentType.MQGET:
            self._gets.answered(call)
        elif call.type == SegmentType.MQCLOSE:
            self._gets.closed(call.handle)
        self._exchange.finish(call)
        if call.type == SegmentType.MQDISC:
            self._conversation.go(ConversationTrigger.DISCONNECTED)
            self._conversation.leave()

    def socket_action(self, segment: Segment, now: float) -> None:
        """Handle SOCKET_ACTION: the queue manager, or the connection, is ending or has ended."""
        action = read_body(_read_socket_action, segment)
        if action.type == SocketAction.CONVERSATION_QUIESCING:
            self._gets.quiesce(MQRC.CONNECTION_QUIESCING, now)
        elif action.type == SocketAction.Q_MGR_QUIESCING:
            self._gets.quiesce(MQRC.Q_MGR_QUIESCING, now)
        elif action.type in _ENDED_SOCKET:
            why = f"the queue manager ended the socket, SOCKET_ACTION {action.type}"
            self.link.finish(why, "AMQ9209", by_partner=True)

    # For the program.

    @property
    def connected(self) -> bool:
        """Whether calls can be made."""
        return self._conversation.connected

    @property
    def agreed(self) -> ClientNegotiated | None:
        """Negotiated values; None until they are known."""
        return self._conversation.agreed

    @property
    def call(self) -> Call | None:
        """The pending call."""
        return self._exchange.call

    @property
    def quiescing(self) -> int | None:
        """MQRC 2161 or 2202 once the queue manager, or the connection, is ending."""
        return self._conversation.quiescing


def reason_for(status: StatusCode | int | None, *, connected: bool) -> MQRC:
    """Return the reason code for a connection that ended with this STATUS_DATA code, or without one (None)."""
    if connected or status is None:
        return MQRC.CONNECTION_BROKEN
    return _REASONS.get(int(status), MQRC.Q_MGR_NOT_AVAILABLE)


def _read_socket_action(body: Any, order: Any) -> Any:
    return SOCKET.codec(order).parse(body)


_CONNECTION, _OPENING, _GETS, _TIMERS = range(4)  # indexes of the parts

_ROUTES: Final[Routes] = {
    SegmentType.INITIAL_DATA: (_OPENING, ClientOpening.initial_data),
    SegmentType.STATUS_DATA: (_OPENING, ClientOpening.status_data),
    SegmentType.HEARTBEAT: (_TIMERS, ClientTimers.heartbeat),
    SegmentType.SOCKET_ACTION: (_CONNECTION, ClientConnection.socket_action),
    SegmentType.ASYNC_MESSAGE: (_GETS, Gets.async_message),
    SegmentType.NOTIFICATION: (_GETS, Gets.notification),
    **dict.fromkeys(_REPLIES, (_CONNECTION, ClientConnection.reply)),
}
"""The part and method that take a segment, by its type."""
