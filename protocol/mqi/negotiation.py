"""Negotiation with a client: one round if nothing differs, two otherwise (client-observed.md O-001 to O-006, O-012).

A client adopts byte order, CCSID, level, sizes, heartbeat interval and conversations of the first answer, and then
repeats them. An answer without ERROR ends the negotiation, and the client then adopts few of its values (O-003a); so
any difference is marked as an error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mqbridge.protocol import inferred
from mqbridge.protocol.channel.agreement import PASSWORD_LEVEL, SHARING_LEVEL
from mqbridge.protocol.channel.negotiation import combine, differences
from mqbridge.protocol.channel.parameters import MAX_TRANSMISSION_SIZE
from mqbridge.protocol.channel.proposal import Proposal
from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import CapFlags1, CapFlags2, CapFlags3, StatusCode

from .parameters import MAX_CONVERSATIONS, ClientNegotiated, Passwords, ServerParameters

_OWN_CAPABILITIES_1: Final = int(CapFlags1.MQREQUEST | CapFlags1.SPLIT_MESSAGE | CapFlags1.CONVERSION_CAPABLE)
_OWN_CAPABILITIES_2: Final = int(CapFlags2.DIST_LIST_CAPABLE | CapFlags2.XAREQUEST | CapFlags2.SPIREQUEST)
_OWN_CAPABILITIES_3: Final = int(CapFlags3.GEN_CONNTAG_CAP)


ALGORITHMS: Final = {Passwords.PROTECTED: (1, 0), Passwords.INSIDE_TLS: (0,), Passwords.CLEAR: ()}
"""PAL by how passwords may be sent."""


def own_proposal(parameters: ServerParameters) -> Proposal:
    """Return the proposal of a SVRCONN definition."""
    level = min(parameters.fap_level, inferred.HIGHEST_CLIENT_FAP_LEVEL)
    if parameters.passwords is Passwords.CLEAR:
        level = min(level, inferred.CLEAR_PASSWORD_FAP_LEVEL)
    return Proposal(
        fap_level=level,
        cap1=_OWN_CAPABILITIES_1,
        cap2=_OWN_CAPABILITIES_2,
        cap3=_OWN_CAPABILITIES_3,
        batch_size=0,
        transmission_size=min(parameters.transmission_size, MAX_TRANSMISSION_SIZE),
        message_length=parameters.message_limit,
        sequence_wrap=0,
        heartbeat_interval=parameters.heartbeat_interval,
        channel_name=parameters.channel_name,
        queue_manager=parameters.queue_manager,
        ccsid=parameters.ccsid,
        product_id=parameters.product_id,
        queue_manager_id=parameters.queue_manager_id,
        conversations=min(parameters.shared_conversations, MAX_CONVERSATIONS),
        password_algorithms=ALGORITHMS[parameters.passwords],
        nonce=parameters.nonce,
    )


def answer(own: Proposal, theirs: Proposal) -> tuple[Proposal, bool]:
    """Return our answer to a client's INITIAL_DATA, and whether that is agreement (no ERROR in the answer).

    Raises ``ChannelError`` if no agreement is possible.
    """
    if theirs.channel_name != own.channel_name:
        raise ChannelError(
            f"channel {theirs.channel_name!r} instead of {own.channel_name!r}",
            StatusCode.NEGOTIATION_FAILED,
            amq="AMQ9503",
            retryable=False,
        )
    level = min(own.fap_level, inferred.highest_level_of(theirs.length))
    agreed = combine(replace(own, fap_level=level, sequence_wrap=theirs.sequence_wrap), theirs)
    conversations = shared_conversations(own, theirs, agreed.fap_level)
    algorithms = own.password_algorithms if agreed.fap_level >= PASSWORD_LEVEL else ()
    agreed = replace(agreed, batch_size=0, conversations=conversations, password_algorithms=algorithms)
    stated = replace(
        differences(theirs, agreed), refused2=theirs.cap2 & ~agreed.cap2, refused3=theirs.cap3 & ~agreed.cap3
    )
    changed = stated.changed1 or stated.changed2 or stated.refused2 or stated.refused3
    return stated, not changed and conversations == max(0, theirs.conversations)


def shared_conversations(own: Proposal, theirs: Proposal, level: int) -> int:
    """Return how many conversations may share the connection at an agreed level; 0 if either end cannot share."""
    return max(0, min(own.conversations, theirs.conversations)) if level >= SHARING_LEVEL else 0


def result(agreed: Proposal) -> ClientNegotiated:
    """Return the negotiated values, for either end."""
    return ClientNegotiated(
        fap_level=agreed.fap_level,
        transmission_size=agreed.transmission_size,
        max_message_length=agreed.message_length,
        heartbeat_interval=agreed.heartbeat_interval,
        conversations=agreed.conversations,
    )
