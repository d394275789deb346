"""Refusals of Everyplace as reason codes of MQ, for the MQDLH of a message that cannot be delivered (E-423)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

_REASONS: Final = {
    Code.Q_UNKNOWN: MQRC.UNKNOWN_OBJECT_NAME,
    Code.CON_UNKNOWN: MQRC.UNKNOWN_REMOTE_Q_MGR,
    Code.ALIAS_CYCLE: MQRC.ALIAS_BASE_Q_TYPE_ERROR,
    Code.Q_FULL: MQRC.Q_FULL,
    Code.TOO_LONG: MQRC.MSG_TOO_BIG_FOR_Q,
    Code.NOT_ALLOWED: MQRC.NOT_AUTHORIZED,
    Code.EXPIRED: MQRC.EXPIRY_ERROR,
}


def reason_of(error: EveryplaceError) -> int:
    """Return the reason code of a refusal."""
    return int(_REASONS.get(error.code, MQRC.UNEXPECTED_ERROR))
