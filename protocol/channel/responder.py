"""An incoming connection: who calls, and for which channel (mq-wire.md 7.1).

The responder reads one INITIAL_DATA and reports it to the agent, which accepts, refuses, or promises to call back.
Accepting returns a sender or receiver that takes over the connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, overload

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, CapFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.text import is_ebcdic

from .events import ChannelRequested, Closed, Event
from .link import Link, Timer
from .parameters import DEFAULT_HANDSHAKE_TIMEOUT, ChannelParameters, ReceiverState, SenderState
from .proposal import Proposal, read_proposal
from .receiver import ReceiverChannel
from .sender import SenderChannel
from .states import RESPONDER, State, Trigger
from .status import REFUSAL_MESSAGES, ChannelError
from .wire import Wire, own_writer

MAX_EARLY_BYTES: Final = 65_536
"""Bytes behind the first INITIAL_DATA that are kept while the agent decides; callers normally wait for the answer."""

_MESSAGE_CHANNEL_TYPES: Final = frozenset(
    {
        SegmentType.RESYNC_DATA,
        SegmentType.RESET_DATA,
        SegmentType.MESSAGE_DATA,
        SegmentType.STATUS_DATA,
        SegmentType.SECURITY_DATA,
        SegmentType.PING_DATA,
        SegmentType.HEARTBEAT,
    }
)


_STATUS: Final[Mapping[State, MQCHS]] = {
    State.LISTENING: MQCHS.BINDING,
    State.REQUESTED: MQCHS.BINDING,
    State.HANDED_OVER: MQCHS.INACTIVE,
    State.CLOSED: MQCHS.INACTIVE,
}


class Responder:
    """The called end of a connection until its purpose is known.

    ``now``: when the connection arrived. ``handshake_timeout``: seconds until the first segment must have arrived; the
    rest of the negotiation is limited by the channel's parameters.
    """

    __slots__ = ("_early", "_handshake_timeout", "_proposal", "link")

    def __init__(self, now: float, handshake_timeout: float = DEFAULT_HANDSHAKE_TIMEOUT) -> None:
        self.link = Link[Event](self, Wire(SegmentWriter()), RESPONDER, State.LISTENING, now)
        self.link.take = self._take
        self._handshake_timeout = handshake_timeout
        self._proposal: Proposal | None = None
        self._early = 0

    @property
    def status(self) -> MQCHS:
        """Channel status for DISPLAY CHSTATUS (channels.md 2)."""
        return _STATUS[self.link.state]

    @property
    def substate(self) -> MQCHSSTATE:
        """SUBSTATE for DISPLAY CHSTATUS."""
        return MQCHSSTATE.RECEIVING if self.link.state is State.LISTENING else MQCHSSTATE.OTHER

    # For the agent.

    @overload
    def accept(
        self, parameters: ChannelParameters, saved: ReceiverState, now: float
    ) -> tuple[ReceiverChannel, list[Event]]: ...

    @overload
    def accept(
        self, parameters: ChannelParameters, saved: SenderState, now: float, *, luwids: Callable[[], bytes]
    ) -> tuple[SenderChannel, list[Event]]: ...

    def accept(
        self,
        parameters: ChannelParameters,
        saved: ReceiverState | SenderState,
        now: float,
        *,
        luwids: Callable[[], bytes] | None = None,
    ) -> tuple[ReceiverChannel | SenderChannel, list[Event]]:
        """Answer :class:`ChannelRequested` with a definition: as the receiving end, or, with a ``SenderState`` and
        ``luwids``, as the sending end for a requester.

        Returns the machine that takes over this connection, and its first events. Raises ``LocalProtocolError`` if no
        channel was requested, or if the connection has ended.
        """
        proposal = self._proposal
        if proposal is None:
            raise LocalProtocolError("no channel is asked for")
        if isinstance(saved, SenderState) and luwids is None:
            raise LocalProtocolError("a sending end needs LUWIDs")
        self.link.go(Trigger.ACCEPTED)
        machine: ReceiverChannel | SenderChannel
        if isinstance(saved, ReceiverState):
            if not inferred.ANSWER_IN_PARTNERS_CODE:
                self.link.wire.writer = own_writer(parameters)
            machine = ReceiverChannel.answering(self.link.wire, proposal, parameters, saved, now)
        else:
            assert luwids is not None
            self.link.wire.writer = own_writer(parameters)
            machine = SenderChannel.answering(self.link.wire, proposal, parameters, saved, luwids, now)
        return machine, machine.link.receive_data(b"", now)

    def hand_over(self) -> tuple[Wire, Proposal]:
        """Answer :class:`ChannelRequested` with a machine of another kind: ``protocol.mqi.ServerConnection`` for a
        client.

        Returns the wire, with any bytes behind the first segment, and the caller's proposal. Raises
        ``LocalProtocolError`` if no channel was requested, or if the connection has ended.
        """
        proposal = self._proposal
        if proposal is None:
            raise LocalProtocolError("no channel is asked for")
        self.link.go(Trigger.ACCEPTED)
        return self.link.wire, proposal

    def refuse(
        self, status: StatusCode, now: float, *, reason: str = "", amq: str | None = None, value: int | None = None
    ) -> list[Event]:
        """Answer :class:`ChannelRequested` with a status: no such channel, wrong type, in use, stopped, TLS required.

        ``amq``: id of our own log message; by default that of :data:`~protocol.channel.status.REFUSAL_MESSAGES`.
        """
        if not self.link.closed:
            self.link.send_error(status, value)
            message = amq or REFUSAL_MESSAGES.get(status, "AMQ9503")
            self.link.finish(reason or f"refused with {status}", message, status=status)
        return self.link.drain()

    def call_back(self, now: float) -> list[Event]:
        """Promise a requester that our sender will open its own connection (channels.md 1)."""
        if not self.link.closed:
            self.link.wire.send(SegmentType.STATUS_DATA, flags=int(inferred.CALL_BACK_FLAGS))
            self.link.finish("the sender will call the requester", "AMQ9001", normal=True, call_back=True)
        return self.link.drain()

    # For the link.

    def _take(self, data: bytes, now: float) -> None:
        """Read the first segment; bytes behind it are kept for the machine that takes over.

        Raises ``LocalProtocolError`` once another machine has taken over.
        """
        state = self.link.state
        if state is State.HANDED_OVER:
            raise LocalProtocolError("another machine goes on with this connection")
        if state is State.REQUESTED:
            self._early += len(data)
            if self._early > MAX_EARLY_BYTES:
                raise ChannelError(f"{self._early} bytes before an answer", StatusCode.PROTOCOL_GENERAL)
        segments = self.link.wire.reader.feed(data)
        segment = next(segments, None) if state is State.LISTENING else None
        if segment is not None:
            self.link.wire.counters.buffers_received += 1
            self._first_segment(segment)

    def timers(self) -> Iterator[Timer]:
        """See :meth:`.link.Machine.timers`."""
        if self.link.state is State.LISTENING:
            yield self.link.started_at + self._handshake_timeout, self._handshake_too_long

    def quiesce(self, status: StatusCode, now: float) -> None:
        """See :meth:`.link.Machine.quiesce`: there is nothing to wait for."""
        self.force(StatusCode.QM_TERMINATING)

    def force(self, status: StatusCode) -> None:
        """See :meth:`.link.Machine.force`."""
        if self.link.state is State.REQUESTED:
            self.link.send_error(status)
        self.link.finish("stopped by command", "AMQ9528", status=status, normal=True)

    def abandon(self, ending: Closed) -> bool:
        """See :meth:`.link.Machine.abandon`: nothing is open."""
        return False

    def _handshake_too_long(self, now: float) -> None:
        seconds = self._handshake_timeout
        self.link.finish(f"no INITIAL_DATA within {seconds:g} seconds", "AMQ9259", retryable=True)

    def _first_segment(self, segment: Segment) -> None:
        if segment.type != SegmentType.INITIAL_DATA:
            known = segment.type in _MESSAGE_CHANNEL_TYPES
            raise ChannelError(
                f"{SegmentType(segment.type)} before INITIAL_DATA",
                StatusCode.PROTOCOL_SEGMENT_ERROR if known else StatusCode.PROTOCOL_SEGMENT_TYPE,
            )
        ccsid = segment.ccsid
        self.link.wire.writer = SegmentWriter(segment.order, self.link.wire.writer.ccsid)
        proposal = read_proposal(segment)
        if not is_ebcdic(ccsid):
            self.link.wire.writer = SegmentWriter(segment.order, ccsid)
        self.link.go(Trigger.CHANNEL_ASKED)
        self._proposal = proposal
        self.link.emit(
            ChannelRequested(
                channel_name=proposal.channel_name,
                partner=proposal.queue_manager,
                fap_level=proposal.fap_level,
                client=bool(proposal.cap1 & CapFlags1.MQREQUEST),
                requests_initiation=bool(proposal.cap1 & CapFlags1.REQUEST_INITIATION),
                cap_flags=(proposal.cap1, proposal.cap2, proposal.cap3),
                ccsid=ccsid,
                order=segment.order,
                product=proposal.product_id,
                partner_id=proposal.queue_manager_id,
            )
        )
