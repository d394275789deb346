"""How a client's connection begins: negotiation, and who signs on (client-observed.md 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.proposal import Proposal, read_proposal
from mqbridge.protocol.channel.silence import receive_timeout
from mqbridge.protocol.channel.states import State, Table, Trigger
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.channel.wire import Wire
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.structures import initial_data_size, parse_conauth, parse_userid
from mqbridge.protocol.text import decode_field, decode_text

from .conversation import Conversation
from .events import CredentialsGiven, Started, UserIdentified
from .negotiation import answer, own_proposal, result
from .parameters import Agreed, Passwords, ServerParameters
from .replies import Replies
from .states import CONNECTION, ConversationTrigger

_SHARED_HEADERS: Final = frozenset({b"TSHM", b"\xe3\xe2\xc8\xd4"})
_COMPRESSED: Final = 0x07
_PROTECTED_LEVEL: Final = 13


class Opening(Replies):
    """A server connection until its first call."""

    __slots__ = ("_own", "_quiesce_status", "_rounds", "_sent_mark", "_silence_limit", "parameters")

    TABLE: ClassVar[Table] = CONNECTION
    STATUS: ClassVar[Mapping[State, MQCHS]] = {
        State.NEGOTIATING: MQCHS.BINDING,
        State.RUNNING: MQCHS.RUNNING,
        State.HEARTBEATING: MQCHS.RUNNING,
        State.CLOSED: MQCHS.INACTIVE,
    }
    SUBSTATE: ClassVar[Mapping[State, MQCHSSTATE]] = {
        State.NEGOTIATING: MQCHSSTATE.RECEIVING,
        State.RUNNING: MQCHSSTATE.RECEIVING,
        State.HEARTBEATING: MQCHSSTATE.HEARTBEATING,
    }

    def __init__(self, wire: Wire, proposal: Proposal, parameters: ServerParameters, now: float) -> None:
        super().__init__(wire, State.NEGOTIATING, now)
        self.parameters = parameters
        self.agreed: Agreed | None = None
        """What both ends go by; None before :class:`Started`."""
        self._conversations: dict[int, Conversation] = {}
        self._own = own_proposal(parameters)
        self._rounds = 0
        self._connected = False
        self._quiesce_status = StatusCode.USER_CLOSED
        self._silence_limit: float | None = None
        self._sent_mark = 0
        order: ByteOrder = "big" if parameters.big_endian else "little"
        wire.writer = SegmentWriter(order, parameters.ccsid)
        encoding = proposal.encoding if inferred.CLIENT_ENCODING_REPEATED else None
        self._reply_writer = SegmentWriter(order, parameters.ccsid, encoding)
        self._guard(self._negotiate, proposal, None)

    @property
    def conversations(self) -> tuple[int, ...]:
        """Ids of the conversations that there are (CURSHCNV counts them); 0 is that of one that is not shared."""
        return tuple(self._conversations)

    @property
    def closing(self) -> bool:
        """Whether an end was asked for that waits for the client."""
        return self._closing and not self.closed

    # INITIAL_DATA

    def _initial_data(self, segment: Segment, now: float) -> None:
        del now
        self._step(Trigger.VALUES_CHANGED)  # only while negotiating
        shared = segment.struc_id in _SHARED_HEADERS
        self._negotiate(read_proposal(segment), segment.conversation_id if shared else None)

    def _negotiate(self, theirs: Proposal, conversation: int | None) -> None:
        self._rounds += 1
        told, done = answer(self._own, theirs)
        writer = self.wire.writer
        body = told.build(writer, initial_data_size(told.fap_level))
        flags = 0 if done else int(inferred.NEGOTIATION_ERROR_FLAGS)
        if conversation is None:
            segment = self._reply_writer.build(SegmentType.INITIAL_DATA, body, flags1=flags)
        else:
            segment = writer.build_shared(conversation, 0, SegmentType.INITIAL_DATA, body, flags1=flags)
        self.wire.queue((segment,), len(segment))
        if done:
            self._begin(result(told), conversation, theirs.product_id)
        elif self._rounds >= inferred.MAX_NEGOTIATION_ROUNDS:
            raise ChannelError(
                f"no agreement after {self._rounds} rounds",
                StatusCode.NEGOTIATION_FAILED,
                amq="AMQ9503",
                retryable=False,
            )

    def _begin(self, agreed: Agreed, conversation: int | None, product: str) -> None:
        self.agreed = agreed
        self._go(Trigger.AGREED)
        self._silence_limit = receive_timeout(agreed.heartbeat_interval)
        self.wire.reader.max_segment = agreed.transmission_size + inferred.SEGMENT_LENGTH_TOLERANCE
        first = (conversation or inferred.FIRST_CONVERSATION) if agreed.shared else 0
        self._conversations[first] = Conversation(first, shared=agreed.shared)
        self._emit(Started(channel_name=self.parameters.channel_name, product=product, agreed=agreed))

    # Segments

    def _take_segments(self, data: bytes, now: float) -> None:
        if self.state is State.HEARTBEATING:
            self._go(Trigger.HEARTBEAT_ANSWERED)
        super()._take_segments(data, now)

    def _check_header(self, segment: Segment) -> None:
        if segment.flags2 & _COMPRESSED:
            raise ChannelError("a compressed segment, not agreed", StatusCode.PROTOCOL_SEGMENT_ERROR)
        if self.state is State.NEGOTIATING:
            return
        shared = self.agreed is not None and self.agreed.shared
        if segment.struc_id in _SHARED_HEADERS and not shared:
            raise ChannelError(f"{segment.header.name} on a connection not shared", StatusCode.PROTOCOL_ID_ERROR)

    def _conversation_of(self, segment: Segment) -> Conversation:
        """The conversation that a segment names. Raises ``ChannelError`` when there is none."""
        if self.agreed is None:
            raise ChannelError(f"{SegmentType(segment.type)} before an agreement", StatusCode.PROTOCOL_SEGMENT_ERROR)
        if self.agreed.shared and segment.struc_id not in _SHARED_HEADERS:
            raise ChannelError(f"{SegmentType(segment.type)} without conversation", StatusCode.PROTOCOL_ID_ERROR)
        conversation = self._conversations.get(segment.conversation_id)
        if conversation is None:
            raise ChannelError(f"no conversation {segment.conversation_id}", StatusCode.CONV_ID_ERROR)
        return conversation

    # Who signs on

    def _user_id(self, segment: Segment, now: float) -> None:
        del now
        conversation = self._signing_on(segment)
        ccsid = segment.ccsid
        uid = read_body(parse_userid, segment)
        name = decode_field(uid.long_user_id, ccsid) if uid.has("long_user_id") else ""
        security_id = uid.security_id[: max(0, uid.sid_length - 1)] if uid.has("security_id") else b""
        self._emit(
            UserIdentified(
                conversation=conversation.id,
                user=name or decode_field(uid.user_id, ccsid),
                password=decode_field(uid.password, ccsid),
                security_id=security_id,
            )
        )

    def _credentials(self, segment: Segment, now: float) -> None:
        del now
        conversation = self._signing_on(segment)
        caut = read_body(parse_conauth, segment)
        assert self.agreed is not None
        protected = self.parameters.passwords is Passwords.PROTECTED and self.agreed.fap_level >= _PROTECTED_LEVEL
        self._emit(
            CredentialsGiven(
                conversation=conversation.id,
                auth_type=caut.auth_type,
                user=decode_text(caut.user_id, segment.ccsid, errors="replace"),
                password=caut.password,
                ccsid=segment.ccsid,
                protected=protected,
            )
        )
        flags = int(ControlFlags1.REQUEST_ACCEPTED)
        if conversation.shared:
            reply = self.wire.writer.build_shared(
                conversation.id, segment.request_id, SegmentType.STATUS_DATA, flags1=flags
            )
        else:
            reply = self.wire.writer.build(SegmentType.STATUS_DATA, flags1=flags)
        self.wire.queue((reply,), len(reply))

    def _signing_on(self, segment: Segment) -> Conversation:
        conversation = self._conversation_of(segment)
        if not conversation.step(ConversationTrigger.SIGN_ON):
            raise ChannelError(
                f"{SegmentType(segment.type)} in a conversation that is {conversation.state.value}",
                StatusCode.PROTOCOL_SEGMENT_ERROR,
            )
        return conversation


def read_body(read: Callable[..., Any], segment: Segment) -> Any:
    """Read the body of a segment. Raises ``ChannelError`` where it is malformed."""
    try:
        return read(segment.body_view, segment.order)
    except StructureError as error:
        raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
