"""Messages from bytes that begin with their descriptor, or with a header or data that another one describes."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.protocol.chain import walk_unknown
from mqbridge.protocol.constants import STRUC_IDS, ByteOrder, StrucId
from mqbridge.protocol.dissection.messages import DEFAULT_CCSID
from mqbridge.protocol.formats import NO_FORMATS, Formats
from mqbridge.protocol.structures.md import md_size

_VERSIONS: Final = (1, 2)
_EBCDIC: Final = 500


def message_of_bytes(
    data: bytes,
    *,
    ccsid: int | None = None,
    encoding: int | None = None,
    message_format: str | None = None,
    formats: Formats = NO_FORMATS,
) -> Message:
    """Return the message that bytes are, as ``decode`` takes them.

    ``ccsid``, ``encoding``, ``message_format``: values of the descriptor for a message that has none. Without a format
    the first header is recognised by its identifier; other data have none. Raises ``StructureError`` for a malformed
    descriptor, ``ConversionError`` for a format that is no text.
    """
    known = STRUC_IDS.get(data[:4])
    if message_format is None and known is not None and known[0] is StrucId.MD:
        order = _order(data)
        length = md_size(data, 0, order)
        return Message(data[:length], data[length:], order=order, ccsid=_EBCDIC if known[1] else DEFAULT_CCSID)
    if message_format is None:
        chain = walk_unknown(data, formats)
        first = chain.links[0] if chain.links else None
        if first is not None:
            message_format, encoding, ccsid = first.format, first.encoding, first.ccsid
        elif chain.stopped is not None:
            message_format, encoding, ccsid = chain.body_format, chain.body_encoding, chain.body_ccsid
    return Message.build(
        data,
        format=message_format or "",
        encoding=encoding or ByteOrder.BIG.encoding,
        coded_char_set_id=ccsid or DEFAULT_CCSID,
        msg_seq_number=1,
    )


def _order(data: bytes) -> ByteOrder:
    return ByteOrder.LITTLE if int.from_bytes(data[4:8], "little") in _VERSIONS else ByteOrder.BIG
