"""Headers that the queue manager puts in front of messages and takes off: MQXQH, MQMDE.

A message on its way to another queue manager lies on a transmission queue with an MQXQH in front of its data: the
names of its destination and its own descriptor, always version 1 (mq-wire.md 5.14, channels.md 12.2). Version-2 fields
travel in an MQMDE behind it when they differ from the defaults. The MQXQH is always in the queue manager's own form,
little-endian and in its code page: a descriptor that came in another form is converted once, when it is wrapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from mqbridge.protocol.constants import MQFMT, MQMT, MQRO, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMDE_LENGTH_2, MQXQH_LENGTH_1, XQH_LENGTH
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.layouts.builders import OuterDescriptorBuilder
from mqbridge.protocol.layouts.md import Md1
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.structures.mde import MDE
from mqbridge.protocol.structures.xqh import XQH
from mqbridge.protocol.text import decode_field, encode_field, is_ebcdic

from .body import Body, joined, read_slice, without_front
from .descriptor import Descriptor, bounds, format_test, new_descriptor, patcher, reader
from .message import Message

NATIVE_ORDER: Final = ByteOrder.LITTLE
"""Byte order of descriptors and headers that the queue manager creates."""
_ASCII_SUPERSETS: Final = frozenset((437, 819, 850, 858, 912, 923, 1208, 1250, 1252))
_CONTEXT: Final = bounds("user_identifier")[0]
_TEXTS: Final = (bounds("reply_to_q")[0], bounds("accounting_token")[0]), (240, MQMD_LENGTH_1)
_NO_EXTENSION: Final = (bytes(24), 1, 0, 0, -1)
_VERSION_2_FIELDS: Final = ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length")

_FORMAT_TESTS: Final = {
    name: format_test(name) for name in (MQFMT.MD_EXTENSION, MQFMT.DEAD_LETTER_HEADER, MQFMT.XMIT_Q_HEADER)
}
_IS_EXTENSION: Final = _FORMAT_TESTS[MQFMT.MD_EXTENSION]


@dataclass(slots=True)
class TransmittedMessage:
    """A message taken from an MQXQH, with the names of its destination."""

    message: Message
    remote_q_name: str
    remote_q_mgr_name: str


def has_format(raw_md: bytes, name: MQFMT) -> bool:
    """Return whether the descriptor's Format is ``name``: MQMDE, MQDEAD or MQXMIT, in ASCII or EBCDIC."""
    return _FORMAT_TESTS[name](raw_md)


def announces_extension(raw_md: bytes) -> bool:
    """Return whether a descriptor has version 1 by its length and Format MQMDE; a faster `has_format`."""
    return len(raw_md) == MQMD_LENGTH_1 and _IS_EXTENSION(raw_md)


def native_descriptor(raw_md: bytes, order: ByteOrder, ccsid: int, to_ccsid: int) -> bytes:
    """Return descriptor bytes converted to little-endian, with text in ``to_ccsid``.

    Characters that ``to_ccsid`` does not have become question marks. Raises ``StructureError``, ``ConversionError``.
    """
    if order == NATIVE_ORDER:
        if ccsid == to_ccsid:
            return raw_md
        if (
            ccsid in _ASCII_SUPERSETS
            and to_ccsid in _ASCII_SUPERSETS
            and all(raw_md[at:end].isascii() for at, end in _TEXTS)
        ):
            return raw_md
    source = Message(raw_md, order=order, ccsid=ccsid).md
    target = new_descriptor(NATIVE_ORDER, to_ccsid)
    for slot in source.record.SLOTS:
        key = slot.field.key
        if slot.field.kind != "char":
            target.change(key, getattr(source.record, key))
        elif key != "struc_id":
            target.change(key, _converted(getattr(source, key), slot.size, to_ccsid))
    return target.build()


def _converted(text: str, size: int, ccsid: int) -> bytes:
    try:
        return encode_field(text, size, ccsid)
    except ConversionError:
        return encode_field(text.encode("ascii", "replace").decode()[:size], size, ccsid)


def wrap_head(
    raw_md: bytes, queue_name: str, queue_manager_name: str, ccsid: int, *, msg_id: bytes, expiry: int
) -> bytes:
    """Return everything in front of a message's data on a transmission queue.

    That is the descriptor of the transmission-queue message (324 bytes), the MQXQH with the message's own descriptor
    (428 bytes), and an MQMDE (72 bytes) where version-2 fields need one. ``raw_md`` must be native
    (:func:`native_descriptor`), its priority, persistence and context final. ``msg_id`` and ``expiry`` are those of
    the transmission-queue message, whose CorrelId is the message's MsgId.
    """
    extension = b""
    if len(raw_md) > MQMD_LENGTH_1:
        raw_md, extension = _split_extension(raw_md, ccsid)
    fields = _read_for_outer(raw_md)
    outer = _outer(ccsid).build(expiry, fields[0], fields[1], msg_id, fields[2])
    return b"".join(
        (outer[:_CONTEXT], raw_md[_CONTEXT:], _xqh(queue_name, queue_manager_name, ccsid), raw_md, extension)
    )


_read_for_outer = reader(NATIVE_ORDER, "priority", "persistence", "msg_id")


@lru_cache(maxsize=16)
def _outer(ccsid: int) -> OuterDescriptorBuilder:
    descriptor = new_descriptor(
        NATIVE_ORDER,
        ccsid,
        report=MQRO.NONE,
        msg_type=MQMT.DATAGRAM,
        encoding=NATIVE_ORDER.encoding,
        coded_char_set_id=ccsid,
        format=MQFMT.XMIT_Q_HEADER,
    )
    assert isinstance(descriptor.record, Md1)
    return OuterDescriptorBuilder(descriptor.record)


