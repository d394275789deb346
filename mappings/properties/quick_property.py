"""Reading, setting and removing a property in the usual case, on the bytes of the message.

The usual case: the headers are one short MQRFH2 in ASCII and UTF-8 with at most one folder of the property's name, flat
and well-formed; or there is no header. All else is for `PropertyView.folder` and for steps; property tests hold both
equal.
"""

from __future__ import annotations

import re
from functools import lru_cache
from struct import Struct
from typing import Final

from mqbridge.mappings.descriptor import place
from mqbridge.mappings.message import Message
from mqbridge.mappings.rfh2.escaping import unescaped
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.formats import NO_FORMATS, Formats
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.structures.rfh2 import RFH2

from .folders import PROPERTY_FOLDERS, TYPES_OF_JMS
from .names import DESCRIPTOR_FIELDS, RESERVED_WORDS, SYNONYMS, USER_FOLDER, split_name
from .property import Value
from .quick_folders import NAME, Place, quick_header
from .quick_values import typed_element

MAX_DATA: Final = 64 << 10
"""Longest data in bytes that are changed here."""
FOLDER_CCSID: Final = 1208
"""Code page of the folders, and of a new MQRFH2."""

_FORMAT: Final = place("format")
_ENCODING: Final = place("encoding")
_CCSID: Final = place("coded_char_set_id")
_RFH2: Final = str(MQFMT.RF_HEADER_2).encode().ljust(8)
_FIXED: Final = {order: Struct(order.prefix + "4sIIIi8sIi") for order in ByteOrder}
"""The fixed part of an MQRFH2."""
_NUMBER: Final = {order: Struct(order.prefix + "I") for order in ByteOrder}
_SIGNED: Final = {order: Struct(order.prefix + "i") for order in ByteOrder}
_PADDING: Final = b" \0"
_QUICK_NAME: Final = re.compile(NAME)
_HIGHEST: Final = (1 << 31) - 1


class NotUsual:
    """What `QuickProperty.value` returns for a message that is not the usual case."""


@lru_cache(maxsize=1024)
def quick_property(name: str) -> QuickProperty | None:
    """Return what reads, sets and removes a property quickly; None for fields of the descriptor and synonyms of JMS,
    and where it stands in a group or in a folder of another kind."""
    folder, inside = split_name(name)
    if folder not in PROPERTY_FOLDERS or name in SYNONYMS or name in DESCRIPTOR_FIELDS:
        return None
    hidden = inside.startswith("JMS") or inside.upper() in RESERVED_WORDS if folder == USER_FOLDER else False
    usual = _QUICK_NAME.fullmatch(inside.encode("utf-8", "replace")) is not None
    return QuickProperty(folder, inside) if usual and not hidden else None


