"""Rules for message descriptors, of message channels and of clients: every field with a fixed meaning (C-401 to C-419).

A descriptor is judged once for each variety of its head (see ``DescriptorSeen``); its times, which differ from message
to message, by ``descriptor_times``.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Final

from mqbridge.captures.rules.catalogue import rule
from mqbridge.captures.rules.finding import Deviation, Severity
from mqbridge.protocol.compiled import Record
from mqbridge.protocol.constants import MQAT, MQMF, MQMT, MQPER, MQRO, feedback_name
from mqbridge.protocol.numbers import is_known_encoding
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import DescriptorSeen, MessageRoute
from mqbridge.protocol.structures import MD, MD1
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


def _read(seen: DescriptorSeen) -> Record | None:
    """The descriptor; None for one that does not begin as one."""
    message = seen.message
    raw = message.descriptor
    if len(raw) < MD1.size or raw[:4] not in _STRUC_IDS:
        return None
    return (MD if len(raw) >= MD.size else MD1).codec(message.order).parse(raw)


@rule(
    "C-401",
    Severity.ERROR,
    "Message without a descriptor",
    spec=_SPEC,
    example="expected: MD and two blanks; seen: 00000000",
)
def struc_id(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """StrucId, in ASCII or EBCDIC."""
    raw = seen.message.descriptor
    return None if raw[:4] in _STRUC_IDS else Deviation("MD and two blanks", raw[:4].hex() or "nothing")


@rule(
    "C-402",
    Severity.ERROR,
    "Version of a descriptor",
    spec=_SPEC,
    example="expected: version 1 or 2; seen: 3",
)
def version(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """On message channels the descriptor behind XQH is of version 1, other fields travel in an MDE."""
    record = _read(seen)
    if record is None:
        return None
    if seen.message.course is MessageRoute.CHANNEL:
        return None if record.version == 1 else Deviation("version 1 behind XQH", str(record.version))
    return None if record.version in (1, 2) else Deviation("version 1 or 2", str(record.version))


@rule(
    "C-403",
    Severity.WARNING,
    "Unknown report options",
    spec="mq-wire.md 9.5",
    example="expected: known bits of Report; seen: 0x10000000",
)
def report(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """Bits of REJECT_UNSUP_MASK make a queue manager refuse the message."""
    record = _read(seen)
    unknown = record.report & ~_REPORT_BITS if record is not None else 0
    return Deviation("known bits of Report", f"0x{unknown:08X}") if unknown else None


@rule(
    "C-404",
    Severity.ERROR,
    "Message type that means nothing",
    spec="mq-wire.md 9.4",
    example="expected: a known type, or 65536 to 999999999; seen: 3",
)
def message_type(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """REQUEST, REPLY, REPORT, DATAGRAM, or a type of an application."""
    record = _read(seen)
    if record is None or MQMT(record.msg_type).known or _SYSTEM_LAST < record.msg_type <= _APPLICATION_LAST:
        return None
    return Deviation("a known type, or 65536 to 999999999", str(record.msg_type))


@rule(
    "C-405",
    Severity.INFO,
    "Feedback without a name",
    spec="mq-wire.md 9.6",
    example="expected: a known code, or 65536 to 999999999; seen: 4711",
)
def feedback(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """MQFB, a reason code, an IMS code, or a value of an application."""
    record = _read(seen)
    if record is None or not feedback_name(record.feedback).isdecimal():
        return None
    if _SYSTEM_LAST < record.feedback <= _APPLICATION_LAST or 300 <= record.feedback < 400:
        return None
    return Deviation("a known code, or 65536 to 999999999", str(record.feedback))


@rule(
    "C-406",
    Severity.WARNING,
    "Encoding of message data that means nothing",
    spec="mq-wire.md 1.5",
    example="expected: a known value in each of the three digits; seen: 0x777",
)
def encoding(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """Integer, decimal and float nibble; other bits are reserved."""
    record = _read(seen)
    if record is None:
        return None
    value = record.encoding
    if value > 0xFFF or not is_known_encoding(value):
        return Deviation("a known value in each of the three digits", f"0x{value:X}")
    return None


@rule(
    "C-407",
    Severity.WARNING,
    "CCSID of message data that cannot be converted",
    spec="mq-wire.md 1.5",
    example="expected: a CCSID with a conversion; seen: 54321",
)
def ccsid(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """Special values from 0 to -4 stand for another CCSID."""
    record = _read(seen)
    if record is None:
        return None
    value = record.coded_char_set_id
    if value in CODECS or is_ebcdic(value) or _LEAST_CCSID <= value <= 0:
        return None
    return Deviation("a CCSID with a conversion", str(value))


@rule(
    "C-408",
    Severity.WARNING,
    "Format that is no name",
    spec="mq-wire.md 9.3",
    example="expected: up to eight printable characters; seen: 0001020304050607",
)
def data_format(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """Blanks or NULs at the end do not count."""
    record = _read(seen)
    if record is None:
        return None
    ebcdic = bool(record.struc_id[0] & 0x80)
    text = record.format.decode("cp500" if ebcdic else "latin_1").rstrip("\0 ")
    return None if text.isprintable() else Deviation("up to eight printable characters", record.format.hex())


@rule(
    "C-409",
    Severity.ERROR,
    "Priority that means nothing",
    spec="mqi.md 4.4",
    example="expected: priority 0 to 9, or -1; seen: -4",
)
def priority(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """-1 as the queue says; in puts -2 and -3 too, as the parent or the publication says. A queue manager refuses
    others (MQRC 2050)."""
    record = _read(seen)
    put = seen.message.course is MessageRoute.PUT
    if record is None or record.priority >= (-3 if put else -1):
        return None
    return Deviation(f"priority 0 to {_HIGHEST_PRIORITY}, or -1{' to -3' if put else ''}", str(record.priority))


@rule(
    "C-410",
    Severity.ERROR,
    "Persistence that means nothing",
    spec="mq-wire.md 9.4",
    example="expected: persistence 0 or 1, or 2 in a put; seen: 5",
)
def persistence(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """2 as the queue says: the sender of a channel should have settled it, which is inferred and not judged."""
    record = _read(seen)
    known = (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT, MQPER.AS_Q_DEF)
    if record is None or record.persistence in known or record.persistence == 0xFFFFFFFF:
        return None
    return Deviation("persistence 0 or 1, or 2 in a put", str(record.persistence))


@rule(
    "C-411",
    Severity.INFO,
    "Unknown kind of application",
    spec="mq-wire.md 9.12",
    example="expected: a known PutApplType, or 65536 to 999999999; seen: 77",
)
def application_type(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """MQAT, or a value of an application."""
    record = _read(seen)
    if record is None or MQAT(record.put_appl_type).known:
        return None
    if _SYSTEM_LAST < record.put_appl_type <= _APPLICATION_LAST:
        return None
    return Deviation("a known PutApplType, or 65536 to 999999999", str(record.put_appl_type))


@rule(
    "C-413",
    Severity.WARNING,
    "Request without a reply queue",
    spec="mq-wire.md 9.4",
    example="expected: ReplyToQ; seen: blanks",
)
def reply_queue(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """A queue manager refuses to put it (MQRC 2027)."""
    record = _read(seen)
    if record is None or record.msg_type != MQMT.REQUEST or not _EMPTY.issuperset(record.reply_to_q):
        return None
    return Deviation("ReplyToQ", "blanks")


@rule(
    "C-414",
    Severity.WARNING,
    "Unknown message flags",
    spec="mq-wire.md 9.7",
    example="expected: known bits of MsgFlags; seen: 0x00000800",
)
def message_flags(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """Of descriptors of version 2."""
    record = _read(seen)
    if record is None or len(seen.message.descriptor) < MD.size or record.version < 2:
        return None
    unknown = record.msg_flags & ~_FLAG_BITS
    return Deviation("known bits of MsgFlags", f"0x{unknown:08X}") if unknown else None


@rule(
    "C-416",
    Severity.WARNING,
    "Priority above the highest",
    spec="mqi.md 4.4",
    example="expected: priority 9 at most; seen: 10",
)
def high_priority(seen: DescriptorSeen, connection: Observer) -> Deviation | None:
    """Stays as it is and counts as the highest; the program gets a warning (MQRC 2049)."""
    record = _read(seen)
    if record is None or record.priority <= _HIGHEST_PRIORITY:
        return None
    return Deviation(f"priority {_HIGHEST_PRIORITY} at most", str(record.priority))
