"""With which reason code a client's connection ends (client-observed.md O-021, O-031, O-033)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQRC, StatusCode

_REASONS: Final[dict[int, MQRC]] = {
    0x01: MQRC.UNKNOWN_CHANNEL_NAME,
    **dict.fromkeys((0x02, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x10, 0x12), MQRC.CHANNEL_CONFIG_ERROR),
    **dict.fromkeys((0x16, 0x17), MQRC.CHANNEL_NOT_AVAILABLE),
    **dict.fromkeys((0x18, 0x19, 0x1C), MQRC.JSSE_ERROR),
    0x20: MQRC.STANDBY_Q_MGR,
}


def reason_for(status: StatusCode | int | None, *, connected: bool) -> MQRC:
    """What a program learns when its connection ended with a STATUS_DATA of this code, or without any (None)."""
    if connected or status is None:
        return MQRC.CONNECTION_BROKEN
    return _REASONS.get(int(status), MQRC.Q_MGR_NOT_AVAILABLE)
