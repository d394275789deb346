"""Rules for message descriptors, of message channels and of clients: every field with a fixed meaning (C-401 to C-419).

A descriptor is judged once for each variety of its head (see ``DescriptorSeen``); PutDate, PutTime and Expiry, which
differ from message to message, are judged in every message.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.constants import MQAT, MQMF, MQMT, MQPER, MQRO, feedback_name
from mqbridge.protocol.layouts.md import Md1
from mqbridge.protocol.numbers import is_known_encoding
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import DescriptorSeen, MessageRoute, MessageSeen, ObservedMessage
from mqbridge.protocol.structures import MD, MD1
from mqbridge.protocol.structures.md import MDRecord
from mqbridge.protocol.text import CODECS, is_ebcdic

_SPEC: Final = "mq-wire.md 5.7"
_STRUC_IDS: Final = (b"MD  ", b"\xd4\xc4\x40\x40")
_REPORT_BITS: Final = reduce(or_, (int(bit) for bit in MQRO if not bit.name.endswith("_MASK"))) & 0xFFFFFFFF
_FLAG_BITS: Final = reduce(or_, (int(bit) for bit in MQMF if not bit.name.endswith("_MASK"))) & 0xFFFFFFFF
_SYSTEM_LAST: Final = 65535
_APPLICATION_LAST: Final = 999_999_999
_LEAST_CCSID: Final = -4
_HIGHEST_PRIORITY: Final = 9
_EMPTY: Final = frozenset(b"\x00 \x40")
_WHEN: Final = slice(304, 320)
_EXPIRY: Final = slice(16, 20)
_UNLIMITED: Final = b"\xff\xff\xff\xff"
_EBCDIC_DIGITS: Final = bytes.maketrans(bytes(range(0xF0, 0xFA)), b"0123456789")


_Judge = Callable[[MDRecord, ObservedMessage], Deviation | None]


def _descriptor_rule(number: str, severity: Severity, title: str, *, spec: str = _SPEC) -> Callable[[_Judge], _Judge]:
    """Enter a function of a descriptor and its message as a rule; not called for bytes that are no descriptor."""

    def enter(function: _Judge) -> _Judge:
        def judge(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
            message = seen.message
            raw = message.descriptor
            if len(raw) < MD1.size or raw[:4] not in _STRUC_IDS:
                return None
            record = (MD if len(raw) >= MD.size else MD1).codec(message.order).parse(raw)
            return function(record, message)

        judge.__doc__ = function.__doc__
        rule(number, severity, title, spec=spec)(judge)
        return function

    return enter


@rule("C-401", Severity.ERROR, "Message without a descriptor", spec=_SPEC)
def struc_id(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """StrucId, in ASCII or EBCDIC.

    expected: MD and two blanks; seen: 00000000
    """
    raw = seen.message.descriptor
    return None if raw[:4] in _STRUC_IDS else Deviation("MD and two blanks", raw[:4].hex() or "nothing")


@_descriptor_rule("C-402", Severity.ERROR, "Wrong version of a descriptor")
def version(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """On message channels the descriptor behind XQH has version 1; other fields travel in an MDE.

    expected: version 1 or 2; seen: 3
    """
    if message.course is MessageRoute.CHANNEL:
        return None if record.version == 1 else Deviation("version 1 behind XQH", str(record.version))
    return None if record.version in (1, 2) else Deviation("version 1 or 2", str(record.version))


@_descriptor_rule("C-403", Severity.WARNING, "Unknown report options", spec="mq-wire.md 9.5")
def report(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """Bits of REJECT_UNSUP_MASK make a queue manager refuse the message.

    expected: known bits of Report; seen: 0x10000000
    """
    unknown = record.report & ~_REPORT_BITS
    return Deviation("known bits of Report", f"0x{unknown:08X}") if unknown else None


@_descriptor_rule("C-404", Severity.ERROR, "Invalid message type", spec="mq-wire.md 9.4")
def message_type(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """REQUEST, REPLY, REPORT, DATAGRAM, or a type of an application.

    expected: a known type, or 65536 to 999999999; seen: 3
    """
    if MQMT(record.msg_type).known or _SYSTEM_LAST < record.msg_type <= _APPLICATION_LAST:
        return None
    return Deviation("a known type, or 65536 to 999999999", str(record.msg_type))


@_descriptor_rule("C-405", Severity.INFO, "Feedback without a name", spec="mq-wire.md 9.6")
def feedback(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """MQFB, a reason code, an IMS code, or a value of an application.

    expected: a known code, or 65536 to 999999999; seen: 4711
    """
    if not feedback_name(record.feedback).isdecimal():
        return None
    if _SYSTEM_LAST < record.feedback <= _APPLICATION_LAST or 300 <= record.feedback < 400:
        return None
    return Deviation("a known code, or 65536 to 999999999", str(record.feedback))


@_descriptor_rule("C-406", Severity.WARNING, "Invalid encoding of message data", spec="mq-wire.md 1.5")
def encoding(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """Integer, decimal and float nibble; other bits are reserved.

    expected: a known value in each of the three digits; seen: 0x777
    """
    value = record.encoding
    if value > 0xFFF or not is_known_encoding(value):
        return Deviation("a known value in each of the three digits", f"0x{value:X}")
    return None


@_descriptor_rule("C-407", Severity.WARNING, "CCSID of message data without a conversion", spec="mq-wire.md 1.5")
def ccsid(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """Special values from 0 to -4 refer to another CCSID.

    expected: a CCSID with a conversion; seen: 54321
    """
    value = record.coded_char_set_id
    if value in CODECS or is_ebcdic(value) or _LEAST_CCSID <= value <= 0:
        return None
    return Deviation("a CCSID with a conversion", str(value))


@_descriptor_rule("C-408", Severity.WARNING, "Invalid format name", spec="mq-wire.md 9.3")
def data_format(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """Trailing blanks and NULs are ignored.

    expected: up to eight printable characters; seen: 0001020304050607
    """
    ebcdic = bool(record.struc_id[0] & 0x80)
    text = record.format.decode("cp500" if ebcdic else "latin_1").rstrip("\0 ")
    return None if text.isprintable() else Deviation("up to eight printable characters", record.format.hex())


@_descriptor_rule("C-409", Severity.ERROR, "Invalid priority", spec="mqi.md 4.4")
def priority(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """-1: as the queue defines; in puts also -2 and -3, as the parent or the publication defines. A queue manager
    refuses other values (MQRC 2050).

    expected: priority 0 to 9, or -1; seen: -4
    """
    put = message.course is MessageRoute.PUT
    if record.priority >= (-3 if put else -1):
        return None
    return Deviation(f"priority 0 to {_HIGHEST_PRIORITY}, or -1{' to -3' if put else ''}", str(record.priority))


@_descriptor_rule("C-410", Severity.ERROR, "Invalid persistence", spec="mq-wire.md 9.4")
def persistence(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """2: as the queue defines. The sender of a channel should have replaced it, which is inferred and not judged.

    expected: persistence 0 or 1, or 2 in a put; seen: 5
    """
    known = (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT, MQPER.AS_Q_DEF)
    if record.persistence in known or record.persistence == 0xFFFFFFFF:
        return None
    return Deviation("persistence 0 or 1, or 2 in a put", str(record.persistence))


@_descriptor_rule("C-411", Severity.INFO, "Unknown application type", spec="mq-wire.md 9.12")
def application_type(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """MQAT, or a value of an application.

    expected: a known PutApplType, or 65536 to 999999999; seen: 77
    """
    if MQAT(record.put_appl_type).known:
        return None
    if _SYSTEM_LAST < record.put_appl_type <= _APPLICATION_LAST:
        return None
    return Deviation("a known PutApplType, or 65536 to 999999999", str(record.put_appl_type))


@_descriptor_rule("C-413", Severity.WARNING, "Request without a reply-to queue", spec="mq-wire.md 9.4")
def reply_queue(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """A queue manager refuses such puts (MQRC 2027).

    expected: ReplyToQ; seen: blanks
    """
    if record.msg_type != MQMT.REQUEST or not _EMPTY.issuperset(record.reply_to_q):
        return None
    return Deviation("ReplyToQ", "blanks")


@_descriptor_rule("C-414", Severity.WARNING, "Unknown message flags", spec="mq-wire.md 9.7")
def message_flags(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """Only descriptors of version 2 have them.

    expected: known bits of MsgFlags; seen: 0x00000800
    """
    if isinstance(record, Md1) or record.version < 2:
        return None
    unknown = record.msg_flags & ~_FLAG_BITS
    return Deviation("known bits of MsgFlags", f"0x{unknown:08X}") if unknown else None


@_descriptor_rule("C-416", Severity.WARNING, "Priority above the highest", spec="mqi.md 4.4")
def high_priority(record: MDRecord, message: ObservedMessage) -> Deviation | None:
    """The value is kept and treated as the highest; the program gets a warning (MQRC 2049).

    expected: priority 9 at most; seen: 10
    """
    if record.priority <= _HIGHEST_PRIORITY:
        return None
    return Deviation(f"priority {_HIGHEST_PRIORITY} at most", str(record.priority))


@rule("C-412", Severity.WARNING, "Invalid PutDate or PutTime", spec="mq-wire.md 5.7")
def put_time(seen: MessageSeen, connection: Observer) -> Deviation | None:
    """YYYYMMDD and HHMMSSTH, or blank.

    expected: 16 digits or blanks; seen: 2003xx28 01304759
    """
    raw = seen.message.descriptor[_WHEN]
    if raw.isdigit():
        return None
    digits = raw.translate(_EBCDIC_DIGITS) if raw[:1] >= b"\x80" or raw[8:9] >= b"\x80" else raw
    if all(half.isdigit() or _EMPTY.issuperset(half) for half in (digits[:8], digits[8:])):
        return None
    return Deviation("16 digits or blanks", raw.hex())


@rule("C-415", Severity.ERROR, "Invalid expiry", spec="mqi.md 4.4")
def expiry(seen: MessageSeen, connection: Observer) -> Deviation | None:
    """A queue manager refuses other values (MQRC 2013).

    expected: tenths of a second from 1, or -1; seen: 0
    """
    message = seen.message
    raw = message.descriptor[_EXPIRY]
    if raw == _UNLIMITED or message.course is not MessageRoute.CHANNEL:
        return None
    value = int.from_bytes(raw, message.order.endian, signed=True)
    return None if value > 0 else Deviation("tenths of a second from 1, or -1", str(value))
