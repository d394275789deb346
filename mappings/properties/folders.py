"""Folders of properties in the headers of a message (jms-mapping.md 4.3, mqi.md 15.3).

Properties stand in the folders of MQRFH2 headers, anywhere in the chain of headers in front of the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mqbridge.mappings.body import read_slice
from mqbridge.mappings.message import Message
from mqbridge.mappings.rfh2 import MAX_TAGS, Folder, FolderError, FolderValue, read_folder, tags_in
from mqbridge.protocol.chain import HEADER_FORMATS, HeaderChain, walk
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.structures import RulesAndFormatting2
from mqbridge.protocol.text import decode_text

from .names import RESERVED_WORDS, USER_FOLDER
from .property import TYPE_OF_DT, Property, Value, value_of
from .quick_folders import quick_texts

PROPERTY_FOLDERS: Final = frozenset(
    ("mcd", "jms", "usr", "mqext", "mqps", "mq", "mq_usr", "mqema", "sib", "sib_usr", "sib_context")
)
"""Folders that hold properties without the attribute ``content='properties'``."""
JMS_FOLDERS: Final = frozenset(("mcd", "jms", "usr", "mqext"))
"""Folders that make PROPERTIES_COMPATIBILITY keep the MQRFH2 (mqi.md 15.1)."""
HEADERS_FIRST: Final = 64 << 10
"""Bytes at the front of the data that are searched for headers first."""
HEADERS_WITHIN: Final = 4 << 20
"""Limit of the search in bytes; a header that extends beyond it is ignored."""

TYPES_OF_JMS: Final = {"Tms": "i8", "Exp": "i8", "Pri": "i4", "Dlv": "i4", "Seq": "i4"}
"""Implied types of elements of folder ``jms``, which JMS clients write without the attribute ``dt``."""


def headers_of(message: Message) -> HeaderChain | None:
    """Return the header chain in front of the data; None if the descriptor announces none, or is malformed."""
    try:
        md = message.md
        if md.format not in HEADER_FORMATS:
            return None
        ccsid = md.coded_char_set_id if md.coded_char_set_id > 0 else message.ccsid
        name = md.format
    except (StructureError, ConversionError):
        return None
    length = HEADERS_FIRST
    while True:
        chain = walk(name, md.encoding, ccsid, read_slice(message.body, 0, length))
        if chain.stopped is None or length >= min(len(message), HEADERS_WITHIN):
            return chain
        length = HEADERS_WITHIN


def folder_texts(chain: HeaderChain | None) -> list[str]:
    """Yield the texts of the folders, in order, with undecodable bytes replaced. A folder that exceeds the limit of
    `MAX_TAGS` tags is omitted."""
    texts: list[str] = []
    room = MAX_TAGS
    for text in _all_texts(chain):
        tags = tags_in(text)
        if tags <= room:
            room -= tags
            texts.append(text)
    return texts


def texts_of(message: Message) -> list[str]:
    """Return the texts of the folders in front of the data of a message, as `folder_texts` does."""
    texts = quick_texts(message)
    return folder_texts(headers_of(message)) if texts is None else texts


def _all_texts(chain: HeaderChain | None) -> Iterator[str]:
    for link in chain.links if chain is not None else ():
        header = link.header
        if isinstance(header, RulesAndFormatting2):
            order = header.record.ORDER
            for raw in header.folders:
                try:
                    yield decode_text(raw, header.record.name_value_ccsid, errors="replace", order=order)
                except ConversionError:
                    continue


def folder_name(text: str) -> str:
    """Return the name of a folder without parsing it; empty if the text does not begin with a tag, behind blanks."""
    text = text.lstrip()
    end = len(text)
    for mark in "> \t\r\n/":
        found = text.find(mark, 1, end)
        if found >= 0:
            end = found
    return text[1:end] if text.startswith("<") else ""


def property_folder(text: str) -> Folder | None:
    """Parse a folder of properties; return None if it is malformed or holds no properties.

    Values that are not of their type are left out, and so are names that no property has: in ``usr`` those that begin
    with JMS and the words of selectors; everywhere those with a dot in them, which is the mark between groups.
    """
    try:
        folder = read_folder(text, lenient=True)
    except FolderError:
        return None
    if folder.name not in PROPERTY_FOLDERS and folder.attributes.get("content") != "properties":
        return None
    if folder.name == "jms":
        folder.values = [typed for value in folder.values if (typed := _typed_jms(value)) is not None]
    elif folder.name == USER_FOLDER:
        folder.values = [value for value in folder.values if _user_name(value.name)]
    return folder


def _user_name(name: str) -> bool:
    return not name.startswith("JMS") and name.upper() not in RESERVED_WORDS


def _typed_jms(value: FolderValue) -> FolderValue | None:
    """Return an element of folder ``jms`` with its implied type; None if the text has another type."""
    kind = TYPES_OF_JMS.get(value.name)
    if kind is None or not isinstance(value.value, str):
        return value
    try:
        return FolderValue(value.name, kind, int(value.value))
    except ValueError:
        return None


def read_properties(message: Message) -> list[Property]:
    """Return all properties in the folders of a message, in order; those of ``usr`` without the folder's name.

    Malformed headers and folders have none. Fields of the descriptor are not among them.
    """
    found: list[Property] = []
    for text in texts_of(message):
        folder = property_folder(text)
        if folder is not None:
            prefix = "" if folder.name == USER_FOLDER else folder.name + "."
            found += [
                Property(prefix + value.name, TYPE_OF_DT.get(value.type, TYPE_OF_DT["string"]), value_of(value))
                for value in folder.values
            ]
    return found


def property_bytes(message: Message) -> int:
    """Return the length of a message's property folders in UTF-8, in bytes; 0 if its headers are malformed."""
    return sum(len(text.encode()) for text in _all_texts(headers_of(message)) if property_folder(text) is not None)


def too_many_tags(chain: HeaderChain) -> bool:
    """Return whether the property folders hold more than `MAX_TAGS` tags and references, so that some are not read."""
    tags = 0
    for link in chain.links:
        if isinstance(link.header, RulesAndFormatting2) and link.length > MAX_TAGS:
            tags += sum(tags_in(text) for text in _all_texts(chain) if _says_properties(text))
            break
    return tags > MAX_TAGS


def _says_properties(text: str) -> bool:
    return folder_name(text) in PROPERTY_FOLDERS or "properties" in text[: text.find(">")]


def as_mapping(folder: Folder) -> dict[str, Value]:
    """Return values by name; the last one of a repeated name counts."""
    return {value.name: value_of(value) for value in folder.values}
