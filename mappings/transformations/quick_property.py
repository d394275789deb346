"""Setting a property in the usual case, on the bytes of the message.

The usual case: the data begin with an MQRFH2 in ASCII and UTF-8 of which one folder has the property's name, flat and
well-formed, with no header behind it; or there is no header, and a new MQRFH2 goes in front. All else is for
`property_editing`; a property test holds both equal.
"""

from __future__ import annotations

import re
from functools import lru_cache
from struct import Struct
from typing import Final

from mqbridge.mappings.descriptor import place
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties.folders import PROPERTY_FOLDERS
from mqbridge.mappings.rfh2 import FolderValue
from mqbridge.mappings.rfh2.writing import write_element, write_folder
from mqbridge.protocol.chain import RAW_HEADER_FORMATS
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.structures.rfh2 import RFH2, make_rfh2

MAX_FOLDER: Final = 3000
"""Longest folder in bytes; so it has no more tags than a folder may have."""
MAX_DATA: Final = 64 << 10
"""Longest data in bytes."""
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
_TAG: Final = ord("<")
_NAME: Final = rb"[A-Za-z_$][A-Za-z0-9_$]*"
_QUICK_NAME: Final = re.compile(_NAME)


def quick_setter(folder: str, value: FolderValue) -> QuickSetter | None:
    """Return what sets a property quickly; None where it stands in a group or in a folder of another kind."""
    quick = folder in PROPERTY_FOLDERS and _QUICK_NAME.fullmatch(value.name.encode("utf-8", "replace")) is not None
    return QuickSetter(folder, value) if quick else None


class QuickSetter:
    """Sets one property. ``folder``: its folder. ``value``: its element, in no group."""

    __slots__ = ("_close", "_element", "_end", "_flat", "_header", "_new", "_open", "_start")

    def __init__(self, folder: str, value: FolderValue) -> None:
        name = value.name.encode()
        self._element = write_element(value).encode()
        self._open = (b"<" + name + b">", b"<" + name + b" ")
        self._close = b"</" + name + b">"
        self._start = f"<{folder}>".encode()
        self._end = f"</{folder}>".encode()
        self._flat = re.compile(
            re.escape(self._start)
            + rb"(?:<("
            + _NAME
            + rb")(?: (?:dt|xsi:nil)='[A-Za-z0-9.]*+'){0,2}>[^<]*+</\1>)*+"
            + re.escape(self._end)
            + rb"[ \0]*+"
        )
        self._new = write_folder(folder, [value]).encode()
        self._header = lru_cache(maxsize=64)(self._made_header)

    def apply(self, message: Message) -> Message | None:
        """Return the message with the property; None if this is not the usual case."""
        body = message.body
        raw = message.raw_md
        if not isinstance(body, bytes) or len(body) > MAX_DATA:
            return None
        name = raw[_FORMAT]
        if name != _RFH2:
            return None if name in RAW_HEADER_FORMATS else self._in_front(message, raw, body, name)
        order = order_of(_NUMBER[message.order].unpack(raw[_ENCODING])[0])
        if order is None or len(body) < RFH2.size:
            return None
        struc_id, version, length, _, _, following, _, ccsid = _FIXED[order].unpack_from(body)
        if struc_id != b"RFH " or version != 2 or ccsid != FOLDER_CCSID or not RFH2.size <= length <= len(body):
            return None
        if following in RAW_HEADER_FORMATS:
            return None
        return self._in_header(message, body, order, length)

    def _in_header(self, message: Message, body: bytes, order: ByteOrder, length: int) -> Message | None:
        number = _NUMBER[order]
        position, found, found_end = RFH2.size, -1, -1
        while position < length:
            if length - position < 4:
                return None
            size = number.unpack_from(body, position)[0]
            start = position + 4
            position = start + size
            if position > length or not size or size & 3:
                return None
            if body.startswith(self._start, start, position):
                if found >= 0:
                    return None
                found, found_end = start, position
            elif body[start] != _TAG or body.startswith(self._start[:-1], start, position):
                return None
        if found < 0 or found_end - found > MAX_FOLDER:
            return None
        folder = body[found:found_end]
        if self._flat.fullmatch(folder) is None:
            return None
        if not folder.isascii():
            try:
                folder.decode()
            except UnicodeDecodeError:
                return None
        made = self._changed(folder)
        if len(made) != len(folder):
            parts = (
                body[:8],
                number.pack(length + len(made) - len(folder)),
                body[12 : found - 4],
                number.pack(len(made)),
                made,
                body[found_end:],
            )
            return message.copy(b"".join(parts))
        return message.copy(b"".join((body[:found], made, body[found_end:])))

    def _changed(self, folder: bytes) -> bytes:
        """Return a flat folder with the element, padded."""
        at = max(folder.rfind(self._open[0]), folder.rfind(self._open[1]))
        if at < 0:
            at = end = folder.rfind(self._end)
        else:
            end = folder.find(self._close, at) + len(self._close)
        made = b"".join((folder[:at], self._element, folder[end:].rstrip(b" \0")))
        return made + b" " * (-len(made) % 4)

    def _in_front(self, message: Message, raw: bytes, body: bytes, name: bytes) -> Message | None:
        order = message.order
        if message.ccsid != FOLDER_CCSID or not name.isascii() or b"\0" in name:
            return None
        encoding = _NUMBER[order].unpack(raw[_ENCODING])[0]
        ccsid = _SIGNED[order].unpack(raw[_CCSID])[0]
        own = order_of(encoding) or order
        header = self._header(own, encoding, ccsid if ccsid > 0 else message.ccsid, name)
        result = message.copy(header + body)
        made = bytearray(raw)
        made[_FORMAT] = _RFH2
        made[_ENCODING] = _NUMBER[order].pack(own.encoding)
        made[_CCSID] = _SIGNED[order].pack(FOLDER_CCSID)
        result.raw_md = bytes(made)
        return result

    def _made_header(self, order: ByteOrder, encoding: int, ccsid: int, name: bytes) -> bytes:
        """Return an MQRFH2 with this property alone; ``name``: Format of what follows."""
        return make_rfh2(
            order,
            [self._new],
            encoding=encoding,
            coded_char_set_id=ccsid,
            format=name,
            name_value_ccsid=FOLDER_CCSID,
        ).build()
