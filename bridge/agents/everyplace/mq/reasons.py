"""Reason codes of MQ as codes of Everyplace: what may go away by itself, and what does not."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.everyplace.mq.program import MqFailure
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code

OUTAGE: Final = frozenset(
    map(
        int,
        (
            MQRC.CONNECTION_BROKEN, MQRC.Q_MGR_NOT_AVAILABLE, MQRC.HOST_NOT_AVAILABLE, MQRC.Q_MGR_QUIESCING,
            MQRC.Q_MGR_STOPPING, MQRC.CONNECTION_QUIESCING, MQRC.CONNECTION_STOPPING, MQRC.CHANNEL_NOT_AVAILABLE,
            MQRC.MAX_CONNS_LIMIT_REACHED, MQRC.HCONN_ERROR, MQRC.STANDBY_Q_MGR, MQRC.CHANNEL_CONFIG_ERROR,
            MQRC.UNKNOWN_CHANNEL_NAME, MQRC.JSSE_ERROR, MQRC.SSL_INITIALIZATION_ERROR, MQRC.KEY_REPOSITORY_ERROR,
            MQRC.SSL_PEER_NAME_MISMATCH, MQRC.SSL_PEER_NAME_ERROR, MQRC.UNSUPPORTED_CIPHER_SUITE,
            MQRC.SSL_CERTIFICATE_REVOKED,
        ),
    )
)  # fmt: skip
"""The queue manager cannot be used now, or TLS does not let us."""
TEMPORARY: Final = OUTAGE | frozenset(
    map(
        int,
        (
            MQRC.Q_FULL, MQRC.PUT_INHIBITED, MQRC.Q_SPACE_NOT_AVAILABLE, MQRC.STORAGE_NOT_AVAILABLE,
            MQRC.RESOURCE_PROBLEM, MQRC.OBJECT_IN_USE, MQRC.SYNCPOINT_LIMIT_REACHED, MQRC.GET_INHIBITED,
            MQRC.STORAGE_MEDIUM_FULL, MQRC.BACKED_OUT, MQRC.OBJECT_CHANGED,
        ),
    )
)  # fmt: skip
"""The same message may be taken later."""


def refused(failure: MqFailure, where: str) -> Refused:
    """Return why a call on a queue is refused. ``where``: the queue, for the text."""
    code = Code.BRIDGE_MQ_REFUSED
    if failure.reason in OUTAGE:
        code = Code.BRIDGE_MQ_UNAVAILABLE
    elif failure.reason == MQRC.NO_MSG_AVAILABLE:
        code = Code.Q_NO_MATCHING_MSG
    elif failure.reason == MQRC.Q_FULL:
        code = Code.Q_FULL
    detail = f": {failure.text}" if failure.text else ""
    return Refused(code, f"{where}: MQ says {failure.reason}{detail}")


def may_pass(failure: MqFailure) -> bool:
    """Whether the same call may succeed later, without anything being done about it."""
    return failure.reason in TEMPORARY
