"""Setting properties of a message, in folders of its first MQRFH2 or in its descriptor (mqi.md 15.3, 15.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

from mqbridge.mappings.destinations import Destination, DestinationError, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.publications import with_folder
from mqbridge.mappings.rfh2 import Folder, FolderError, FolderValue, read_folder, write_folder
from mqbridge.protocol.constants import MQMF, MQTYPE
from mqbridge.protocol.errors import ConversionError

from .folders import PROPERTY_FOLDERS, folder_name, folder_texts, headers_of
from .names import DESCRIPTOR_FIELDS, check_name, split_name
from .property import Property, PropertyValueError, check_value, folder_value

FOLDER_ORDER: Final = ("mcd", "jms", "usr", "mqext")
"""Leading folders, in the order in which JMS clients write them."""
_ID: Final = "ID:"
_ID_LENGTH: Final = 24
_UNTYPED: Final = frozenset(("mcd", "jms"))
"""Folders whose elements have implied types and no attribute ``dt``."""


def with_properties(message: Message, properties: Iterable[Property]) -> Message:
    """Return the message with properties set: those of the same names are replaced, all others are kept.

    ``Root.MQMD.…`` sets a field of the descriptor, and the synonyms JMSCorrelationID, JMSReplyTo, JMSType, JMSXGroupID
    and JMSXGroupSeq what they stand for. Folders that are not touched keep their bytes. Raises `PropertyNameError`,
    `PropertyValueError`; ``ConversionError`` and ``LocalProtocolError`` where a value does not fit a field.
    """
    result = message.copy()
    wanted: dict[str, dict[str, FolderValue]] = {}
    for given in properties:
        check_value(given)
        if given.name in DESCRIPTOR_FIELDS:
            _set_field(result, given)
            continue
        placed = given
        if given.name in _SETTABLE:
            replaced = _SETTABLE[given.name](result, given)
            if replaced is None:
                continue
            placed = replaced
        else:
            check_name(given.name)
        folder, name = split_name(placed.name)
        value = folder_value(name, placed)
        if folder in _UNTYPED and value.value is not None:
            value.type = "string" if value.type != "bin.hex" else value.type
        wanted.setdefault(folder, {})[name] = value
    known = {folder_name(text): text for text in folder_texts(headers_of(result))} if wanted else {}
    for folder in sorted(wanted, key=_rank):
        result = with_folder(result, folder, _rewritten(folder, known.get(folder), wanted[folder]))
    return result


def _rank(folder: str) -> int:
    return FOLDER_ORDER.index(folder) if folder in FOLDER_ORDER else len(FOLDER_ORDER)


def _rewritten(name: str, text: str | None, wanted: dict[str, FolderValue]) -> str:
    """Return the text of a folder with values set; a folder that cannot be read is replaced."""
    folder = Folder(name, {} if name in PROPERTY_FOLDERS else {"content": "properties"}, [])
    if text is not None:
        with suppress(FolderError):
            folder = read_folder(text)
    values = {value.name: value for value in folder.values} | wanted
    return write_folder(name, values.values(), folder.attributes, grouped=True)


def _set_field(message: Message, given: Property) -> None:
    key = DESCRIPTOR_FIELDS[given.name]
    present = getattr(message.md, key)
    if type(given.value) is not type(present):
        raise PropertyValueError(f"{given.name} is {type(present).__name__}, not {given.value!r}")
    setattr(message.md, key, given.value)


def _text(given: Property) -> str:
    if not isinstance(given.value, str):
        raise PropertyValueError(f"{given.name} is a string, not {given.value!r}")
    return given.value


def _identifier(text: str) -> bytes | None:
    """Return the id given as ``ID:`` and hexadecimal digits, cut or padded to 24 bytes; None for other text."""
    if not text.startswith(_ID):
        return None
    try:
        return bytes.fromhex(text[len(_ID) :])[:_ID_LENGTH].ljust(_ID_LENGTH, b"\0")
    except ValueError:
        return None


def _correlation_id(message: Message, given: Property) -> Property | None:
    """Set CorrelId to an id, or to the first 24 bytes of other text, which also goes into folder ``jms``."""
    text = _text(given)
    raw = _identifier(text)
    message.md.correl_id = text.encode()[:_ID_LENGTH] if raw is None else raw
    return Property("jms.Cid", MQTYPE.STRING, text) if raw is None else None


def _reply_to(message: Message, given: Property) -> Property:
    """Set the reply-to destination; that of a queue also sets ReplyToQ and ReplyToQMgr, a topic blanks them."""
    uri = _text(given)
    try:
        destination = Destination.parse(uri)
        is_queue = destination.kind is DestinationKind.QUEUE
        message.md.reply_to_q_mgr = destination.queue_manager
        message.md.reply_to_q = destination.name if is_queue else ""
    except (ConversionError, DestinationError) as error:
        raise PropertyValueError(f"{given.name}: {error}") from error
    return Property("jms.Rto", MQTYPE.STRING, uri)


def _type(_message: Message, given: Property) -> Property:
    return Property("mcd.Type", MQTYPE.STRING, _text(given))


def _group_id(message: Message, given: Property) -> None:
    text = _text(given)
    raw = _identifier(text)
    message.md.group_id = text.encode()[:_ID_LENGTH] if raw is None else raw
    message.md.msg_flags |= MQMF.MSG_IN_GROUP


def _group_seq(message: Message, given: Property) -> None:
    if not isinstance(given.value, int) or isinstance(given.value, bool):
        raise PropertyValueError(f"{given.name} is a whole number, not {given.value!r}")
    message.md.msg_seq_number = given.value
    message.md.msg_flags |= MQMF.MSG_IN_GROUP


_SETTABLE: Final[dict[str, Callable[[Message, Property], Property | None]]] = {
    "JMSCorrelationID": _correlation_id,
    "JMSReplyTo": _reply_to,
    "JMSType": _type,
    "JMSXGroupID": _group_id,
    "JMSXGroupSeq": _group_seq,
}
"""Synonyms that can be set; each function sets descriptor fields and returns the folder property, if any."""
