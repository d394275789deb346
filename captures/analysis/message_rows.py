"""Rows of the table of messages: a descriptor and its data in readable form."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from mqbridge.captures.analysis.options import AnalysisOptions
from mqbridge.captures.tables.rows import MessageRow
from mqbridge.mappings.properties.folders import folder_texts, property_folder
from mqbridge.mappings.rfh2 import FolderValue
from mqbridge.protocol.chain import HEADER_FORMATS
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.dissection.shown import EBCDIC, LATIN_1, readable_ccsid
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.observer import MessageOutcome, MessageRoute, MessageSettled, ObservedMessage
from mqbridge.protocol.structures import MD, MD1
from mqbridge.protocol.text import decode_field

MAX_PROPERTY: Final = 1024
"""Maximum number of characters of a property value in a row."""

_CACHED_TEXTS: Final = 8192
_CACHED_DESCRIPTORS: Final = 1024
_CACHED_FOLDERS: Final = 512
_USER_FOLDER: Final = "usr"
_NIL: Final = "nil"
_EXTENSION: Final = "MDE"
_SETTLED: Final = frozenset((MessageOutcome.CONFIRMED, MessageOutcome.BACKED_OUT, MessageOutcome.REFUSED))
_TIME: Final = MessageRow._fields.index("time")
_MD_FIELDS: Final = MessageRow._fields[MessageRow._fields.index("msg_id") : MessageRow._fields.index("property_types")]
_GROUP_FIELDS: Final = _MD_FIELDS[_MD_FIELDS.index("group_id") :]
_KINDS: Final = {slot.field.key: slot.field.kind for slot in MD.slots}
_DATE: Final = _MD_FIELDS.index("put_date")
_COMMON_FIELDS: Final = (_MD_FIELDS[2:_DATE], _MD_FIELDS[_DATE + 2 :])
"""Columns between CorrelId and PutDate, and those behind PutTime."""
_DEFAULTS: Final[dict[str, Any]] = {
    slot.field.key: {"int": slot.field.default, "bytes": bytes(slot.size).hex()}.get(slot.field.kind, "")
    for slot in MD.slots
}
_NO_DESCRIPTOR: Final = tuple(0 if _KINDS[key] == "int" else "" for key in _MD_FIELDS)
# Faster than the attribute ``value`` of a member.
_COURSES: Final = {course: course.value for course in MessageRoute}
_DIRECTIONS: Final = {direction: direction.value for direction in Direction}
_FATES: Final = {fate: fate.value for fate in MessageOutcome}
_UNKNOWN: Final = MessageOutcome.UNKNOWN.value
_row: Final = tuple.__new__  # a row of as many columns as it has to have


@lru_cache(_CACHED_TEXTS)
def _text(raw: bytes, ccsid: int, order: ByteOrder) -> str:
    return decode_field(raw, readable_ccsid(ccsid), order=order)


_Read = tuple[str, int, tuple[str | int, ...]]
"""A descriptor: Format and CCSID of the data (0 or less if it states none), and the columns of the row."""

_ITS_OWN: Final = frozenset(("msg_id", "correl_id", "put_date", "put_time"))
"""Fields that differ between messages; the others mostly repeat."""


def _reader(structure: Structure[Any], order: ByteOrder) -> Callable[[bytes, int], _Read]:
    """Return a function of a raw descriptor and its CCSID; fields that its version lacks have their defaults.

    Repeated parts are read once and looked up by their bytes.
    """
    starts = {slot.field.key: slot.offset for slot in structure.slots}
    stops = {slot.field.key: slot.offset + slot.size for slot in structure.slots}
    common = [slot for slot in structure.slots if slot.field.key not in _ITS_OWN]
    layout = struct.Struct(order.prefix + "".join(slot.code for slot in common))
    msg_id, correl_id, put_date, put_time = [starts[key] for key in ("msg_id", "correl_id", "put_date", "put_time")]
    behind_ids, behind_times, size = stops["correl_id"], stops["put_time"], structure.size
    read_common = lru_cache(_CACHED_DESCRIPTORS)(_common_reader([slot.field.key for slot in common], layout, order))

    def read(raw: bytes, ccsid: int) -> _Read:
        message_format, stated, front, back = read_common(
            raw[:msg_id] + raw[behind_ids:put_date] + raw[behind_times:size], ccsid
        )
        date, time = _text(raw[put_date:put_time], ccsid, order), _text(raw[put_time:behind_times], ccsid, order)
        ids = raw[msg_id:correl_id].hex(), raw[correl_id:behind_ids].hex()
        return message_format, stated, (*ids, *front, date, time, *back)

    return read


_Common = tuple[str, int, tuple[str | int, ...], tuple[str | int, ...]]
"""The same, with the columns between CorrelId and PutDate, and those behind PutTime."""


def _common_reader(keys: list[str], layout: struct.Struct, order: ByteOrder) -> Callable[[bytes, int], _Common]:
    """Return a function of the concatenated fields with these keys, and the CCSID."""

    def read(raw: bytes, ccsid: int) -> _Common:
        fields: dict[str, Any] = dict(zip(keys, layout.unpack(raw), strict=True))
        message_format = _text(fields["format"], EBCDIC if fields["struc_id"][0] & 0x80 else LATIN_1, order)
        front, back = [tuple(_column(key, fields, ccsid, order) for key in columns) for columns in _COMMON_FIELDS]
        return message_format, fields["coded_char_set_id"], front, back

    return read


def _column(key: str, fields: dict[str, Any], ccsid: int, order: ByteOrder) -> str | int:
    """Return what a row shows of a field, which may be absent."""
    value = fields.get(key)
    if value is None:
        default: str | int = _DEFAULTS[key]
        return default
    kind = _KINDS[key]
    shown: str | int = _text(value, ccsid, order) if kind == "char" else value.hex() if kind == "bytes" else value
    return shown


_READERS: Final = {
    (descriptor.size, order): _reader(descriptor, order) for descriptor in (MD, MD1) for order in ByteOrder
}

Columns = tuple[Any, ...]
_Properties = dict[str, tuple[str, str]]


PendingRow = tuple[ObservedMessage, Columns, Columns]
"""A message whose fate is not known yet: the columns before and behind the fate."""


def pending_row(seen: ObservedMessage, flow: int, channel: str, options: AnalysisOptions) -> PendingRow:
    """Return the row of a message as far as known when it was seen."""
    columns = _NO_DESCRIPTOR
    message_format, ccsid = "", seen.ccsid
    read = _READERS.get((len(seen.descriptor), seen.order))
    if read is not None:
        message_format, stated, columns = read(seen.descriptor, ccsid)
        ccsid = stated if stated > 0 else ccsid
    first = seen.first
    front = (
        options.capture,
        flow,
        _COURSES[seen.course],
        _DIRECTIONS[seen.direction],
        first.time,
        first.packet,
        seen.last.time,
        channel,
        seen.queue,
        seen.queue_manager,
        seen.conversation,
        seen.handle,
        seen.sequence_number,
        seen.batch,
        seen.luwid.hex(),
    )
    data, length = seen.data, seen.length
    if message_format not in HEADER_FORMATS and options.bodies == "hash" and seen.whole and len(data) == length:
        digest = sha256(data).hexdigest()  # most messages
        return seen, front, (length, True, [], {}, message_format, ccsid, length, digest, None, *columns, {})
    properties: _Properties = {}
    body = _body(seen, message_format, ccsid, properties, options)
    if seen.descriptor and len(seen.descriptor) < MQMD_LENGTH_2 and body[0][:1] == [_EXTENSION]:
        columns = _extended(seen, columns)
    texts = {name: text for name, (text, _) in properties.items()}
    types = {name: kind for name, (_, kind) in properties.items()}
    return seen, front, (length, seen.whole, body[0], texts, *body[1:], *columns, types)


def settled_row(pending: PendingRow, settled: MessageSettled | None) -> MessageRow:
    """Return the complete row; ``settled``: fate of the message, None if unknown."""
    _, front, back = pending
    known: Columns
    if settled is None:
        known = _UNKNOWN, 0, None, None
    elif settled.fate in _SETTLED:
        time = settled.place.time
        known = _FATES[settled.fate], settled.reason, time, time - front[_TIME]
    else:
        known = _FATES[settled.fate], settled.reason, None, None
    return _row(MessageRow, front + known + back)


def _extended(seen: ObservedMessage, columns: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the columns of a version 1 descriptor with the fields of the MQMDE behind it."""
    assert seen.chain is not None
    record = seen.chain.links[0].header.record
    values = [getattr(record, name) for name in _GROUP_FIELDS]
    return *columns[: -len(_GROUP_FIELDS)], *[one.hex() if isinstance(one, bytes) else one for one in values]


