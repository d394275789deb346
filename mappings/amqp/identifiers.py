"""Message ids and correlation ids: AMQP's types in JMS's text, as Qpid JMS writes them.

A text that begins with ``ID:`` stays as it is. Other ids become ``ID:`` with a mark of their type, so that a
correlation id made of a message id turns into the same AMQP value again.

A JMSCorrelationID in a message of MQ is ``ID:`` and hexadecimal digits, or begins otherwise: IBM's client reads no
message with another one. So a correlation id of up to 24 bytes is a CorrelId, and texts ``ID:…`` that MQ does not have
get ``AMQP:`` in front, which is taken off again on the way to a provider.
"""

from __future__ import annotations

import re
import uuid
from typing import Final

from mqbridge.mappings.jms_headers import ID_LENGTH
from mqbridge.mappings.jms_headers import identifier as mq_identifier

from .errors import AmqpMappingError
from .message import MessageIdentifier

_ID: Final = "ID:"
_UUID: Final = "AMQP_UUID:"
_ULONG: Final = "AMQP_ULONG:"
_BINARY: Final = "AMQP_BINARY:"
_STRING: Final = "AMQP_STRING:"
_NO_PREFIX: Final = "AMQP_NO_PREFIX:"
_MARKS: Final = (_UUID, _ULONG, _BINARY, _STRING, _NO_PREFIX)
_UUID_FORM: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_DIGITS: Final = re.compile(r"[0-9]{1,20}", re.ASCII)
_HEX: Final = re.compile(r"([0-9a-fA-F]{2})*", re.ASCII)
_FOREIGN: Final = "AMQP:"
_MARKED: Final = re.compile(r"(?:AMQP:)+ID:")
_MAX_ULONG: Final = (1 << 64) - 1


def message_id_text(identifier: MessageIdentifier) -> str | None:
    """JMSMessageID of a message id; one without ``ID:`` gets the mark that says so."""
    if isinstance(identifier, str) and not identifier.startswith(_ID):
        return _ID + _NO_PREFIX + identifier
    return correlation_id_text(identifier)


def correlation_id_text(identifier: MessageIdentifier) -> str | None:
    """JMSCorrelationID of a correlation id; a text without ``ID:`` is the application's own."""
    if isinstance(identifier, str):
        marked = identifier.startswith(_ID) and identifier.startswith(_MARKS, len(_ID))
        return _ID + _STRING + identifier if marked else identifier
    if isinstance(identifier, uuid.UUID):
        return f"{_ID}{_UUID}{identifier}"
    if isinstance(identifier, int):
        return f"{_ID}{_ULONG}{identifier}"
    if isinstance(identifier, bytes):
        return f"{_ID}{_BINARY}{identifier.hex().upper()}"
    return None


def correlation_id_of_mq(identifier: MessageIdentifier) -> str | bytes | None:
    """JMSCorrelationID in a message of MQ, see above."""
    if isinstance(identifier, bytes) and 0 < len(identifier) <= ID_LENGTH:
        return identifier
    text = correlation_id_text(identifier)
    if text is None or not text.startswith(_ID):
        return _FOREIGN + text if text is not None and _MARKED.match(text) else text
    try:
        mq_identifier(text)
    except ValueError:
        return _FOREIGN + text
    return text


def identifier_of_mq(text: str | None) -> MessageIdentifier:
    """The correlation id of a JMSCorrelationID in a message of MQ. Raises `AmqpMappingError` as `identifier_of`."""
    if text is not None and _MARKED.match(text):
        text = text.removeprefix(_FOREIGN)
    return identifier_of(text)


def identifier_of(text: str | None) -> MessageIdentifier:
    """The AMQP value of JMSMessageID or JMSCorrelationID. Raises `AmqpMappingError` where the mark of a type is not
    followed by a value of it."""
    if text is None or not text.startswith(_ID):
        return text
    marked = text[len(_ID) :]
    mark = next((each for each in _MARKS if marked.startswith(each)), None)
    if mark is None:
        return text
    value = marked[len(mark) :]
    if mark in (_STRING, _NO_PREFIX):
        return value
    if mark == _UUID and _UUID_FORM.fullmatch(value):
        return uuid.UUID(value)
    if mark == _ULONG and _DIGITS.fullmatch(value) and int(value) <= _MAX_ULONG:
        return int(value)
    if mark == _BINARY and _HEX.fullmatch(value):
        return bytes.fromhex(value)
    raise AmqpMappingError(f"{text[:80]!r} is no id: behind {mark} there is none of that type")
