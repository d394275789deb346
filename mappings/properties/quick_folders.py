"""Texts of folders in the usual case, without a chain: no header, or one MQRFH2 in ASCII with short folders in UTF-8.

All else is for `folders`; a property test holds both equal.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.message import Message
from mqbridge.protocol.chain import RAW_HEADER_FORMATS
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2
from mqbridge.protocol.numbers import order_of

MAX_HEADER: Final = 3000
"""Longest MQRFH2 in bytes; so it has no more tags and folders than are read."""
_PAGES: Final = frozenset((437, 819, 850, 858, 923, 1208, 1252))
"""CCSIDs in which names of formats and headers are in ASCII."""
_READ: Final = {order: reader(order, "version", "encoding", "coded_char_set_id", "format") for order in ByteOrder}
_LENGTHS: Final = {1: MQMD_LENGTH_1, 2: MQMD_LENGTH_2}
_FIXED: Final = {order: Struct(order.prefix + "4sIIIi8sIi") for order in ByteOrder}
_NUMBER: Final = {order: Struct(order.prefix + "I") for order in ByteOrder}
_RFH2: Final = str(MQFMT.RF_HEADER_2).encode().ljust(8)
_LEAST: Final = _FIXED[ByteOrder.BIG].size
_UTF_8: Final = 1208


def quick_texts(message: Message) -> list[str] | None:
    """Return the texts of the folders of a message; None if this is not the usual case."""
    raw, body = message.raw_md, message.body
    if message.ccsid not in _PAGES or raw[:4] != b"MD  " or type(body) is not bytes:
        return None
    version, encoding, ccsid, name = _READ[message.order](raw)
    if len(raw) != _LENGTHS.get(version) or 0 in name:
        return None
    if name != _RFH2:
        return None if name in RAW_HEADER_FORMATS else []
    order = order_of(encoding)
    if order is None or len(body) < _LEAST or (ccsid if ccsid > 0 else message.ccsid) not in _PAGES:
        return None
    struc_id, version, length, _, _, behind, _, pages = _FIXED[order].unpack_from(body)
    if struc_id != b"RFH " or version != 2 or pages != _UTF_8 or not _LEAST <= length <= min(MAX_HEADER, len(body)):
        return None
    if behind in RAW_HEADER_FORMATS or 0 in behind:
        return None
    unpack, texts, position = _NUMBER[order].unpack_from, [], _LEAST
    try:
        while length - position >= 4:
            start = position + 4
            position = start + unpack(body, position)[0]
            if position > length:
                return None
            texts.append(body[start:position].decode())
    except UnicodeDecodeError:
        return None
    return texts
