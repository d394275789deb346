"""The server side of a client connection: segments in, calls and other events out (mq-wire.md 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel import Responder
from mqbridge.protocol.channel.events import Closed
from mqbridge.protocol.channel.link import Link, Routes, Timer, status_while
from mqbridge.protocol.channel.proposal import Proposal
from mqbridge.protocol.channel.states import State
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, SegmentType, StatusCode
from mqbridge.protocol.framing import SegmentWriter

from .call_receiver import CallReceiver
from .conversation import ServerConversations
from .deliveries import Deliveries
from .events import Event
from .opening import Identification, ServerOpening
from .parameters import ClientNegotiated, ServerParameters
from .reading import READERS
from .replies import Replies
from .states import CONNECTION
from .timers import ServerTimers

_STATUS: Final = {
    State.NEGOTIATING: MQCHS.BINDING,
    State.RUNNING: MQCHS.RUNNING,
    State.HEARTBEATING: MQCHS.RUNNING,
    State.CLOSED: MQCHS.INACTIVE,
}
_SUBSTATE: Final = {State.HEARTBEATING: MQCHSSTATE.HEARTBEATING, State.CLOSED: MQCHSSTATE.OTHER}


class ServerConnection:
    """One TCP connection of a client, from the hand-over by the responder to its end.

    The package's docstring describes its use. ``link``: the connection, as in every machine. ``replies``: answers
    calls. ``deliveries``: sends messages.
    """

    __slots__ = ("_conversations", "deliveries", "identification", "link", "parameters", "replies", "timers")

    def __init__(self, wire: Wire, proposal: Proposal, parameters: ServerParameters, now: float) -> None:
        order = parameters.order
        wire.writer = SegmentWriter(order, parameters.ccsid)
        encoding = proposal.encoding if inferred.CLIENT_ENCODING_REPEATED else None
        replying = SegmentWriter(order, parameters.ccsid, encoding)
        self.parameters = parameters
        self.link: Link[Event] = Link(self, wire, CONNECTION, State.NEGOTIATING, now)
        link, conversations = self.link, ServerConversations(self.link)
        self._conversations = conversations
        timers = ServerTimers(link, conversations, parameters)
        self.timers: Callable[[], Iterable[Timer]] = timers.due
        self.replies = Replies(link, conversations, replying)
        self.deliveries = Deliveries(link, conversations)
        opening = ServerOpening(link, conversations, parameters, replying)
        self.identification = Identification(link, conversations, parameters.passwords)
        calls = CallReceiver(link, conversations, self.replies)
        parts = (opening, self.identification, timers, conversations, self.deliveries, calls)
        link.serve(_ROUTES, parts, conversations.check_header)
        link.answered = State.HEARTBEATING
        link.guard(opening.negotiate, proposal, None)

    @classmethod
    def answering(
        cls, responder: Responder, parameters: ServerParameters, now: float
    ) -> tuple[ServerConnection, list[Event]]:
        """Take over a client's connection from the responder; returns the machine and its first events.

        Raises ``LocalProtocolError`` if the responder has no request, or its connection has ended.
        """
        wire, proposal = responder.hand_over()
        connection = cls(wire, proposal, parameters, now)
        return connection, connection.link.receive_data(b"", now)

    # For the link.

    def quiesce(self, status: StatusCode, now: float) -> None:
        """Notify the programs of the end, and wait for them to disconnect.

        ``status`` is what they are told: USER_CLOSED if the channel is stopped, QM_TERMINATING if the queue manager
        ends (client-observed.md O-044, O-091). Programs without shared conversations learn it from the agent's replies
        (2202, 2161). The agent refuses later conversations at MQCONN: clients report a refused start as a fault with
        2273 (O-041).
        """
        link, conversations = self.link, self._conversations
        conversations.stop_status = status
        if not conversations.by_id:
            link.stop(status)
        elif not link.closing:
            link.closing = True
            for conversation in conversations.by_id.values() if link.shared else ():
                if status == StatusCode.QM_TERMINATING:
                    self.deliveries.quiesce(conversation)
                conversations.quiesce(conversation)

    def force(self, status: StatusCode) -> None:
        """End at once by command."""
        self.link.stop(status)

    def abandon(self, ending: Closed) -> bool:
        """End the remaining conversations."""
        self._conversations.end_all()
        return False

    # Status

    @property
    def closing(self) -> bool:
        """Whether a requested end is waiting for the client."""
        return self.link.closing and not self.link.closed

    @property
    def agreed(self) -> ClientNegotiated | None:
        """Negotiated values; None before :class:`Started`."""
        return self._conversations.agreed

    @property
    def conversations(self) -> tuple[int, ...]:
        """Ids of the current conversations (counted in CURSHCNV); 0 is the id of one that is not shared."""
        return tuple(self._conversations.by_id)

    @property
    def status(self) -> MQCHS:
        """Channel status for DISPLAY CHSTATUS."""
        return status_while(self.link.closing, _STATUS[self.link.state])

    @property
    def substate(self) -> MQCHSSTATE:
        """SUBSTATE for DISPLAY CHSTATUS: whether a program is in a call."""
        if self.link.state is State.RUNNING and self._conversations.calling:
            return MQCHSSTATE.IN_MQI_CALL
        return _SUBSTATE.get(self.link.state, MQCHSSTATE.RECEIVING)

    def open_again(self) -> None:
        """Withdraw a QUIESCE; programs that were notified may stay or leave."""
        self.link.closing = False


_OPENING, _IDENTIFICATION, _TIMERS, _CONVERSATIONS, _DELIVERIES, _CALLS = range(6)  # indexes of the parts

_ROUTES: Final[Routes] = {
    SegmentType.INITIAL_DATA: (_OPENING, ServerOpening.initial_data),
    SegmentType.STATUS_DATA: (_CONVERSATIONS, ServerConversations.status_data),
    SegmentType.SECURITY_DATA: (_IDENTIFICATION, Identification.security_data),
    SegmentType.USERID_DATA: (_IDENTIFICATION, Identification.user_id),
    SegmentType.CONAUTH_INFO: (_IDENTIFICATION, Identification.credentials),
    SegmentType.HEARTBEAT: (_TIMERS, ServerTimers.heartbeat),
    SegmentType.SOCKET_ACTION: (_CONVERSATIONS, ServerConversations.socket_action),
    SegmentType.REQUEST_MSGS: (_DELIVERIES, Deliveries.request_msgs),
    SegmentType.NOTIFICATION: (_DELIVERIES, Deliveries.notification),
    SegmentType.SPI: (_CALLS, CallReceiver.segment),
    **dict.fromkeys(READERS, (_CALLS, CallReceiver.segment)),
}
"""The part and method that take a segment, by its type."""
