"""Messages: fields objects with reserved fields, mqe.md 3 and 5."""

from __future__ import annotations

from enum import IntEnum, unique
from functools import lru_cache
from sys import intern
from typing import Any, Final

from .body import Encoded
from .errors import Code, EveryplaceError
from .field_types import FieldType, decode, encode
from .fields import Fields
from .reserved import (
    BY_NAME,
    CORREL_ID,
    EXPIRE_TIME,
    MSG_ID,
    ORIGIN,
    PRIORITY,
    REPLY_TO_Q,
    REPLY_TO_Q_MGR,
    RESEND,
    STYLE,
    TIME,
)
from .uid import MessageUid

LOWEST_PRIORITY: Final = 0
HIGHEST_PRIORITY: Final = 9
DEFAULT_PRIORITY: Final = 4
"""Of a queue that is not given another one (E-052)."""
_RESERVED: Final = frozenset(BY_NAME)


@unique
class Style(IntEnum):
    """What a message is to its receiver (E-058). IBM's numbers are not public (O-05)."""

    DATAGRAM = 0
    REQUEST = 1
    REPLY = 2


class Message(Fields):
    """A message (E-035): a fields object whose reserved fields have properties of Python.

    A property is None where the field is absent; None deletes it.
    """

    __slots__ = ()

    @property
    def uid(self) -> MessageUid | None:
        """Origin and time; None before the first put (E-037)."""
        origin, time = self._fields.get(ORIGIN), self._fields.get(TIME)
        return None if origin is None or time is None else uid_of(origin, time)

    def identify(self, uid: MessageUid) -> None:
        """Set origin and time. Raises `EveryplaceError` NOT_ALLOWED if it has an origin, which never changes
        (E-038)."""
        if ORIGIN in self._fields:
            raise EveryplaceError(Code.NOT_ALLOWED, f"the message has the UID {self.uid}")
        self._fields[ORIGIN] = _origin(uid.origin)
        self._fields[TIME] = Encoded(FieldType.LONG, encode(FieldType.LONG, uid.time))

    @property
    def is_plain(self) -> bool:
        """Whether none of its fields is a reserved one."""
        return _RESERVED.isdisjoint(self._fields)

    def forget_uid(self) -> None:
        """Take origin and time away, if it has them: it was not put after all."""
        for name in (ORIGIN, TIME):
            if name in self:
                self.delete(name)

    @property
    def uid_fields(self) -> Fields:
        """Just the UID, as a filter for get, delete and confirm (E-041)."""
        found = Fields()
        for name in (ORIGIN, TIME):
            field = self.encoded(name)
            if field is not None:
                found.put_encoded(name, field)
        return found

    @property
    def msg_id(self) -> bytes | None:
        """The application's identity, up to 24 bytes towards MQ (E-049)."""
        value: bytes | None = self._value(MSG_ID)
        return value

    @msg_id.setter
    def msg_id(self, value: bytes | None) -> None:
        self._set(MSG_ID, value, FieldType.UNTYPED)

    @property
    def correl_id(self) -> bytes | None:
        """What ties a reply to its request (E-045)."""
        value: bytes | None = self._value(CORREL_ID)
        return value

    @correl_id.setter
    def correl_id(self, value: bytes | None) -> None:
        self._set(CORREL_ID, value, FieldType.UNTYPED)

    @property
    def priority(self) -> int | None:
        """9 is the highest, 0 the lowest; None: the queue's default applies (E-052)."""
        value: int | None = self._value(PRIORITY)
        return value

    @priority.setter
    def priority(self, value: int | None) -> None:
        if value is not None:
            check_priority(value)
        self._set(PRIORITY, value, FieldType.BYTE)

    @property
    def resend(self) -> bool:
        """Whether this is a repeated put of a message (E-056)."""
        return bool(self._value(RESEND))

    @resend.setter
    def resend(self, value: bool) -> None:
        self._set(RESEND, True if value else None, FieldType.BOOLEAN)

    @property
    def style(self) -> Style:
        """Datagram, request or reply."""
        value = self._value(STYLE)
        return Style.DATAGRAM if value not in tuple(Style) else Style(value)

    @style.setter
    def style(self, value: Style) -> None:
        self._set(STYLE, int(value), FieldType.BYTE)

    @property
    def reply_to(self) -> tuple[str, str]:
        """Queue and queue manager for replies, empty where they are not set (E-054, E-055)."""
        return self._value(REPLY_TO_Q) or "", self._value(REPLY_TO_Q_MGR) or ""

    @reply_to.setter
    def reply_to(self, value: tuple[str, str]) -> None:
        for name, text in zip((REPLY_TO_Q, REPLY_TO_Q_MGR), value, strict=True):
            self._set(name, text or None, FieldType.ASCII)

    def expire_after(self, milliseconds: int) -> None:
        """Let it expire this long after its creation (E-077)."""
        self.put(EXPIRE_TIME, milliseconds, FieldType.INT)

    def expire_at(self, milliseconds: int) -> None:
        """Let it expire at this time, in milliseconds since 1970."""
        self.put(EXPIRE_TIME, milliseconds, FieldType.LONG)

    @property
    def expires(self) -> int | None:
        """When it expires, in milliseconds since 1970; None for never, or if it is not said here (E-077, E-078)."""
        field = self.encoded(EXPIRE_TIME)
        if field is None:
            return None
        value: int = self.get(EXPIRE_TIME, *BY_NAME[EXPIRE_TIME].types)
        return absolute_expiry(field.type, value, self.get(TIME, FieldType.LONG) if TIME in self else 0)

    def check(self) -> None:
        """Check the types of reserved fields, and the priority (E-062). Raises `EveryplaceError` TYPE or SYNTAX."""
        for name in self._fields:
            reserved = BY_NAME.get(name)
            if reserved is not None:
                self.get(name, *reserved.types)
        value = self.priority
        if value is not None:
            check_priority(value)

    def copy(self) -> Message:
        """Return an equal message."""
        return Message(self.type, dict(self._fields))

    @classmethod
    def of(cls, fields: Fields) -> Message:
        """Return the message with these fields, whatever its type string says (E-043)."""
        return cls(fields.type, dict(fields._fields))

    def _value(self, name: str) -> Any:
        return self.get(name, *BY_NAME[name].types) if name in self._fields else None

    def _set(self, name: str, value: Any, kind: FieldType) -> None:
        if value is None:
            if name in self:
                self.delete(name)
        else:
            self.put(name, value, kind)


