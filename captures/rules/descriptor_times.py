"""Rules for the times in descriptors, judged in every message: PutDate, PutTime, Expiry (C-412, C-415)."""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.catalogue import rule
from mqbridge.captures.rules.finding import Deviation, Severity
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import MessageRoute, MessageSeen

_WHEN: Final = slice(304, 320)
_EXPIRY: Final = slice(16, 20)
_UNLIMITED: Final = b"\xff\xff\xff\xff"
_EMPTY: Final = frozenset(b"\x00 \x40")
_EBCDIC_DIGITS: Final = bytes.maketrans(bytes(range(0xF0, 0xFA)), b"0123456789")


@rule(
    "C-412",
    Severity.WARNING,
    "PutDate and PutTime are no time",
    spec="mq-wire.md 5.7",
    example="expected: 16 digits or blanks; seen: 2003xx28 01304759",
)
def put_time(seen: MessageSeen, connection: Observer) -> Deviation | None:
    """YYYYMMDD and HHMMSSTH, or blank."""
    raw = seen.message.descriptor[_WHEN]
    if raw.isdigit():
        return None
    digits = raw.translate(_EBCDIC_DIGITS) if raw[:1] >= b"\x80" or raw[8:9] >= b"\x80" else raw
    if all(half.isdigit() or _EMPTY.issuperset(half) for half in (digits[:8], digits[8:])):
        return None
    return Deviation("16 digits or blanks", raw.hex())


@rule(
    "C-415",
    Severity.ERROR,
    "Expiry that means nothing",
    spec="mqi.md 4.4",
    example="expected: tenths of a second from 1, or -1; seen: 0",
)
def expiry(seen: MessageSeen, connection: Observer) -> Deviation | None:
    """A queue manager refuses others (MQRC 2013)."""
    message = seen.message
    raw = message.descriptor[_EXPIRY]
    if raw == _UNLIMITED or message.course is not MessageRoute.CHANNEL:
        return None
    value = int.from_bytes(raw, message.order, signed=True)
    return None if value > 0 else Deviation("tenths of a second from 1, or -1", str(value))
