"""What stands in front of a JMS body: the descriptor's fields and the folders of the MQRFH2 headers behind it.

Only MQRFH2 headers at the front count; any other header belongs to the body (jms-mapping.md 6.1). Where a folder comes
twice, the first one counts, as IBM's client has it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from mqbridge.mappings.body import read_slice
from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties.property import single
from mqbridge.mappings.rfh2 import MAX_TAGS, Folder, FolderError, FolderValue, read_folder, tags_in
from mqbridge.mappings.rfh2.escaping import unescaped
from mqbridge.mappings.rfh2.flat import flat_attributes, flat_folder
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.structures.rfh2 import MAX_FOLDERS
from mqbridge.protocol.text import decode_field, decode_text

from .errors import JmsFormatError
from .typed import Typed
from .values import NULL, READERS_BY_ATTRIBUTES, typed_text

Scalar: TypeAlias = str | int | float | bool

MAX_HEADER: Final = 4 << 20
"""Longest MQRFH2 in bytes."""
_HEADERS_FIRST: Final = 64 << 10
_HEADER_FORMAT: Final = "MQHRF2"
_FIXED: Final = 36
_WORD: Final = 4
_UTF_8: Final = 1208
_USUAL: Final = frozenset(("mcd", "jms", "usr", "mqext", "mqps"))
_REMEMBERED: Final = 256
"""Longest folder ``mcd`` that is remembered, in characters."""
_NAME_CCSIDS: Final = frozenset((1208, 1200, 13488, 17584))
_HEADERS: Final = {ByteOrder.BIG: struct.Struct(">4s4i8s2i"), ByteOrder.LITTLE: struct.Struct("<4s4i8s2i")}
_LENGTHS: Final = {ByteOrder.BIG: struct.Struct(">i"), ByteOrder.LITTLE: struct.Struct("<i")}
_STRUC_IDS: Final = {b"RFH ": "latin_1", "RFH ".encode("cp500"): "cp500"}
_MD_IDS: Final = (b"MD  ", "MD  ".encode("cp500"))
_new: Final = tuple.__new__
"""Makes a named tuple without the call of a function in Python."""


class Fields(NamedTuple):
    """Fields of a descriptor, numbers and raw bytes, in the order of the layout."""

    struc_id: bytes
    version: int
    report: int
    msg_type: int
    expiry: int
    feedback: int
    encoding: int
    coded_char_set_id: int
    format: bytes
    priority: int
    persistence: int
    msg_id: bytes
    correl_id: bytes
    backout_count: int
    reply_to_q: bytes
    reply_to_q_mgr: bytes
    user_identifier: bytes
    put_appl_type: int
    put_appl_name: bytes
    put_date: bytes
    put_time: bytes
    group_id: bytes = bytes(24)
    msg_seq_number: int = 1
    msg_flags: int = 0


_READERS: Final = {
    (order, length): reader(order, *Fields._fields[: 21 if length == MQMD_LENGTH_1 else None])
    for order in ByteOrder
    for length in (MQMD_LENGTH_1, MQMD_LENGTH_2)
}
_VERSIONS: Final = {MQMD_LENGTH_1: 1, MQMD_LENGTH_2: 2}


def fields_of(message: Message) -> Fields:
    """Return the fields of a message's descriptor. Raises `JmsFormatError` where it is malformed."""
    raw = message.raw_md
    values: tuple[Any, ...] = _READERS[message.order, len(raw)](raw)
    if values[0] not in _MD_IDS or values[1] != _VERSIONS[len(raw)]:
        try:
            record = message.md.record
        except StructureError as error:
            raise JmsFormatError(f"descriptor: {error}") from error
        values = tuple(getattr(record, key) for key in record.KEYS if key in Fields._fields)
    if len(values) < len(Fields._fields):
        return Fields(*values)
    return _new(Fields, values)


@lru_cache(maxsize=4096)
def field_text(raw: bytes, ccsid: int) -> str:
    """Return the text of a field of the descriptor. Raises `JmsFormatError` for a CCSID without a codec."""
    try:
        return decode_field(raw, ccsid)
    except ConversionError as error:
        raise JmsFormatError(f"descriptor: {error}") from error


class Front(NamedTuple):
    """``folders``: texts by name. ``offset``: of the body, which ``format``, ``encoding`` and ``ccsid`` describe.
    ``native``: whether there is no MQRFH2."""

    folders: dict[str, str]
    offset: int
    format: str
    encoding: int
    ccsid: int
    native: bool


def native_front(message: Message, fields: Fields) -> Front:
    """Return the front of a message whose data are all body."""
    ccsid = fields.coded_char_set_id
    return Front(
        {},
        0,
        field_text(fields.format, message.ccsid),
        fields.encoding,
        ccsid if ccsid > 0 else message.ccsid,
        native=True,
    )


