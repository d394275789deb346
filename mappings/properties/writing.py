"""Setting properties of a message, in folders of its first MQRFH2 or in its descriptor (mqi.md 15.3, 15.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

from mqbridge.mappings import jms_headers
from mqbridge.mappings.destinations import Destination, DestinationError, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.publications import with_folder
from mqbridge.mappings.rfh2 import FolderError, FolderValue, read_folder, write_folder
from mqbridge.protocol.constants import MQMF, MQTYPE
from mqbridge.protocol.errors import ConversionError

from .folders import PROPERTY_FOLDERS, folder_name, texts_of
from .names import DESCRIPTOR_FIELDS, check_name, split_name
from .property import Property, PropertyValueError, check_value, folder_value
from .view import PropertyView

FOLDER_ORDER: Final = ("mcd", "jms", "usr", "mqext")
"""Leading folders, in the order in which JMS clients write them."""
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
        setter = _SETTABLE.get(given.name)
        if setter is None:
            check_name(given.name)
        for placed in (given,) if setter is None else setter(result, given):
            folder, name = split_name(placed.name)
            value = folder_value(name, placed)
            if folder in _UNTYPED and value.value is not None:
                value.type = "string" if value.type != "bin.hex" else value.type
            wanted.setdefault(folder, {})[name] = value
    known = [(folder_name(text), text) for text in texts_of(result)] if wanted else []
    for folder in sorted(wanted, key=_rank):
        texts = [text for name, text in known if name == folder]
        result = with_folder(result, folder, _rewritten(folder, texts, wanted[folder]))
    return result


def _rank(folder: str) -> int:
    return FOLDER_ORDER.index(folder) if folder in FOLDER_ORDER else len(FOLDER_ORDER)


def _rewritten(name: str, texts: Iterable[str], wanted: dict[str, FolderValue]) -> str:
    """Return the text of a folder with values set, and those of all folders of its name; one that cannot be read is
    replaced."""
    attributes = {} if name in PROPERTY_FOLDERS else {"content": "properties"}
    values: dict[str, FolderValue] = {}
    for text in texts:
        with suppress(FolderError):
            folder = read_folder(text)
            attributes = folder.attributes
            values |= {value.name: value for value in folder.values}
    return write_folder(name, (values | wanted).values(), attributes, grouped=True)


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


def _id_bytes(given: Property) -> bytes:
    try:
        return jms_headers.id_bytes(_text(given))
    except ValueError:
        raise PropertyValueError(f"{given.name}: {given.value!r} has no hexadecimal digits behind ID:") from None


def _correlation_id(message: Message, given: Property) -> list[Property]:
    """Set CorrelId to an id, or to the first 24 bytes of other text, which also goes into folder ``jms``.

    An id is written there only to replace what stands there.
    """
    text = _text(given)
    message.md.correl_id = _id_bytes(given)
    if text.startswith(jms_headers.ID) and PropertyView.of(message).folder("jms").get("Cid") is None:
        return []
    return [Property("jms.Cid", MQTYPE.STRING, text)]


def _reply_to(message: Message, given: Property) -> list[Property]:
    """Set the reply-to destination; that of a queue also sets ReplyToQ and ReplyToQMgr, a topic blanks them."""
    uri = _text(given)
    try:
        destination = Destination.parse(uri)
        is_queue = destination.kind is DestinationKind.QUEUE
        message.md.reply_to_q_mgr = destination.queue_manager
        message.md.reply_to_q = destination.name if is_queue else ""
    except (ConversionError, DestinationError) as error:
        raise PropertyValueError(f"{given.name}: {error}") from error
    return [Property("jms.Rto", MQTYPE.STRING, uri)]


def _type(_message: Message, given: Property) -> list[Property]:
    elements = jms_headers.type_elements(_text(given))
    return [Property("mcd." + name, MQTYPE.STRING, text) for name, text in elements]


def _group_id(message: Message, given: Property) -> list[Property]:
    message.md.group_id = _id_bytes(given)
    message.md.msg_flags |= MQMF.MSG_IN_GROUP
    return []


def _group_seq(message: Message, given: Property) -> list[Property]:
    if not isinstance(given.value, int) or isinstance(given.value, bool):
        raise PropertyValueError(f"{given.name} is a whole number, not {given.value!r}")
    message.md.msg_seq_number = given.value
    message.md.msg_flags |= MQMF.MSG_IN_GROUP
    return []


_SETTABLE: Final[dict[str, Callable[[Message, Property], list[Property]]]] = {
    "JMSCorrelationID": _correlation_id,
    "JMSReplyTo": _reply_to,
    "JMSType": _type,
    "JMSXGroupID": _group_id,
    "JMSXGroupSeq": _group_seq,
}
"""Synonyms that can be set; each function sets descriptor fields and returns the properties in folders."""
SETTABLE_SYNONYMS: Final = frozenset(_SETTABLE)
"""Their names."""
