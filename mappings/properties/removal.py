"""Removal of properties for programs that request none, or only those of JMS (mqi.md 15.1, 15.2)."""

from __future__ import annotations

from mqbridge.mappings.body import joined, without_front
from mqbridge.mappings.message import Message
from mqbridge.protocol.chain import ChainedHeader
from mqbridge.protocol.constants import MQFMT
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.structures import RulesAndFormatting2, make_rfh2
from mqbridge.protocol.text import decode_text, encode_field

from .folders import JMS_FOLDERS, PROPERTY_FOLDERS, folder_name, headers_of, property_folder, texts_of


def has_jms_properties(message: Message) -> bool:
    """Return whether there is a folder ``mcd``, ``jms``, ``usr`` or ``mqext``, for which the MQRFH2 is kept."""
    return any(folder_name(text) in JMS_FOLDERS for text in texts_of(message))


def without_properties(message: Message) -> Message:
    """Return the message without the property folders of the MQRFH2 headers at the front of its data.

    Other folders stay; a header with none left is taken out, and what it said of the data behind it is said by what
    stands in front. A message without properties there is given back as it is.
    """
    chain = headers_of(message)
    front: list[tuple[ChainedHeader, RulesAndFormatting2, list[bytes]]] = []
    changed = False
    for link in chain.links if chain is not None else ():
        header = link.header
        if not isinstance(header, RulesAndFormatting2):
            break
        folders = header.folders
        kept = [raw for raw in folders if not _holds_properties(raw, header)]
        changed = changed or len(kept) < len(folders)
        front.append((link, header, kept))
    if chain is None or not changed:
        return message
    if len(front) < len(chain.links):
        behind = chain.links[len(front)]
        encoding, ccsid, name = behind.encoding, behind.ccsid, behind.format
    else:
        encoding, ccsid, name = chain.body_encoding, chain.body_ccsid, chain.body_format
    pieces: list[bytes] = []
    for link, header, kept in reversed(front):
        if kept:
            pieces.append(_rebuilt(link, header, kept, encoding, ccsid, name))
            encoding, ccsid, name = link.encoding, link.ccsid, str(MQFMT.RF_HEADER_2)
    body = without_front(message.body, front[-1][0].end)
    result = message.copy(joined(b"".join(reversed(pieces)), body) if pieces else body)
    result.md.set(encoding=encoding, coded_char_set_id=ccsid, format=name)
    return result


def _rebuilt(
    link: ChainedHeader, header: RulesAndFormatting2, folders: list[bytes], encoding: int, ccsid: int, name: str
) -> bytes:
    """Return a header with the remaining folders and its description of the data behind it."""
    record = header.record
    ebcdic = bool(record.struc_id[0] & 0x80)
    return make_rfh2(
        integer_order(link.encoding),
        folders,
        struc_id=record.struc_id,
        flags=record.flags,
        name_value_ccsid=record.name_value_ccsid,
        encoding=encoding,
        coded_char_set_id=ccsid,
        format=encode_field(name, 8, 500 if ebcdic else 819),
    ).build()


def _holds_properties(raw: bytes, header: RulesAndFormatting2) -> bool:
    try:
        text = decode_text(raw, header.record.name_value_ccsid, errors="replace", order=header.record.ORDER)
    except ConversionError:
        return False
    if folder_name(text) in PROPERTY_FOLDERS:
        return True
    return property_folder(text) is not None