def front_of(message: Message, fields: Fields) -> Front:
    """Return what stands in front of the body. Raises `JmsFormatError` for a malformed MQRFH2 or folder."""
    form = field_text(fields.format, message.ccsid)
    if form != _HEADER_FORMAT:
        return native_front(message, fields)
    folders: dict[str, str] = {}
    offset, encoding, ccsid = 0, fields.encoding, fields.coded_char_set_id
    if ccsid <= 0:
        ccsid = message.ccsid
    body = message.body
    data = body if isinstance(body, bytes) else read_slice(body, 0, _HEADERS_FIRST)
    count = tags = 0
    while form == _HEADER_FORMAT:
        try:
            order = integer_order(encoding)
            fixed = _HEADERS[order].unpack_from(data, offset)
        except (ConversionError, struct.error) as error:
            raise JmsFormatError(f"MQRFH2 at {offset}: {error}") from error
        struc_id, version, length, encoding, described, raw_format, _, name_ccsid = fixed
        end = offset + length
        if struc_id not in _STRUC_IDS or version != 2 or not _FIXED <= length <= MAX_HEADER or end > len(body):
            raise JmsFormatError(f"MQRFH2 at {offset}: {struc_id!r}, version {version}, {length} bytes")
        if end > len(data) or end == len(data) < len(body):
            data = read_slice(body, 0, end + _HEADERS_FIRST)
        if name_ccsid not in _NAME_CCSIDS:
            raise JmsFormatError(f"MQRFH2 at {offset}: NameValueCCSID is {name_ccsid}")
        place = offset + _FIXED
        size = _LENGTHS[order].unpack_from
        while place < end:
            if end - place < _WORD:
                raise JmsFormatError(f"MQRFH2 at {offset}: {end - place} bytes behind the last folder")
            (found,) = size(data, place)
            place += _WORD
            if found < 0 or found % _WORD or place + found > end:
                raise JmsFormatError(f"MQRFH2 at {offset}: NameValueLength {found} at {place - _WORD}")
            raw = data[place : place + found]
            place += found
            text = raw.decode() if name_ccsid == _UTF_8 and raw.isascii() else _folder_text(raw, name_ccsid, order)
            count += 1
            if end > MAX_TAGS:  # a shorter header has no room for so many
                tags += tags_in(text)
            if count > MAX_FOLDERS or tags > MAX_TAGS:
                raise JmsFormatError(f"more than {MAX_FOLDERS} folders, or {MAX_TAGS} tags and references in them")
            name = text[1 : text.find(">")]
            if name not in _USUAL:
                name = _folder_name(name)
            if name not in folders:
                folders[name] = text
        offset = end
        form = raw_format.decode(_STRUC_IDS[struc_id]).partition("\0")[0].rstrip(" ")
        if described > 0:
            ccsid = described
    return _new(Front, (folders, offset, form, encoding, ccsid, False))


def _folder_text(raw: bytes, ccsid: int, order: ByteOrder) -> str:
    try:
        return raw.decode() if ccsid == _UTF_8 else decode_text(raw, ccsid, order=order)
    except (UnicodeError, ConversionError) as error:
        raise JmsFormatError(f"folder: {error}") from error


def _folder_name(inside: str) -> str:
    """Return the name in what stands between the first character and the end of a tag."""
    return inside if inside.isidentifier() else inside.partition(" ")[0].rstrip("/")


def _careful(text: str) -> Folder:
    try:
        return read_folder(text)
    except FolderError as error:
        raise JmsFormatError(f"folder: {error}") from error


def texts_of(folder: str | None) -> dict[str, Scalar]:
    """Return the elements of a folder of implied types by name, nulls as empty texts; the last of several counts.

    Raises `JmsFormatError` for a malformed folder.
    """
    if folder is None:
        return {}
    found = flat_folder(folder)
    if found is None:
        return {value.name: "" if value.value is None else value.value for value in _careful(folder).values}
    if "&" in folder:
        return {name: unescaped(content) for name, _, content in found[1]}
    return {name: content for name, _, content in found[1]}


@lru_cache(maxsize=512)
def _remembered(folder: str) -> dict[str, Scalar]:
    return texts_of(folder)


def type_texts(folder: str | None) -> Mapping[str, Scalar]:
    """Return the elements of folder ``mcd``, of which most messages have one of a few."""
    return texts_of(folder) if folder is None or len(folder) > _REMEMBERED else _remembered(folder)


def values_of(folder: str | None) -> dict[str, Typed]:
    """Return the properties in a folder by name; the last of several counts, elements in groups do not.

    Raises `JmsFormatError` for a malformed folder, an unknown type, and text that is not of its type.
    """
    if folder is None:
        return {}
    found = flat_folder(folder)
    if found is None:
        return _careful_values(folder)
    values = {}
    try:
        for name, attributes, content in found[1]:
            if not attributes:
                values[name] = _new(Typed, (unescaped(content) if "&" in content else content, "string"))
                continue
            reader = READERS_BY_ATTRIBUTES.get(attributes)
            if reader is not None:
                values[name] = reader(content)
                continue
            dt, null = flat_attributes(attributes)
            values[name] = NULL if null else typed_text(dt, content)
    except (JmsFormatError, ValueError):
        return _careful_values(folder)
    return values


def _careful_values(folder: str) -> dict[str, Typed]:
    return {value.name: _typed(value) for value in _careful(folder).values if "." not in value.name}


def _typed(found: FolderValue) -> Typed:
    if found.value is None:
        return NULL
    if isinstance(found.value, str):
        return typed_text(found.type, found.value.replace("&", "&amp;"))
    if found.type == "r4":
        return Typed(single(float(found.value)), "r4")
    return Typed(found.value, "i8" if found.type == "int" else found.type)
