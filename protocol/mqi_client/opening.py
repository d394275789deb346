"""The beginning of a client connection at the client: negotiation, identification, MQCONN (client-observed.md 1 and
2)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import longest_segment
from mqbridge.protocol.channel.link import Link, read_status
from mqbridge.protocol.channel.proposal import read_proposal
from mqbridge.protocol.channel.states import Trigger
from mqbridge.protocol.channel.status import ChannelError, meaning_of
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.framing import Segment, SegmentWriter
from mqbridge.protocol.mqi.negotiation import result
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.mqi.states import ConversationTrigger
from mqbridge.protocol.structures import CONN
from mqbridge.protocol.text import decode_field

from . import requests
from .call import Call
from .conversation import ClientConversation
from .events import Connected, Refused
from .exchange import Exchange
from .negotiation import first_offer, next_offer
from .parameters import ClientParameters

_ERROR: Final = int(ControlFlags1.ERROR)
_END: Final = int(ControlFlags1.ERROR | ControlFlags1.CLOSE_CHANNEL)
_CONNECTION_ID_AT: Final = 12
_CONNECTION_ID: Final = 24


class ClientOpening:
    """The steps up to the reply to MQCONN."""

    __slots__ = ("_conversation", "_exchange", "_link", "_offer", "_parameters", "_rounds", "_waits_for_status")

    def __init__(
        self, link: Link[Any], conversation: ClientConversation, exchange: Exchange, parameters: ClientParameters
    ) -> None:
        self._link = link
        self._conversation = conversation
        self._exchange = exchange
        self._parameters = parameters
        self._offer = first_offer(parameters)
        self._rounds = 0
        self._waits_for_status = False

    # Negotiation

    def state_values(self) -> None:
        """Send INITIAL_DATA with our current values."""
        body = self._offer.build(self._link.wire.writer)
        self._conversation.send(SegmentType.INITIAL_DATA, body, requests.CONFIRM)

    def initial_data(self, segment: Segment, now: float) -> None:
        """Handle INITIAL_DATA: adopt the queue manager's values, and repeat them or connect."""
        link, wire = self._link, self._link.wire
        link.step(Trigger.VALUES_CHANGED)  # only while negotiating
        theirs = read_proposal(segment)
        self._rounds += 1
        if segment.order != wire.writer.order or segment.ccsid != wire.writer.ccsid:
            wire.writer = SegmentWriter(segment.order, segment.ccsid)
        self._offer = next_offer(self._offer, theirs)
        agreed = result(self._offer.proposal)
        self._conversation.ids = (inferred.FIRST_CONVERSATION, 0) if agreed.shared else None
        if not segment.flags1 & _ERROR:
            self._sign_on(agreed, now)
        elif self._rounds >= inferred.MAX_NEGOTIATION_ROUNDS:
            raise ChannelError(
                f"no agreement after {self._rounds} rounds", StatusCode.NEGOTIATION_FAILED, amq="AMQ9503"
            )
        else:
            self.state_values()

    # Identification

    def _sign_on(self, agreed: ClientNegotiated, now: float) -> None:
        link, conversation, parameters = self._link, self._conversation, self._parameters
        conversation.agree(agreed)
        link.go(Trigger.AGREED)
        link.wire.reader.max_segment = longest_segment(agreed.transmission_size)
        writer = link.wire.writer
        conversation.send(SegmentType.USERID_DATA, requests.user_data(parameters, agreed, writer))
        if parameters.password:
            conversation.send(SegmentType.CONAUTH_INFO, requests.credentials(parameters, agreed, writer))
            self._waits_for_status = True
        else:
            self._connect(agreed, now)

    def status_data(self, segment: Segment, now: float) -> None:
        """Handle STATUS_DATA: the password was received, or the queue manager ends the connection."""
        code, value = read_status(segment)
        agreed, flags = self._conversation.agreed, segment.flags1
        if self._waits_for_status and agreed is not None and not flags & _ERROR:
            self._waits_for_status = False  # the password was accepted, or will be checked with MQCONN (O-020)
            self._connect(agreed, now)
        elif flags & _END or code:
            meaning = meaning_of(code)
            self._link.finish(
                meaning.reason, meaning.amq, status=code, retryable=meaning.retryable, by_partner=True, value=value
            )

    # MQCONN

    def _connect(self, agreed: ClientNegotiated, now: float) -> None:
        self._conversation.go(ConversationTrigger.CONNECT)
        body = requests.connect(self._parameters, agreed, self._link.wire.writer)
        self._exchange.begin(SegmentType.MQCONN, 0, body, now=now)

    def connected(self, call: Call) -> None:
        """Handle the reply to MQCONN; emits :class:`Connected` or :class:`Refused`."""
        conversation, writer = self._conversation, self._link.wire.writer
        self._exchange.release(call)
        if call.failed:
            conversation.go(ConversationTrigger.REFUSED)
            self._link.emit(Refused(call.reason))
            conversation.leave()
            return
        conversation.go(ConversationTrigger.CONNECTED)
        assert conversation.agreed is not None
        body = call.structures
        try:
            name = decode_field(CONN.codec(call.order).parse(body).q_mgr_name, call.ccsid)
        except StructureError as error:
            raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error
        at = CONN.size + _CONNECTION_ID_AT
        if len(body) >= at + _CONNECTION_ID:
            conversation.connection_id = bytes(body[at : at + _CONNECTION_ID])
            conversation.capabilities = int.from_bytes(body[at - 4 : at], call.order.endian)
        self._link.emit(
            Connected(
                agreed=conversation.agreed,
                queue_manager=name,
                queue_manager_id=self._offer.proposal.queue_manager_id,
                connection_id=conversation.connection_id,
                order=writer.order,
                ccsid=writer.ccsid,
            )
        )