def _body(
    seen: ObservedMessage, message_format: str, ccsid: int, properties: _Properties, options: AnalysisOptions
) -> Columns:
    """Return the columns from ``headers`` to ``body`` except ``properties``, which is filled."""
    data = seen.data
    headers: list[str] = []
    start = 0
    if message_format in HEADER_FORMATS and (chain := seen.chain) is not None:
        headers = [link.name for link in chain.links]
        for text in folder_texts(chain):
            properties.update(_folder(text))
        start, message_format, ccsid = chain.body_offset, chain.body_format, chain.body_ccsid
    digest = body = None
    if options.bodies != "none":
        if seen.whole and len(data) == seen.length:
            shown = data[start:] if start else data
            digest = sha256(shown).hexdigest()
            body = bytes(shown) if options.bodies == "bytes" else None
        elif seen.digest:
            digest = seen.digest.hex()
    return headers, message_format, ccsid, seen.length - start, digest, body


@lru_cache(_CACHED_FOLDERS)
def _folder(text: str) -> tuple[tuple[str, tuple[str, str]], ...]:
    """Return names, values and types of a folder of properties; empty for other folders."""
    folder = property_folder(text)
    if folder is None:
        return ()
    prefix = "" if folder.name == _USER_FOLDER else f"{folder.name}."
    return tuple((prefix + value.name, _shown(value)) for value in folder.values)


def _shown(given: FolderValue) -> tuple[str, str]:
    value = given.value
    if value is None:
        return "", _NIL
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text[:MAX_PROPERTY], given.type