class QuickProperty:
    """One property. ``folder``: its folder. ``name``: of its element, in no group.

    What changes a message returns None where this is not the usual case. ``formats``: headers beside MQ's own.
    """

    __slots__ = ("_close", "_end", "_folder", "_implied", "_open", "_open_typed", "_start", "_whole")

    def __init__(self, folder: str, name: str) -> None:
        tag = name.encode()
        self._open = b"<" + tag + b">"
        self._open_typed = b"<" + tag + b" "
        self._close = b"</" + tag + b">"
        self._start = f"<{folder}>".encode()
        self._end = f"</{folder}>".encode()
        self._folder = folder
        self._implied = folder == "jms" and name in TYPES_OF_JMS
        tag = re.escape(tag)
        self._whole = re.compile(rb"<" + tag + rb"(?: [^<>]*+)?+>[^<]*+</" + tag + rb">")

    def value(self, message: Message) -> Value | type[NotUsual]:
        """Return the value of the property, None if there is none, or `NotUsual`."""
        header = quick_header(message)
        body = message.body
        if header is None or not isinstance(body, bytes):
            return NotUsual
        found = header.flat_place(self._folder, body)
        if found is None:
            return NotUsual
        start, end = found
        begin, typed = body.rfind(self._open, start, end), body.rfind(self._open_typed, start, end)
        if typed > begin:
            inside = body.find(b">", typed)
            attributes = body[typed + len(self._open) - 1 : inside].decode()
            inside += 1
        elif begin < 0:
            return None
        else:
            inside, attributes = begin + len(self._open), ""
        text = body[inside : body.find(b"<", inside)].decode()
        if "&" in text:
            text = unescaped(text)
        if not attributes and not self._implied:
            return text
        try:
            value = typed_element(attributes, text)
            return int(value) if self._implied and isinstance(value, str) else value
        except ValueError:
            return NotUsual

    def set(self, message: Message, element: bytes, formats: Formats = NO_FORMATS) -> Message | None:
        """Return the message with an element of the property."""
        header = quick_header(message, formats)
        body = message.body
        if header is None or not isinstance(body, bytes) or len(body) > MAX_DATA:
            return None
        order, length, _, is_exact, _ = header
        if not length:
            return self._in_front(message, body, element)
        found = header.flat_place(self._folder, body)
        if found is None or not is_exact:
            return None
        start, end = found
        if start == end:
            made = _padded(self._start + element + self._end)
            size = _NUMBER[order].pack
            parts = (body[:8], size(length + 4 + len(made)), body[12:length], size(len(made)), made, body[length:])
            return Message(message.raw_md, b"".join(parts), order=message.order, ccsid=message.ccsid)
        at = max(body.rfind(self._open, start, end), body.rfind(self._open_typed, start, end))
        if at < 0:
            at = behind = body.rfind(self._end, start, end)
        else:
            behind = body.find(self._close, at) + len(self._close)
        made = body[start:at] + element + body[behind:end].rstrip(_PADDING)
        data = _with_folder(body, order, length, found, made)
        return Message(message.raw_md, data, order=message.order, ccsid=message.ccsid)

    def remove(self, message: Message, formats: Formats = NO_FORMATS) -> Message | None:
        """Return the message without the property; the message itself if it has none."""
        header = quick_header(message, formats)
        body = message.body
        if header is None or not isinstance(body, bytes) or len(body) > MAX_DATA:
            return None
        order, length, places, is_exact, _ = header
        if not length:
            return message
        found = header.flat_place(self._folder, body)
        if found is None or not is_exact:
            return None
        start, end = found
        made, count = self._whole.subn(b"", body[start:end])
        if not count:
            return message
        made = made.rstrip(_PADDING)
        if made != self._start + self._end:
            return message.copy(_with_folder(body, order, length, found, made))
        if len(places) == 1:
            return _without_header(message, body, order, length)
        shorter = _NUMBER[order].pack(length - 4 - (end - start))
        return message.copy(b"".join((body[:8], shorter, body[12 : start - 4], body[end:])))

    def _in_front(self, message: Message, body: bytes, element: bytes) -> Message | None:
        """Return the message behind a new MQRFH2."""
        order, raw = message.order, message.raw_md
        name = raw[_FORMAT]
        if not name.isascii():
            return None
        encoding = _NUMBER[order].unpack(raw[_ENCODING])[0]
        ccsid = _SIGNED[order].unpack(raw[_CCSID])[0]
        if ccsid <= 0:
            ccsid = message.ccsid
        own = order_of(encoding) or order
        made = _padded(self._start + element + self._end)
        size = _NUMBER[own].pack(len(made))
        fixed = _FIXED[own].pack(b"RFH ", 2, RFH2.size + 4 + len(made), encoding, ccsid, name, 0, FOLDER_CCSID)
        return _described(message, b"".join((fixed, size, made, body)), _RFH2, own.encoding, FOLDER_CCSID)


def _padded(folder: bytes) -> bytes:
    return folder + b" " * (-len(folder) % 4)


def _with_folder(body: bytes, order: ByteOrder, length: int, place: Place, made: bytes) -> bytes:
    """Return the data with another text of a folder, which is padded. ``length``: of the header."""
    start, end = place
    padding = -len(made) & 3
    if padding:
        made += b" " * padding
    more = len(made) - (end - start)
    if not more:
        return b"".join((body[:start], made, body[end:]))
    size = _NUMBER[order].pack
    return b"".join((body[:8], size(length + more), body[12 : start - 4], size(len(made)), made, body[end:]))


def _without_header(message: Message, body: bytes, order: ByteOrder, length: int) -> Message | None:
    """Return the message without its MQRFH2, of which the descriptor says what follows."""
    _, _, _, encoding, ccsid, name, _, _ = _FIXED[order].unpack_from(body)
    if ccsid <= 0 or encoding > _HIGHEST or not name.isascii():
        return None
    return _described(message, body[length:], name, encoding, ccsid)


def _described(message: Message, body: bytes, name: bytes, encoding: int, ccsid: int) -> Message:
    """Return a message with other data."""
    order = message.order
    made = bytearray(message.raw_md)
    made[_FORMAT] = name
    made[_ENCODING] = _NUMBER[order].pack(encoding)
    made[_CCSID] = _SIGNED[order].pack(ccsid)
    return Message(bytes(made), body, order=order, ccsid=message.ccsid)
