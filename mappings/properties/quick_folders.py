"""The folders of a message in the usual case, without a chain: no header, or one MQRFH2 in ASCII with short folders.

All else is for `folders`; property tests hold both equal.
"""

from __future__ import annotations

import re
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

from mqbridge.mappings.descriptor import place
from mqbridge.mappings.message import Message
from mqbridge.protocol.chain import RAW_HEADER_FORMATS
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2
from mqbridge.protocol.formats import NO_FORMATS, Formats
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.structures.rfh2 import RFH2

MAX_HEADER: Final = 3000
"""Longest MQRFH2 in bytes; so it has no more tags and folders than are read."""
NAME: Final = rb"[A-Za-z_$][A-Za-z0-9_$]*+"
"""Names of elements in flat folders."""

_PAGES: Final = frozenset((437, 819, 850, 858, 923, 1208, 1252))
"""CCSIDs in which names of formats and headers are in ASCII."""
_BEGIN: Final = slice(0, 8)
_DESCRIPTION: Final = slice(place("encoding").start, place("format").stop)
"""Encoding, CodedCharSetId and Format."""
_DESCRIBED: Final = {order: Struct(order.prefix + "Ii8s").unpack for order in ByteOrder}
_BEGINS: Final = {
    (order, b"MD  " + version.to_bytes(4, order.endian)): length
    for order in ByteOrder
    for version, length in ((1, MQMD_LENGTH_1), (2, MQMD_LENGTH_2))
}
"""Length of a descriptor by its byte order, StrucId and Version."""
_LENGTH: Final = 8
"""Offset of StrucLength."""
_FIXED: Final = slice(_LENGTH + 4, RFH2.size)
_BEHIND: Final = {order: Struct(order.prefix + "Ii8sIi").unpack for order in ByteOrder}
"""What follows StrucLength."""
_NUMBER: Final = {order: Struct(order.prefix + "I").unpack_from for order in ByteOrder}
_RFH2: Final = str(MQFMT.RF_HEADER_2).encode().ljust(8)
_LEAST: Final = RFH2.size
_UTF_8: Final = 1208
_TAG: Final = ord("<")
_ENDS: Final = "> \t\r\n/"
"""Characters of which one follows a folder's name."""
_FLAT: Final = re.compile(
    rb"<(" + NAME + rb")>(?:<(" + NAME + rb")(?: dt='[A-Za-z0-9.]++')?+(?: xsi:nil='true')?+>[^<]*+</\2>)*+</\1>[ \0]*+"
)

_new: Final = tuple.__new__
"""Makes a named tuple without the call of a function in Python."""

Place = tuple[int, int]
"""Begin and end of a folder in the data."""
NOWHERE: Final = (0, 0)
_UNKNOWN: Final = (-1, -1)


class QuickHeader(NamedTuple):
    """An MQRFH2. ``length`` is 0 if there is none. ``places``: of its folders, each of which begins with a tag.
    ``is_exact``: whether the lengths of folders are multiples of four, and nothing follows the last one. ``found``: see
    `flat_place`."""

    order: ByteOrder
    length: int
    places: list[Place]
    is_exact: bool
    found: dict[str, Place | None]

    def flat_place(self, name: str, body: bytes) -> Place | None:
        """Return the place of a folder of elements with texts in UTF-8, without groups; `NOWHERE` if there is none of
        this name. None if there are several, or it is not flat. It is remembered."""
        place = self.found.get(name, _UNKNOWN)
        if place is not _UNKNOWN:
            return place
        known = beginnings(name)
        found: Place | None = NOWHERE
        for start, end in self.places:
            if body.startswith(known, start, end):
                if found is NOWHERE and _is_flat(body, start, end):
                    found = start, end
                else:
                    found = None
                    break
        self.found[name] = found
        return found


def _is_flat(body: bytes, start: int, end: int) -> bool:
    if _FLAT.fullmatch(body, start, end) is None:
        return False
    folder = body[start:end]
    if not folder.isascii():
        try:
            folder.decode()
        except UnicodeDecodeError:
            return False
    return True


