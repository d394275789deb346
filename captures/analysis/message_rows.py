"""Rows of the table of messages: a descriptor and its data, read for people."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Final, NamedTuple

from captures.analysis.options import AnalysisOptions
from captures.tables.rows import MessageRow
from mappings.properties.folders import folder_texts, property_folder
from protocol.chain import HEADER_FORMATS, Chain, walk
from protocol.compiled import Record
from protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2
from protocol.dissection.shown import readable_ccsid
from protocol.numbers import ByteOrder
from protocol.observer import MessageFate, MessageSettled, ObservedMessage
from protocol.structures import MD, MD1
from protocol.text import decode_field

MAX_PROPERTY: Final = 1024
"""Characters of the value of one property that a row holds."""

_CACHED_TEXTS: Final = 8192
_CACHED_FOLDERS: Final = 512
_USER_FOLDER: Final = "usr"
_SETTLED: Final = frozenset((MessageFate.CONFIRMED, MessageFate.BACKED_OUT, MessageFate.REFUSED))
_FIRST_OF_MD: Final = MessageRow._fields.index("msg_id")
_FATE: Final = MessageRow._fields.index("fate")
_AFTER_FATE: Final = MessageRow._fields.index("length")
_MD_FIELDS: Final = MessageRow._fields[_FIRST_OF_MD:]
_KINDS: Final = {slot.field.key: slot.field.kind for slot in MD.slots}
_NO_DESCRIPTOR: Final = tuple("" if _KINDS[key] != "int" else 0 for key in _MD_FIELDS)
_READ: Final = {"char": "_text(record.{}, ccsid, big)", "bytes": "record.{}.hex()", "int": "record.{}"}


@lru_cache(_CACHED_TEXTS)
def _text(raw: bytes, ccsid: int, big_endian: bool) -> str:
    return decode_field(raw, readable_ccsid(ccsid), big_endian=big_endian)


def _reader(fields: tuple[str, ...], known: frozenset[str]) -> Any:
    """A function of a descriptor's record that gives the columns, defaults for the fields it has not."""
    columns = [_READ[_KINDS[key]].format(key) if key in known else repr(_defaults()[key]) for key in fields]
    return eval(f"lambda record, ccsid, big: ({', '.join(columns)},)", {"_text": _text})


def _defaults() -> dict[str, Any]:
    values = {slot.field.key: slot.field.default for slot in MD.slots}
    return {key: "" if _KINDS[key] != "int" else values[key] for key in _MD_FIELDS}


_READERS: Final = {
    MQMD_LENGTH_2: _reader(_MD_FIELDS, frozenset(_KINDS)),
    MQMD_LENGTH_1: _reader(_MD_FIELDS, frozenset(slot.field.key for slot in MD1.slots)),
}
_CODECS: Final[dict[tuple[int, ByteOrder], type[Record]]] = {
    (MQMD_LENGTH_2, "big"): MD.codec("big"),
    (MQMD_LENGTH_2, "little"): MD.codec("little"),
    (MQMD_LENGTH_1, "big"): MD1.codec("big"),
    (MQMD_LENGTH_1, "little"): MD1.codec("little"),
}


class _Body(NamedTuple):
    """Columns from ``headers`` to ``body``."""

    headers: list[str]
    properties: dict[str, str]
    body_format: str
    body_ccsid: int
    body_length: int
    body_sha256: str | None
    body: bytes | None


def message_row(seen: ObservedMessage, flow: int, channel: str, options: AnalysisOptions) -> MessageRow:
    """The row of a message as far as it is known when it was seen; :func:`settled_row` completes it."""
    descriptor = _NO_DESCRIPTOR
    codec = _CODECS.get((len(seen.descriptor), seen.order))
    if codec is not None:
        record = codec.parse(seen.descriptor)
        descriptor = _READERS[len(seen.descriptor)](record, seen.ccsid, seen.order == "big")
        ccsid = record.coded_char_set_id if record.coded_char_set_id > 0 else seen.ccsid
        name = _text(record.format, 500 if record.struc_id[0] & 0x80 else 819, True)
        body = _body(seen, name, record.encoding, ccsid, options)
    else:
        body = _body(seen, "", 0, seen.ccsid, options)
    return MessageRow._make(
        (
            options.capture,
            flow,
            seen.course.value,
            seen.direction.value,
            seen.first.time,
            seen.first.packet,
            seen.last.time,
            channel,
            seen.queue,
            seen.queue_manager,
            seen.conversation,
            seen.handle,
            seen.sequence_number,
            seen.batch,
            seen.luwid.hex(),
            MessageFate.UNKNOWN.value,
            0,
            None,
            None,
            seen.length,
            seen.whole,
            *body,
            *descriptor,
        )
    )


def settled_row(row: MessageRow, settled: MessageSettled) -> MessageRow:
    """The row with the fate of its message, and the time at which that was seen."""
    if settled.fate in _SETTLED:
        time = settled.place.time
        known: tuple[object, ...] = settled.fate.value, settled.reason, time, time - row.time
    else:
        known = settled.fate.value, settled.reason, None, None
    return MessageRow._make(row[:_FATE] + known + row[_AFTER_FATE:])


def _body(seen: ObservedMessage, message_format: str, encoding: int, ccsid: int, options: AnalysisOptions) -> _Body:
    data = seen.data
    headers: list[str] = []
    properties: dict[str, str] = {}
    start = 0
    if message_format in HEADER_FORMATS:
        chain = walk(message_format, encoding, ccsid, data)
        headers = [link.name for link in chain.links]
        properties = _properties(chain)
        start, message_format, ccsid = chain.body_offset, chain.body_format, chain.body_ccsid
    whole = seen.whole and len(data) == seen.length
    digest = body = None
    if whole and options.bodies != "none":
        shown = data[start:] if start else data
        digest = hashlib.sha256(shown).hexdigest()
        body = bytes(shown) if options.bodies == "bytes" else None
    elif seen.digest and not start and options.bodies != "none":
        digest = seen.digest.hex()
    return _Body(headers, properties, message_format, ccsid, seen.length - start, digest, body)


def _properties(chain: Chain) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in folder_texts(chain):
        found.update(_folder(text))
    return found


@lru_cache(_CACHED_FOLDERS)
def _folder(text: str) -> tuple[tuple[str, str], ...]:
    """Names and values of a folder of properties; nothing of any other."""
    folder = property_folder(text)
    if folder is None:
        return ()
    prefix = "" if folder.name == _USER_FOLDER else f"{folder.name}."
    return tuple((prefix + value.name, _shown(value.value)) for value in folder.values)


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        value = value.hex()
    return str(value)[:MAX_PROPERTY]
