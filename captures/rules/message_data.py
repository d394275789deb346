"""Rules for lengths, destinations and header chains of messages (C-420 to C-449)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.observer.channel import FieldSeen, MessageDiffers, MessageJoined
from mqbridge.protocol.observer.connection import Observer
from mqbridge.protocol.observer.observations import HeadersSeen, MessageRoute, MessageSeen
from mqbridge.protocol.text import CODECS, is_ebcdic

_WORD: Final = 4


@rule("C-420", Severity.ERROR, "MSH states a wrong length of the data", spec="mq-wire.md 7.4")
def data_length(seen: MessageDiffers, connection: Observer) -> Deviation | None:
    """Messages in one segment.

    expected: MSH.DataLength 4, the bytes behind the descriptor; seen: 9
    """
    return None if seen.headers else _data_length(seen)


def _data_length(seen: MessageDiffers) -> Deviation | None:
    if seen.there < 0 or seen.there == seen.data_length:
        return None
    return Deviation(f"MSH.DataLength {seen.there}, the bytes behind the descriptor", str(seen.data_length))


@rule("C-421", Severity.INFERRED, "MSH states a wrong length of a split message", spec="mq-wire.md 6.3")
def joined_length(seen: MessageJoined, connection: Observer) -> Deviation | None:
    """MSH of the first segment counts the data of all segments.

    expected: MSH.DataLength 70000, the bytes of 3 segments; seen: 80000
    """
    if seen.stated == seen.there:
        return None
    return Deviation(f"MSH.DataLength {seen.there}, the bytes of {seen.segments} segments", str(seen.stated))


@rule("C-422", Severity.WARNING, "MSH.MessageLength is inconsistent", spec="mq-wire.md 5.14")
def message_length(seen: FieldSeen, connection: Observer) -> Deviation | None:
    """Not checked by MQSeries, which accepted a wrong value.

    expected: 437, 428 more than DataLength; seen: 438
    """
    return Deviation(seen.expected, seen.seen) if seen.field == "MessageLength" else None


@rule("C-423", Severity.ERROR, "Message longer than agreed", spec="channels.md 4")
def message_limit(seen: MessageDiffers, connection: Observer) -> Deviation | None:
    """The sender must hold such a message back, with reason 2218.

    expected: at most 4194304 bytes; seen: 5000000 bytes
    """
    agreed = connection.agreed_channel
    if agreed is None or not agreed.message_length or seen.data_length <= agreed.message_length:
        return None
    return Deviation(f"at most {agreed.message_length} bytes", f"{seen.data_length} bytes")


@rule("C-424", Severity.WARNING, "Message without a destination", spec="mq-wire.md 5.14")
def destination(seen: MessageSeen, connection: Observer) -> Deviation | None:
    """The receiving end cannot deliver the message.

    expected: XQH.RemoteQName; seen: blanks
    """
    message = seen.message
    if message.course is MessageRoute.CHANNEL and not message.queue:
        return Deviation("XQH.RemoteQName", "blanks")
    return None


@rule("C-425", Severity.INFERRED, "MSH states a wrong length of headers and data", spec="mq-wire.md 7.4")
def length_with_headers(seen: MessageDiffers, connection: Observer) -> Deviation | None:
    """That DataLength counts the headers in front of the data is inferred.

    expected: MSH.DataLength 44, the bytes behind the descriptor; seen: 8
    """
    return _data_length(seen) if seen.headers else None


@rule("C-430", Severity.ERROR, "Broken header chain", spec="mq-wire.md 5.15")
def header_chain(seen: HeadersSeen, connection: Observer) -> Deviation | None:
    """A Format names a header, but the following bytes are none, or have inconsistent lengths.

    expected: MQHRF2 as Format says; seen: RFH2 at 0: begins with 00000000
    """
    stopped = seen.chain.stopped
    return None if stopped is None else Deviation(f"{seen.chain.body_format} as Format says", str(stopped))


@rule("C-431", Severity.WARNING, "CCSID in a header without a conversion", spec="mq-wire.md 5.15")
def header_ccsid(seen: HeadersSeen, connection: Observer) -> Iterator[Deviation]:
    """The CCSID applies to what follows the header.

    expected: a CCSID with a conversion in RFH2; seen: 54321
    """
    for link in seen.chain.links:
        record = link.header.record
        value = record.coded_char_set_id if "coded_char_set_id" in record.KEYS else 0
        if value > 0 and value not in CODECS and not is_ebcdic(value):
            yield Deviation(f"a CCSID with a conversion in {link.name}", str(value))


@rule("C-432", Severity.WARNING, "Length of RFH2 not a multiple of four", spec="mq-wire.md 5.15")
def aligned_rfh2(seen: HeadersSeen, connection: Observer) -> Iterator[Deviation]:
    """The text of folders is padded with blanks.

    expected: StrucLength a multiple of 4; seen: 137
    """
    for link in seen.chain.links:
        if link.name == "RFH2" and link.length % _WORD:
            yield Deviation("StrucLength a multiple of 4", str(link.length))
