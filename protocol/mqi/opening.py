"""The beginning of a client connection: negotiation, and identification of the user (client-observed.md 1 and 2)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import PASSWORD_LEVEL, longest_segment
from mqbridge.protocol.channel.link import Link, read_body
from mqbridge.protocol.channel.proposal import Proposal, read_proposal
from mqbridge.protocol.channel.states import Trigger
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.segment import SHARED_HEADERS
from mqbridge.protocol.structures import initial_data_size, parse_conauth, parse_userid
from mqbridge.protocol.text import decode_field, decode_text

from .conversation import ServerConversations
from .events import CredentialsGiven, Event, Started, UserIdentified
from .negotiation import answer, own_proposal, result
from .parameters import Passwords, ServerParameters
from .states import ConversationTrigger

_SHARED_CONNECTION: Final = frozenset({b"TSH ", b"TSHC", b"TSHM"})
"""Structure ids with which segments may begin on a shared connection."""


class ServerOpening:
    """Negotiation at the server: one round if nothing differs, two otherwise.

    ``writer``: builds the answer to the first INITIAL_DATA, in the client's numeric encoding.
    """

    __slots__ = ("_conversations", "_link", "_own", "_rounds", "_writer")

    def __init__(
        self, link: Link[Event], conversations: ServerConversations, parameters: ServerParameters, writer: SegmentWriter
    ) -> None:
        self._link = link
        self._conversations = conversations
        self._own = own_proposal(parameters)
        self._writer = writer
        self._rounds = 0

    def initial_data(self, segment: Segment, now: float) -> None:
        """Handle INITIAL_DATA: the client repeats our values."""
        self._link.step(Trigger.VALUES_CHANGED)  # only while negotiating
        shared = segment.struc_id in SHARED_HEADERS
        self.negotiate(read_proposal(segment), segment.conversation_id if shared else None)

    def negotiate(self, theirs: Proposal, conversation: int | None) -> None:
        """Answer a client's proposal. ``conversation``: id of its TSHM; None for a TSH.

        Raises ``ChannelError`` if no agreement is possible.
        """
        self._rounds += 1
        stated, done = answer(self._own, theirs)
        wire = self._link.wire
        body = stated.build(wire.writer, initial_data_size(stated.fap_level))
        flags = 0 if done else int(inferred.NEGOTIATION_ERROR_FLAGS)
        if conversation is None:
            segment = self._writer.build(SegmentType.INITIAL_DATA, body, flags1=flags)
        else:
            segment = wire.writer.build_shared(conversation, 0, SegmentType.INITIAL_DATA, body, flags1=flags)
        wire.queue((segment,), len(segment))
        if done:
            self._begin(stated, conversation, theirs.product_id)
        elif self._rounds >= inferred.MAX_NEGOTIATION_ROUNDS:
            raise ChannelError(
                f"no agreement after {self._rounds} rounds",
                StatusCode.NEGOTIATION_FAILED,
                amq="AMQ9503",
                retryable=False,
            )

    def _begin(self, stated: Proposal, conversation: int | None, product: str) -> None:
        link, agreed = self._link, result(stated)
        self._conversations.agreed = agreed
        link.go(Trigger.AGREED)
        link.shared = agreed.shared
        if agreed.shared:
            link.headers = _SHARED_CONNECTION
        link.wire.reader.max_segment = longest_segment(agreed.transmission_size)
        self._conversations.start((conversation or inferred.FIRST_CONVERSATION) if agreed.shared else 0)
        link.emit(Started(channel_name=self._own.channel_name, product=product, agreed=agreed))


class Identification:
    """Identification of a conversation's user before its MQCONN: USERID_DATA and CONAUTH_INFO."""

    __slots__ = ("_conversations", "_link", "passwords")

    def __init__(self, link: Link[Event], conversations: ServerConversations, passwords: Passwords) -> None:
        self._link = link
        self._conversations = conversations
        self.passwords = passwords

    def user_id(self, segment: Segment, now: float) -> None:
        """Handle USERID_DATA, which has no answer."""
        conversation = self._conversations.stepping(segment, ConversationTrigger.SIGN_ON)
        ccsid = segment.ccsid
        uid = read_body(parse_userid, segment)
        record = uid.record
        name = decode_field(record.long_user_id, ccsid) if uid.has("long_user_id") else ""
        security_id = record.security_id[: max(0, record.sid_length - 1)] if uid.has("security_id") else b""
        self._link.emit(
            UserIdentified(
                conversation=conversation.id,
                user=name or decode_field(record.user_id, ccsid),
                password=decode_field(record.password, ccsid),
                security_id=security_id,
            )
        )

    def credentials(self, segment: Segment, now: float) -> None:
        """Handle CONAUTH_INFO: acknowledge it; it is checked at MQCONN (client-observed.md O-020)."""
        conversation = self._conversations.stepping(segment, ConversationTrigger.SIGN_ON)
        caut = read_body(parse_conauth, segment)
        agreed = self._conversations.agreed
        assert agreed is not None
        self._link.emit(
            CredentialsGiven(
                conversation=conversation.id,
                auth_type=caut.auth_type,
                user=decode_text(caut.user_id, segment.ccsid, errors="replace"),
                password=caut.password,
                ccsid=segment.ccsid,
                protected=self.passwords is Passwords.PROTECTED and agreed.fap_level >= PASSWORD_LEVEL,
            )
        )
        flags = int(ControlFlags1.REQUEST_ACCEPTED)
        self._conversations.send(conversation.id, segment.request_id, SegmentType.STATUS_DATA, flags=flags)

    def security_data(self, segment: Segment, now: float) -> None:
        """Handle SECURITY_DATA: we have no security exit. Raises ``ChannelError``."""
        raise ChannelError(
            "a security exit of the client wants an answer",
            StatusCode.SECURITY_FAILURE,
            amq="AMQ9552",
            retryable=False,
        )