@lru_cache(maxsize=64)
def _origin(name: str) -> Encoded:
    return Encoded(FieldType.ASCII, encode(FieldType.ASCII, name))


def uid_of(origin: Encoded, time: Encoded) -> MessageUid:
    """Return the UID that two fields are. Raises `EveryplaceError` TYPE."""
    name = _name_of(origin)
    if time.type is not FieldType.LONG or time.data is None:
        raise _mistyped(TIME, time, FieldType.LONG)
    return MessageUid(name, decode(FieldType.LONG, time.data))


@lru_cache(maxsize=64)
def _name_of(origin: Encoded) -> str:
    if origin.type is not FieldType.ASCII or origin.data is None:
        raise _mistyped(ORIGIN, origin, FieldType.ASCII)
    return intern(decode(FieldType.ASCII, origin.data))


def _mistyped(name: str, field: Encoded, kind: FieldType) -> EveryplaceError:
    found = "null" if field.data is None else field.type.word
    return EveryplaceError(Code.TYPE, f"field {name!r} is {found}, not {kind.word}")


def absolute_expiry(kind: FieldType, value: int, created: int) -> int | None:
    """Return when a message expires, in milliseconds since 1970, by its expire time (E-077, E-078).

    ``created``: its time. None for never: so JMS means the long 0, which is no time in 1970 (E-564).
    """
    if kind is FieldType.LONG:
        return value or None
    return created + value


def check_priority(value: int) -> None:
    """Check a priority (E-062). Raises `EveryplaceError` SYNTAX."""
    if not LOWEST_PRIORITY <= value <= HIGHEST_PRIORITY:
        raise EveryplaceError(Code.SYNTAX, f"priority {value} is not from 0 to 9")
