"""Calls of a program on a queue, and their outcomes, as values and as fields objects (mqe.md 8).

The same values serve a queue manager's own programs and travel between queue managers as REQUEST and ANSWER.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, unique
from typing import Final, TypeAlias

from .errors import Code, EveryplaceError, NoMatchingMessage
from .field_types import FieldType
from .fields import Fields
from .message import Message
from .names import Address
from .uid import MessageUid

MAX_BROWSED: Final = 1000
"""Most messages that one answer to a browse has; the caller goes on behind the last one."""


@dataclass(frozen=True, slots=True)
class Put:
    """``confirm``: confirm id, 0 for none (E-172)."""

    address: Address
    message: Message
    confirm: int = 0


@dataclass(frozen=True, slots=True)
class ConfirmPut:
    """E-196"""

    address: Address
    uid: MessageUid


@dataclass(frozen=True, slots=True)
class Get:
    """``wanted``: the filter; no fields mean any message (E-173)."""

    address: Address
    wanted: Fields
    confirm: int = 0


@dataclass(frozen=True, slots=True)
class ConfirmGet:
    """E-200"""

    address: Address
    uid: MessageUid


@dataclass(frozen=True, slots=True)
class Browse:
    """``uids_only``: without the messages (E-174)."""

    address: Address
    wanted: Fields
    uids_only: bool = False


@dataclass(frozen=True, slots=True)
class BrowseAndLock:
    """E-175, E-176"""

    address: Address
    wanted: Fields
    confirm: int = 0


@dataclass(frozen=True, slots=True)
class Unlock:
    """E-175"""

    address: Address
    uid: MessageUid
    lock: int


@dataclass(frozen=True, slots=True)
class Delete:
    """``lock``: lock id, 0 for none (E-178)."""

    address: Address
    uid: MessageUid
    lock: int = 0


@dataclass(frozen=True, slots=True)
class Undo:
    """E-153"""

    address: Address
    confirm: int


@dataclass(frozen=True, slots=True)
class Discover:
    """Whether there is such a queue, and how it is protected (E-317)."""

    address: Address


Call: TypeAlias = Put | ConfirmPut | Get | ConfirmGet | Browse | BrowseAndLock | Unlock | Delete | Undo | Discover


@dataclass(frozen=True, slots=True)
class Done:
    """The call has been done, and is on disk."""


@dataclass(frozen=True, slots=True)
class Got:
    """The message of a get."""

    message: Message


@dataclass(frozen=True, slots=True)
class Browsed:
    """``messages``: whole, or just UIDs (E-041). ``lock``: lock id, 0 without a lock."""

    messages: tuple[Message, ...]
    lock: int = 0


@dataclass(frozen=True, slots=True)
class Discovered:
    """``attributes``: how the queue is protected, as in an inquiry (E-130)."""

    attributes: Fields


@dataclass(frozen=True, slots=True)
class Refused:
    """The call has changed nothing."""

    code: Code
    text: str

    def error(self) -> EveryplaceError:
        """Return it as an exception."""
        kind = NoMatchingMessage if self.code is Code.Q_NO_MATCHING_MSG else EveryplaceError
        return kind(self.code, self.text)


Outcome: TypeAlias = Done | Got | Browsed | Discovered | Refused


@unique
class _Verb(IntEnum):
    """Number of a call on the wire; a number is never given twice."""

    PUT = 1
    CONFIRM_PUT = 2
    GET = 3
    CONFIRM_GET = 4
    BROWSE = 5
    BROWSE_AND_LOCK = 6
    UNLOCK = 7
    DELETE = 8
    UNDO = 9
    DISCOVER = 10


_VERBS: Final[dict[type, _Verb]] = {
    Put: _Verb.PUT,
    ConfirmPut: _Verb.CONFIRM_PUT,
    Get: _Verb.GET,
    ConfirmGet: _Verb.CONFIRM_GET,
    Browse: _Verb.BROWSE,
    BrowseAndLock: _Verb.BROWSE_AND_LOCK,
    Unlock: _Verb.UNLOCK,
    Delete: _Verb.DELETE,
    Undo: _Verb.UNDO,
    Discover: _Verb.DISCOVER,
}
# Names of fields on the wire.
_VERB, _QUEUE, _QUEUE_MANAGER, _MESSAGE, _CONFIRM, _LOCK = "v", "q", "m", "msg", "c", "l"
_ORIGIN, _TIME, _WANTED, _UIDS, _CODE, _TEXT, _MESSAGES, _ATTRIBUTES = "o", "t", "f", "u", "rc", "e", "b", "a"


def call_fields(call: Call) -> Fields:
    """Return a call as a fields object."""
    found = Fields()
    found.put(_VERB, int(_VERBS[type(call)]), FieldType.BYTE)
    found.put(_QUEUE, call.address.queue, FieldType.ASCII)
    found.put(_QUEUE_MANAGER, call.address.queue_manager, FieldType.ASCII)
    match call:
        case Put():
            found.put(_MESSAGE, call.message, FieldType.FIELDS)
        case Get() | Browse() | BrowseAndLock():
            found.put(_WANTED, call.wanted, FieldType.FIELDS)
        case ConfirmPut() | ConfirmGet() | Unlock() | Delete():
            found.put(_ORIGIN, call.uid.origin, FieldType.ASCII)
            found.put(_TIME, call.uid.time, FieldType.LONG)
    if isinstance(call, Put | Get | BrowseAndLock | Undo) and call.confirm:
        found.put(_CONFIRM, call.confirm, FieldType.LONG)
    if isinstance(call, Unlock | Delete) and call.lock:
        found.put(_LOCK, call.lock, FieldType.LONG)
    if isinstance(call, Browse) and call.uids_only:
        found.put(_UIDS, value=True, kind=FieldType.BOOLEAN)
    return found


def read_call(fields: Fields) -> Call:
    """Return the call that a fields object is. Raises `EveryplaceError` BAD_REQUEST."""
    try:
        verb = _Verb(fields.get(_VERB, FieldType.BYTE))
        address = Address(fields.get(_QUEUE, FieldType.ASCII), fields.get(_QUEUE_MANAGER, FieldType.ASCII))
        address.check()
        return _READERS[verb](address, fields)
    except (EveryplaceError, ValueError) as error:
        raise EveryplaceError(Code.BAD_REQUEST, f"this is no call: {error}") from None


def reference_fields(name: MessageUid) -> Fields:
    """Return what stands in place of a call whose body has gone ahead in parts under a name."""
    found = Fields()
    found.put(_ORIGIN, name.origin, FieldType.ASCII)
    found.put(_TIME, name.time, FieldType.LONG)
    return found


def read_reference(fields: Fields) -> MessageUid | None:
    """Return the name of such a body; None if the fields are a call. Raises `EveryplaceError` BAD_REQUEST."""
    if _VERB in fields:
        return None
    try:
        return _uid(fields)
    except EveryplaceError as error:
        raise EveryplaceError(Code.BAD_REQUEST, f"this is no call: {error}") from None


def outcome_fields(outcome: Outcome) -> Fields:
    """Return an outcome as a fields object."""
    found = Fields()
    match outcome:
        case Got():
            found.put(_MESSAGE, outcome.message, FieldType.FIELDS)
        case Browsed():
            messages = Fields()
            for number, message in enumerate(outcome.messages):
                messages.put(f"{number:04}", message, FieldType.FIELDS)
            found.put(_MESSAGES, messages, FieldType.FIELDS)
            if outcome.lock:
                found.put(_LOCK, outcome.lock, FieldType.LONG)
        case Discovered():
            found.put(_ATTRIBUTES, outcome.attributes, FieldType.FIELDS)
        case Refused():
            found.put(_CODE, int(outcome.code), FieldType.INT)
            found.put(_TEXT, outcome.text, FieldType.UNICODE)
    return found


def read_outcome(fields: Fields) -> Outcome:
    """Return the outcome that a fields object is. Raises `EveryplaceError` DATA."""
    try:
        if _CODE in fields:
            return Refused(_code(fields.get(_CODE, FieldType.INT)), fields.get(_TEXT, FieldType.UNICODE))
        if _MESSAGE in fields:
            return Got(_message(fields))
        if _ATTRIBUTES in fields:
            return Discovered(_required(fields, _ATTRIBUTES))
        if _MESSAGES in fields:
            messages = _required(fields, _MESSAGES)
            found = [Message.of(_required(messages, name)) for name in sorted(messages)]
            return Browsed(tuple(found), fields.get(_LOCK, FieldType.LONG) if _LOCK in fields else 0)
    except EveryplaceError as error:
        raise EveryplaceError(Code.DATA, f"this is no outcome: {error.text}") from None
    return Done()


def _code(number: int) -> Code:
    """The code with a number; one of a later version is `Code.DATA`."""
    try:
        return Code(number)
    except ValueError:
        return Code.DATA


def _required(fields: Fields, name: str) -> Fields:
    found: Fields | None = fields.get(name, FieldType.FIELDS)
    if found is None:
        raise EveryplaceError(Code.TYPE, f"field {name!r} is null")
    return found


def _message(fields: Fields) -> Message:
    found = Message.of(_required(fields, _MESSAGE))
    found.check()
    return found


def _wanted(fields: Fields) -> Fields:
    return _required(fields, _WANTED) if _WANTED in fields else Fields()


def _number(fields: Fields, name: str) -> int:
    found: int = fields.get(name, FieldType.LONG) if name in fields else 0
    return found


def _uid(fields: Fields) -> MessageUid:
    return MessageUid(fields.get(_ORIGIN, FieldType.ASCII), fields.get(_TIME, FieldType.LONG))


def _uids_only(fields: Fields) -> bool:
    return _UIDS in fields and bool(fields.get(_UIDS, FieldType.BOOLEAN))


_READERS: Final[dict[_Verb, Callable[[Address, Fields], Call]]] = {
    _Verb.PUT: lambda address, fields: Put(address, _message(fields), _number(fields, _CONFIRM)),
    _Verb.CONFIRM_PUT: lambda address, fields: ConfirmPut(address, _uid(fields)),
    _Verb.GET: lambda address, fields: Get(address, _wanted(fields), _number(fields, _CONFIRM)),
    _Verb.CONFIRM_GET: lambda address, fields: ConfirmGet(address, _uid(fields)),
    _Verb.BROWSE: lambda address, fields: Browse(address, _wanted(fields), _uids_only(fields)),
    _Verb.BROWSE_AND_LOCK: lambda address, fields: BrowseAndLock(address, _wanted(fields), _number(fields, _CONFIRM)),
    _Verb.UNLOCK: lambda address, fields: Unlock(address, _uid(fields), _number(fields, _LOCK)),
    _Verb.DELETE: lambda address, fields: Delete(address, _uid(fields), _number(fields, _LOCK)),
    _Verb.UNDO: lambda address, fields: Undo(address, _number(fields, _CONFIRM)),
    _Verb.DISCOVER: lambda address, _: Discover(address),
}
