"""Requests and replies of administration as messages and as values (E-271 to E-281)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mqbridge.bridge.everyplace.definitions import bridge_properties, connection_definition, listener_definition
from mqbridge.bridge.everyplace.definitions.queue_properties import NAME
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message, Style
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import (
    ADMIN_ACTION,
    ADMIN_ERRORS,
    ADMIN_MAX_ATTEMPTS,
    ADMIN_PARAMS,
    ADMIN_RC,
    ADMIN_REASON,
    ADMIN_TARGET,
    BY_NAME,
)

from .actions import CLASS_PREFIX, CLASSES, Action, ReturnCode

MAX_ATTEMPTS: Final = 1000
"""Most attempts that a request may ask for."""
_ROWS: Final = (
    connection_definition.PROPERTIES,
    listener_definition.PROPERTIES,
    *bridge_properties.PROPERTIES.values(),
)
_SECRET: Final = {row.field for rows in _ROWS for row in rows if row.secret}


@dataclass(frozen=True, slots=True)
class Request:
    """One action (E-275). ``target``: the queue manager that is to obey. ``resource``: class, of `CLASSES`.
    ``parameters``: the name of the object and its characteristics (E-272). ``attempts``: how often it is tried."""

    target: str
    action: Action
    resource: str
    parameters: Fields
    attempts: int = 1

    @property
    def name(self) -> str:
        """Of the object; empty for the queue manager itself."""
        return _text(self.parameters, NAME.field)

    def __str__(self) -> str:
        return f"{self.action.word} {self.resource} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Result:
    """What an action gave. ``values``: of an inquiry, or the parameters. ``errors``: why characteristics failed, by
    field, a text for each or for each element of an array (E-280)."""

    code: ReturnCode
    values: Fields
    reason: str = ""
    errors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a queue manager answers. ``request``: with the parameters that it had, or their values."""

    request: Request
    code: ReturnCode
    reason: str
    errors: Mapping[str, tuple[str, ...]]
    correl_id: bytes | None = None


def is_request(message: Message) -> bool:
    """Whether a message is one that an administration queue obeys."""
    return ADMIN_ACTION in message and ADMIN_RC not in message


def write_request(request: Request, reply_to: Address | None = None) -> Message:
    """Return a request as a message. ``reply_to``: the queue for the reply, None if none is wanted (E-273)."""
    found = Message(CLASS_PREFIX + request.resource)
    found.put(ADMIN_TARGET, request.target, FieldType.ASCII)
    found.put(ADMIN_ACTION, int(request.action), FieldType.INT)
    found.put(ADMIN_MAX_ATTEMPTS, request.attempts, FieldType.INT)
    found.put(ADMIN_PARAMS, request.parameters, FieldType.FIELDS)
    if reply_to is not None:
        found.style = Style.REQUEST
        found.reply_to = reply_to.queue, reply_to.queue_manager
    return found


def read_request(message: Message) -> Request:
    """Return the request that a message is.

    Raises `EveryplaceError` ADMIN_NOT_ADMIN_MSG, ADMIN_ACTION_NOT_SUPPORTED for an unknown action, ADMIN_INVALID_FIELD.
    """
    resource = message.type.removeprefix(CLASS_PREFIX)
    if ADMIN_ACTION not in message or resource == message.type or resource not in CLASSES:
        raise EveryplaceError(Code.ADMIN_NOT_ADMIN_MSG, f"{message.type[:40]!r} is no class of administration messages")
    try:
        number = _get(message, ADMIN_ACTION)
        attempts = _get(message, ADMIN_MAX_ATTEMPTS) if ADMIN_MAX_ATTEMPTS in message else 1
        parameters = _get(message, ADMIN_PARAMS) if ADMIN_PARAMS in message else None
        target = _get(message, ADMIN_TARGET) if ADMIN_TARGET in message else ""
    except EveryplaceError as error:
        raise EveryplaceError(Code.ADMIN_INVALID_FIELD, error.text) from None
    if number not in tuple(Action):
        raise EveryplaceError(Code.ADMIN_ACTION_NOT_SUPPORTED, f"{resource}: there is no action {number}")
    if not 1 <= attempts <= MAX_ATTEMPTS:
        raise EveryplaceError(
            Code.ADMIN_INVALID_FIELD, f"{ADMIN_MAX_ATTEMPTS}: {attempts} is not from 1 to {MAX_ATTEMPTS}"
        )
    parameters = parameters or Fields()
    if NAME.field in parameters:
        NAME.checked(NAME.read(parameters))
    return Request(target or "", Action(number), resource, parameters, attempts)


def write_reply(request: Message, result: Result) -> Message:
    """Return the reply to a request: its fields, and what came of it (E-278)."""
    found = Message(request.type)
    for name in (ADMIN_TARGET, ADMIN_ACTION, ADMIN_MAX_ATTEMPTS):
        encoded = request.encoded(name)
        if encoded is not None:
            found.put_encoded(name, encoded)
    found.style = Style.REPLY
    found.msg_id = request.msg_id
    found.correl_id = request.correl_id
    found.put(ADMIN_PARAMS, _shown(result.values), FieldType.FIELDS)
    found.put(ADMIN_RC, int(result.code), FieldType.BYTE)
    found.put(ADMIN_REASON, result.reason, FieldType.UNICODE)
    errors = Fields()
    for name, texts in result.errors.items():
        if len(texts) == 1:
            errors.put(name, texts[0], FieldType.UNICODE)
        else:
            errors.put(name, texts, FieldType.UNICODE_ARRAY)
    found.put(ADMIN_ERRORS, errors, FieldType.FIELDS)
    return found


def read_reply(message: Message) -> Reply:
    """Return the reply that a message is. Raises `EveryplaceError` ADMIN_NOT_ADMIN_MSG."""
    if ADMIN_RC not in message:
        raise EveryplaceError(Code.ADMIN_NOT_ADMIN_MSG, "this is no reply to an administration message")
    code = _get(message, ADMIN_RC)
    if code not in tuple(ReturnCode):
        raise EveryplaceError(Code.ADMIN_NOT_ADMIN_MSG, f"there is no return code {code}")
    found: Fields = (_get(message, ADMIN_ERRORS) if ADMIN_ERRORS in message else None) or Fields()
    errors = {name: _texts(found.get(name)) for name in found}
    reason = _get(message, ADMIN_REASON) if ADMIN_REASON in message else ""
    return Reply(read_request(message), ReturnCode(code), reason or "", errors, message.correl_id)


def error_text(error: EveryplaceError) -> str:
    """Return an error as a characteristic shows it (E-280)."""
    return f"Code={error.code:d}; {error.text}"


def _shown(values: Fields) -> Fields:
    """Return values without those that are never given back."""
    found = values.copy()
    for name in _SECRET:
        if name in found:
            found.delete(name)
    return found


def _texts(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _get(message: Message, name: str) -> Any:
    return message.get(name, *BY_NAME[name].types)


def _text(fields: Fields, name: str) -> str:
    if name not in fields or fields.type_of(name) not in (FieldType.ASCII, FieldType.UNICODE):
        return ""
    return fields.get(name) or ""