def quick_header(message: Message, formats: Formats = NO_FORMATS) -> QuickHeader | None:
    """Return the MQRFH2 that the headers of a message consist of, or none; None if this is not the usual case.

    ``formats``: headers beside MQ's own. It is remembered with the message.
    """
    body, raw = message.body, message.raw_md
    known = message.known
    if known is not None and known[0] is body and known[1] is raw and known[2] is formats:
        found: QuickHeader | None = known[3]
        return found
    header = None
    if type(body) is bytes:
        header = _header(message.order, message.ccsid, raw, body, formats)
    message.known = body, raw, formats, header
    return header


def _header(order: ByteOrder, ccsid: int, raw: bytes, body: bytes, formats: Formats) -> QuickHeader | None:
    data_order, announced = _announced(order, ccsid, raw[_BEGIN], len(raw), raw[_DESCRIPTION], formats)
    if not announced:
        return QuickHeader(order, 0, [], True, {}) if announced is False else None
    if not _is_usual(data_order, body[_BEGIN], body[_FIXED], formats):
        return None
    unpack = _NUMBER[data_order]
    (length,) = unpack(body, _LENGTH)
    position = _LEAST
    if not position <= length <= MAX_HEADER or length > len(body):
        return None
    places = []
    ends = 0
    while length - position >= 4:
        start = position + 4
        position = start + unpack(body, position)[0]
        if position > length or start == position or body[start] != _TAG:
            return None
        places.append((start, position))
        ends |= position
    return _new(QuickHeader, (data_order, length, places, not ends & 3 and position == length, {}))


@lru_cache(maxsize=1024)
def _announced(
    order: ByteOrder, page: int, begin: bytes, length: int, description: bytes, formats: Formats
) -> tuple[ByteOrder, bool | None]:
    """Return the byte order of the data, and whether a descriptor announces an MQRFH2 or no header; None for what is
    not the usual case. ``page``: CCSID of the descriptor's text."""
    encoding, ccsid, name = _DESCRIBED[order](description)
    if page not in _PAGES or _BEGINS.get((order, begin)) != length or 0 in name:
        return order, None
    if name != _RFH2:
        return order, None if name in RAW_HEADER_FORMATS or _is_header(name, formats) else False
    data_order = order_of(encoding) if (ccsid if ccsid > 0 else page) in _PAGES else None
    return (order, None) if data_order is None else (data_order, True)


@lru_cache(maxsize=1024)
def _is_usual(order: ByteOrder, begin: bytes, behind: bytes, formats: Formats) -> bool:
    """Return whether an MQRFH2 has folders in UTF-8, and no header behind it. ``begin``: what stands in front of
    StrucLength. ``behind``: what follows it."""
    if len(behind) != _FIXED.stop - _FIXED.start or begin != b"RFH " + (2).to_bytes(4, order.endian):
        return False
    _, _, name, _, pages = _BEHIND[order](behind)
    return pages == _UTF_8 and name not in RAW_HEADER_FORMATS and 0 not in name and not _is_header(name, formats)


def _is_header(name: bytes, formats: Formats) -> bool:
    return formats is not NO_FORMATS and formats.header(name.decode("latin_1").rstrip(" ")) is not None


@lru_cache(maxsize=256)
def beginnings(name: str) -> tuple[bytes, ...]:
    """Return all beginnings of a folder of a name, the usual one first."""
    tag = b"<" + name.encode("utf-8", "surrogatepass")
    return tuple(tag + end.encode() for end in _ENDS)


def quick_texts(message: Message) -> list[str] | None:
    """Return the texts of the folders of a message; None if this is not the usual case."""
    header = quick_header(message)
    if header is None:
        return None
    body = message.body
    assert isinstance(body, bytes)
    try:
        return [body[start:end].decode() for start, end in header.places]
    except UnicodeDecodeError:
        return None
