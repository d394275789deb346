"""How a client's connection begins at the client: negotiation, who we are, MQCONN (client-observed.md 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.machine import Machine, read_status
from mqbridge.protocol.channel.proposal import read_proposal
from mqbridge.protocol.channel.states import State, Table, Trigger
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import Segment, SegmentReader, SegmentWriter
from mqbridge.protocol.mqi.negotiation import result
from mqbridge.protocol.mqi.outgoing import WHOLE, SplitReply, header_size
from mqbridge.protocol.mqi.parameters import Agreed
from mqbridge.protocol.mqi.states import CONNECTION, CONVERSATION, ConversationState, ConversationTrigger
from mqbridge.protocol.structures import API

from . import requests
from .events import Call, Event
from .negotiation import Offer, first_offer, next_offer
from .parameters import ClientParameters

_ERROR: Final = int(ControlFlags1.ERROR)
_SEGMENT_ENDS: Final = 4


class SigningOn(Machine[Event]):
    """Our end of a client's connection until MQCONN is sent."""

    __slots__ = (
        "_deadline",
        "_ids",
        "_offer",
        "_rounds",
        "_size",
        "agreed",
        "call",
        "capabilities",
        "conversation",
        "parameters",
        "waits_for_status",
    )

    TABLE: ClassVar[Table] = CONNECTION
    STATUS: ClassVar[Mapping[State, MQCHS]] = {
        State.NEGOTIATING: MQCHS.BINDING,
        State.RUNNING: MQCHS.RUNNING,
        State.HEARTBEATING: MQCHS.RUNNING,
        State.CLOSED: MQCHS.INACTIVE,
    }
    SUBSTATE: ClassVar[Mapping[State, MQCHSSTATE]] = {State.HEARTBEATING: MQCHSSTATE.HEARTBEATING}

    def __init__(self, parameters: ClientParameters, now: float) -> None:
        writer = SegmentWriter("big", parameters.ccsid)
        super().__init__(Wire(writer, SegmentReader()), State.NEGOTIATING, now)
        self.parameters = parameters
        self.agreed: Agreed | None = None
        """What both ends go by; None until then."""
        self.conversation = ConversationState.STARTED
        self.capabilities = 0
        """CapFlag of the reply to MQCONN."""
        self.call: Call | None = None
        """The call that waits for its reply."""
        self.waits_for_status = False
        self._ids: tuple[int, int] | None = None
        self._offer = first_offer(parameters)
        self._rounds = 0
        self._size = parameters.transmission_size
        self._deadline = now + parameters.handshake_timeout
        self._state_values()

    def _state_values(self) -> None:
        body = self._offer.build(self.wire.writer)
        self._send_segment(SegmentType.INITIAL_DATA, body, requests.CONFIRM)

    def _send_segment(self, kind: SegmentType, body: bytes, flags: int = WHOLE, *, request: int = 0) -> None:
        """Queue a segment of the conversation, filled up where it is shared."""
        writer = self.wire.writer
        if self._ids is None:
            segment = writer.build(kind, body, flags1=flags)
        else:
            filling = bytes(-len(body) % _SEGMENT_ENDS)
            segment = writer.build_shared(self._ids[0], request, kind, body, filling, flags1=flags)
        self.wire.queue((segment,), len(segment))

    # Negotiation

    def _initial_data(self, segment: Segment, now: float) -> None:
        self._step(Trigger.VALUES_CHANGED)  # only while negotiating
        theirs = read_proposal(segment)
        self._rounds += 1
        writer = self.wire.writer
        if segment.order != writer.order or segment.ccsid != writer.ccsid:
            self.wire.writer = SegmentWriter(segment.order, segment.ccsid)
        self._offer = next_offer(self._offer, theirs)
        agreed = result(self._offer.proposal)
        self._ids = (inferred.FIRST_CONVERSATION, 0) if agreed.shared else None
        if not segment.flags1 & _ERROR:
            self._sign_on(agreed, now)
        elif self._rounds >= inferred.MAX_NEGOTIATION_ROUNDS:
            raise ChannelError(
                f"no agreement after {self._rounds} rounds", StatusCode.NEGOTIATION_FAILED, amq="AMQ9503"
            )
        else:
            self._state_values()

    def _sign_on(self, agreed: Agreed, now: float) -> None:
        self.agreed = agreed
        self._size = agreed.transmission_size
        self._go(Trigger.AGREED)
        self.wire.reader.max_segment = agreed.transmission_size + inferred.SEGMENT_LENGTH_TOLERANCE
        parameters, writer = self.parameters, self.wire.writer
        self._send_segment(SegmentType.USERID_DATA, requests.user_data(parameters, agreed, writer))
        if parameters.password:
            self._send_segment(SegmentType.CONAUTH_INFO, requests.credentials(parameters, agreed, writer))
            self.waits_for_status = True
        else:
            self._connect(now)

    def _connect(self, now: float) -> None:
        assert self.agreed is not None
        self._go_on(ConversationTrigger.CONNECT)
        self._begin(SegmentType.MQCONN, 0, requests.connect(self.parameters, self.agreed, self.wire.writer), now=now)

    # STATUS_DATA

    def _status(self, segment: Segment, now: float) -> None:
        code, value = read_status(segment)
        flags = segment.flags1
        if self.waits_for_status and not flags & _ERROR:
            self.waits_for_status = False  # the password was taken, or will be judged with MQCONN (O-020)
            self._connect(now)
        elif flags & (ControlFlags1.CLOSE_CHANNEL | _ERROR) or code:
            self._told(code, value)

    def _told(self, code: StatusCode, value: int | None) -> None:
        raise NotImplementedError

    # Calls

    def _go_on(self, trigger: ConversationTrigger) -> None:
        following = CONVERSATION[self.conversation].get(trigger)
        if following is None:
            raise LocalProtocolError(f"{trigger.value!r} is not possible: {self.conversation.value}")
        self.conversation = following

    def _begin(
        self, kind: SegmentType, handle: int, *pieces: bytes, now: float, more: int = 0, comp_code: int = 0
    ) -> Call:
        """Send a call. ``more``: bytes that its reply may have beyond those of the call."""
        if self.call is not None:
            raise LocalProtocolError("another call waits for its reply")
        call = Call(kind, handle, now)
        writer, ids = self.wire.writer, self._ids
        length = API.size + sum(map(len, pieces))
        total = header_size(ids) + length
        api = API.codec(writer.order)(reply_length=total + more, comp_code=comp_code, object_handle=handle).build()
        if total > self._size:
            self.wire.queue_split(SplitReply(writer, ids, kind, (api, *pieces), length, size=self._size))
        else:
            filling = bytes(min(-length % _SEGMENT_ENDS, self._size - total)) if ids else b""
            header = writer.header(kind, length + len(filling), flags1=WHOLE, ids=ids)
            self.wire.queue((header, api, *pieces, filling), total + len(filling))
        self.call = call
        if kind != SegmentType.MQCONN:  # which belongs to the handshake, and has its time
            self._deadline = now + self.parameters.reply_timeout
        return call

    def _offered(self) -> Offer:
        return self._offer


def read_api(body: Any, order: Any) -> Any:
    """API header of a reply. Raises ``StructureError``."""
    return API.codec(order).parse(body)