@lru_cache(maxsize=4096)
def _xqh(queue_name: str, queue_manager_name: str, ccsid: int) -> bytes:
    header = XQH.codec(NATIVE_ORDER)()
    header.struc_id = encode_field("XQH", 4, ccsid)
    header.remote_q_name = encode_field(queue_name, 48, ccsid)
    header.remote_q_mgr_name = encode_field(queue_manager_name, 48, ccsid)
    return header.build()


def _split_extension(raw_md: bytes, ccsid: int) -> tuple[bytes, bytes]:
    """Return a version-2 descriptor as version 1, and its MQMDE (empty if all fields have their defaults)."""
    descriptor = Message(raw_md, order=NATIVE_ORDER, ccsid=ccsid).md
    values = tuple(getattr(descriptor, key) for key in _VERSION_2_FIELDS)
    first = patcher(NATIVE_ORDER, "version")(raw_md[:MQMD_LENGTH_1], 1)
    if values == _NO_EXTENSION:
        return first, b""
    extension = MDE.codec(NATIVE_ORDER)(**dict(zip(_VERSION_2_FIELDS, values, strict=True)))
    extension.struc_id = encode_field("MDE", 4, ccsid)
    extension.encoding = descriptor.encoding
    extension.coded_char_set_id = descriptor.coded_char_set_id
    extension.format = descriptor.record.format
    front = Descriptor(Message(first, order=NATIVE_ORDER, ccsid=ccsid).md.record, ccsid)
    front.set(encoding=NATIVE_ORDER.encoding, coded_char_set_id=ccsid, format=MQFMT.MD_EXTENSION)
    return front.build(), extension.build()


def unwrap(message: Message) -> TransmittedMessage:
    """Return the message under the MQXQH of a transmission-queue message, and its destination.

    Its Expiry is the remaining one of the transmission-queue message, an MQMDE is taken back into the descriptor.
    Raises ``StructureError`` when the data are no MQXQH, ``ConversionError`` for an unknown code page.
    """
    order = order_of(message.md.encoding)
    ccsid = message.md.coded_char_set_id
    front = read_slice(message.body, 0, MQXQH_LENGTH_1)
    if order is None or ccsid <= 0:
        raise StructureError("XQH", 0, "the descriptor in front does not say how it is encoded")
    header = XQH.codec(order).parse(front)
    if decode_field(header.struc_id, ccsid) != "XQH" or header.version != 1:
        raise StructureError("XQH", 0, f"begins with {front[:8].hex()}")
    raw_md = front[XQH_LENGTH:]
    inner = Message(raw_md, without_front(message.body, MQXQH_LENGTH_1), order=order, ccsid=ccsid)
    if inner.md.version != 1:
        raise StructureError("XQH", XQH_LENGTH, f"holds a descriptor of version {inner.md.version}")
    if inner.md.expiry != message.md.expiry and message.md.expiry != -1:
        inner.md.expiry = message.md.expiry
    return TransmittedMessage(
        merge_extension(inner), decode_field(header.remote_q_name, ccsid), decode_field(header.remote_q_mgr_name, ccsid)
    )


def merge_extension(message: Message) -> Message:
    """Return the message with the MQMDE at the front of its data merged into a version-2 descriptor (mqi.md 5.3).

    A message without one is given back as it is, and so is one whose MQMDE is not well-formed: it is data then.
    """
    if not begins_with_extension(message):
        return message
    order = order_of(message.md.encoding)
    ccsid = message.md.coded_char_set_id
    front = read_slice(message.body, 0, MQMDE_LENGTH_2)
    if order is None or len(front) < MQMDE_LENGTH_2:
        return message
    extension: Any = MDE.codec(order).parse(front)
    if extension.version != 2 or extension.struc_length != MQMDE_LENGTH_2:
        return message
    merged = message.copy(without_front(message.body, MQMDE_LENGTH_2))
    md = merged.md
    md.encoding = extension.encoding
    md.coded_char_set_id = extension.coded_char_set_id
    md.change("format", _same_alphabet(extension.format, ccsid, message.ccsid))
    for key in _VERSION_2_FIELDS:
        md.change(key, getattr(extension, key))
    return merged


def begins_with_extension(message: Message) -> bool:
    """Return whether a version-1 descriptor announces an MQMDE and the data begin with its id, well-formed or not."""
    md = message.md
    if not _IS_EXTENSION(message.raw_md) or md.version != 1:
        return False
    ccsid = md.coded_char_set_id
    try:
        return decode_field(read_slice(message.body, 0, 4), ccsid if ccsid > 0 else message.ccsid) == "MDE"
    except ConversionError:
        return False


def _same_alphabet(raw: bytes, ccsid: int, to_ccsid: int) -> bytes:
    if ccsid <= 0 or is_ebcdic(ccsid) == is_ebcdic(to_ccsid):
        return raw
    return encode_field(decode_field(raw, ccsid), len(raw), to_ccsid)


def split_extension(message: Message) -> Message:
    """Return the message for programs limited to version 1: with an MQMDE in front of the data where needed."""
    if len(message.raw_md) == MQMD_LENGTH_1:
        return message
    raw_md = native_descriptor(message.raw_md, message.order, message.ccsid, message.ccsid)
    first, extension = _split_extension(raw_md, message.ccsid)
    body: Body = joined(extension, message.body) if extension else message.body
    return Message(first, body, order=NATIVE_ORDER, ccsid=message.ccsid)
