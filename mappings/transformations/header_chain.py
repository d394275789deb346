"""The headers in front of a message's data, taken out, changed and put in front (jms-mapping.md 10.1).

What describes the data behind a header (Format, Encoding, CodedCharSetId) stands in the header or descriptor in front
of it. So a header that is taken out leaves what it said to the one in front, and one that is put in takes it over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mqbridge.mappings.body import joined, read_slice, without_front
from mqbridge.mappings.message import Message
from mqbridge.protocol.chain import HEADER_FORMATS, ChainedHeader, HeaderChain, walk
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.formats import Formats
from mqbridge.protocol.text import encode_field

from .errors import TransformationError

HEADERS_FIRST: Final = 64 << 10
"""Bytes at the front of the data that are searched for headers first."""
HEADERS_WITHIN: Final = 4 << 20
"""Limit of the search in bytes."""
_EBCDIC: Final = 0x80  # every letter of EBCDIC has this bit, none of ASCII

Statement = tuple[str, int, int]
"""Format, Encoding and CodedCharSetId of what follows."""


def chain_of(message: Message, formats: Formats, ccsid: int) -> HeaderChain:
    """Return the chain of headers; ``ccsid`` stands for 0 in the descriptor. Raises `TransformationError` for a
    malformed header, ``StructureError`` for a malformed descriptor."""
    md = message.md
    name, stated = md.format, md.coded_char_set_id
    ccsid = stated if stated > 0 else ccsid
    if name not in HEADER_FORMATS and formats.header(name) is None:
        return HeaderChain(b"", [], 0, name, md.encoding, ccsid)
    length = HEADERS_FIRST
    while True:
        chain = walk(name, md.encoding, ccsid, read_slice(message.body, 0, length), formats)
        if chain.stopped is None:
            return chain
        if length >= min(len(message), HEADERS_WITHIN):
            raise TransformationError(f"header {chain.body_format}: {chain.stopped}", MQRC.HEADER_ERROR)
        length = HEADERS_WITHIN


def statement_in_front(chain: HeaderChain, place: int) -> Statement:
    """Return what is said of the header with this index, or of the body behind the last one."""
    if place < len(chain.links):
        link = chain.links[place]
        return link.format, link.encoding, link.ccsid
    return chain.body_format, chain.body_encoding, chain.body_ccsid


def without_headers(message: Message, chain: HeaderChain, goes: Callable[[ChainedHeader], bool]) -> Message:
    """Return the message without some headers; the message itself if none goes. All others keep their bytes, but for
    what they say of what follows."""
    kept = [place for place, link in enumerate(chain.links) if not goes(link)]
    if len(kept) == len(chain.links):
        return message
    pieces: list[bytes] = []
    behind = len(chain.links)
    for place in reversed(kept):
        link = chain.links[place]
        if behind != place + 1:
            state(link.header.record, statement_in_front(chain, behind))
        pieces.append(link.header.build())
        behind = place
    body = without_front(message.body, chain.body_offset)
    result = message.copy(joined(b"".join(reversed(pieces)), body) if pieces else body)
    if behind:
        describe_descriptor(result, statement_in_front(chain, behind))
    return result


def with_changed_header(message: Message, chain: HeaderChain, place: int) -> Message:
    """Return the message with one header built again from its changed record."""
    link = chain.links[place]
    made = link.header.build()
    pieces = (read_slice(message.body, 0, link.offset), made)
    return message.copy(joined(b"".join(pieces), without_front(message.body, link.end)))


def with_headers_in_front(message: Message, headers: Sequence[bytes], statement: Statement) -> Message:
    """Return the message with headers in front of its data, and what the descriptor says of the first one."""
    result = message.copy(joined(b"".join(headers), message.body))
    describe_descriptor(result, statement)
    return result


def describe_descriptor(message: Message, statement: Statement) -> None:
    """Set what a descriptor says of the data."""
    message.md.set(format=statement[0], encoding=statement[1], coded_char_set_id=statement[2])


def state(record: Any, statement: Statement) -> None:
    """Set what a header says of what follows. Raises `TransformationError` for a header that says nothing."""
    if "format" not in record.KEYS:
        raise TransformationError(f"header {record.NAME} cannot say what follows it", MQRC.HEADER_ERROR)
    name, record.encoding, record.coded_char_set_id = statement
    record.format = encode_field(name, 8, 500 if is_ebcdic(record) else 819)


def is_ebcdic(record: Any) -> bool:
    """Return whether a header's text is EBCDIC, which its StrucId shows."""
    return bool(record.struc_id[0] & _EBCDIC)
