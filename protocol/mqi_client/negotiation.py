"""Negotiation of a client connection at the client (client-observed.md O-001 to O-006, O-012).

The client begins. It adopts from the queue manager's answer byte order, CCSID, level, sizes, heartbeat interval,
conversations and identifier. An answer marked as an error is repeated with those values; one that is not ends the
negotiation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import PASSWORD_LEVEL
from mqbridge.protocol.channel.negotiation import combine
from mqbridge.protocol.channel.parameters import MAX_TRANSMISSION_SIZE
from mqbridge.protocol.channel.proposal import Proposal
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import CapFlags1, CapFlags2, CapFlags3, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.mqi.negotiation import shared_conversations
from mqbridge.protocol.structures import ID, Body
from mqbridge.protocol.text import encode_field

from .parameters import ClientParameters

_CAPABILITIES_1: Final = int(CapFlags1.MQREQUEST | CapFlags1.SPLIT_MESSAGE | CapFlags1.CONVERSION_CAPABLE)
_CAPABILITIES_2: Final = int(CapFlags2.DIST_LIST_CAPABLE | CapFlags2.XAREQUEST | CapFlags2.SPIREQUEST)
_CAPABILITIES_3: Final = int(CapFlags3.GEN_CONNTAG_CAP)
_COMPRESSING_LEVEL: Final = 8
_SIZES: Final = ((13, 240), (10, 208), (9, 160), (0, 128))
"""Length of a client's INITIAL_DATA by the lowest level that has it (client-observed.md 1.1)."""
_FIRST_QM_ID: Final = "CANNED_DATA"


@dataclass(slots=True)
class Offer:
    """The contents of our next INITIAL_DATA."""

    proposal: Proposal
    """The values to state."""
    parameters: ClientParameters
    """The parameters of the connection."""

    def build(self, writer: SegmentWriter) -> bytes:
        """Build the body in the writer's byte order and CCSID. Raises ``ConversionError`` for a name that cannot be
        encoded."""
        proposal, given, ccsid = self.proposal, self.parameters, writer.ccsid
        size = next(size for level, size in _SIZES if proposal.fap_level >= level)
        algorithms = (*proposal.password_algorithms, *(0xFFFF,) * (10 - len(proposal.password_algorithms)))
        record = ID.codec(writer.order)(
            fap_level=proposal.fap_level,
            cap_flags1=proposal.cap1,
            max_transmission_size=proposal.transmission_size,
            max_message_size=proposal.message_length,
            channel_name=encode_field(proposal.channel_name, 20, ccsid),
            cap_flags2=proposal.cap2,
            ccsid=ccsid,
            q_mgr_name=encode_field(proposal.queue_manager, 48, ccsid),
            heartbeat_interval=proposal.heartbeat_interval,
            efl_length=inferred.CLIENT_EFL_LENGTH if proposal.fap_level >= _COMPRESSING_LEVEL else 0,
            conv_per_socket=proposal.conversations,
            cap_flags3=proposal.cap3,
            process_id=given.process_id,
            thread_id=1,
            trace_id=1,
            product_id=encode_field(proposal.product_id, 12, ccsid),
            q_mgr_identifier=encode_field(proposal.queue_manager_id, 48, ccsid),
            pal=b"".join(number.to_bytes(2, writer.order.endian) for number in algorithms),
            r=given.nonce,
        )
        return Body(record, size).build()


def first_offer(parameters: ClientParameters) -> Offer:
    """Return our first INITIAL_DATA."""
    level = parameters.highest_level
    proposal = Proposal(
        fap_level=level,
        cap1=_CAPABILITIES_1,
        cap2=_CAPABILITIES_2,
        cap3=_CAPABILITIES_3,
        batch_size=0,
        transmission_size=min(parameters.transmission_size, MAX_TRANSMISSION_SIZE),
        message_length=parameters.max_message_length,
        sequence_wrap=0,
        heartbeat_interval=parameters.heartbeat_interval,
        channel_name=parameters.channel_name,
        queue_manager=parameters.queue_manager,
        ccsid=parameters.ccsid,
        product_id=parameters.product_id,
        queue_manager_id=_FIRST_QM_ID,
        conversations=max(0, parameters.shared_conversations),
        password_algorithms=_algorithms(parameters, level),
        nonce=parameters.nonce,
    )
    return Offer(proposal, parameters)


def _algorithms(parameters: ClientParameters, level: int) -> tuple[int, ...]:
    if level < PASSWORD_LEVEL:
        return ()
    return (0,) if parameters.secured else inferred.CLIENT_PASSWORD_ALGORITHMS


def next_offer(offer: Offer, theirs: Proposal) -> Offer:
    """Return the INITIAL_DATA that follows an answer. Raises ``ChannelError`` if no agreement is possible."""
    own = offer.proposal
    agreed = combine(own, replace(theirs, sequence_wrap=own.sequence_wrap))
    if agreed.message_length > own.message_length or not agreed.message_length:
        raise ChannelError("a message length that was not offered", StatusCode.NEGOTIATION_FAILED, amq="AMQ9503")
    adopted = replace(
        agreed,
        cap1=agreed.cap1 & ~theirs.refused1,
        cap2=agreed.cap2 & ~theirs.refused2,
        cap3=agreed.cap3 & ~theirs.refused3,
        heartbeat_interval=theirs.heartbeat_interval,
        conversations=shared_conversations(own, theirs, agreed.fap_level),
        queue_manager_id=theirs.queue_manager_id,
        password_algorithms=_algorithms(offer.parameters, agreed.fap_level),
    )
    return Offer(adopted, offer.parameters)
