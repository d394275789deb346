"""JMS messages as message objects, mqe.md 22 (E-538, E-543, E-555 to E-564).

Programs of JMS use IBM's client; this is how a program of a device reads what they send, and writes what they read::

    message = JmsMessage(JmsKind.TEXT, "two apples")
    message.set_property("colour", "red")
    queue_manager.put("ORDERS@SATURN", message.message)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from . import jms_fields as names
from .errors import Code, EveryplaceError
from .field_types import FieldType
from .fields import Fields, natural_type
from .jms_fields import PROPERTY_TYPES, JmsKind, check_identifier, correlation_bytes, correlation_text
from .message import DEFAULT_PRIORITY, Message
from .names import Address
from .reserved import EXPIRE_TIME, TIME

PERSISTENT: Final = 2
NOT_PERSISTENT: Final = 1
_BYTES: Final = (FieldType.BYTE_ARRAY, FieldType.UNTYPED)
_TEXT: Final = (FieldType.UNICODE, FieldType.ASCII)
_UNSUPPORTED: Final = (JmsKind.MAP, JmsKind.STREAM)
_SETTABLE_X: Final = {"JMSXGroupID": FieldType.UNICODE, "JMSXGroupSeq": FieldType.INT}


class JmsMessage:
    """A JMS message: header fields, typed properties and a body, kept in the fields of ``message``.

    ``body``: ``str`` or None for a text; ``bytes`` for bytes and for an object, which is a Java serialization stream;
    None for a message without body. Raises `EveryplaceError` NOT_SUPPORTED for maps and streams, TYPE for a body of
    another type.
    """

    __slots__ = ("_read_only", "destination", "message")

    def __init__(self, kind: JmsKind, body: str | bytes | None = None) -> None:
        self.message = Message()
        self.destination: Address | None = None
        """Where a received message was got from; it is not stored (E-563)."""
        self._read_only = False
        put = self.message.put
        put(names.JMS_VERSION, names.VERSION, FieldType.SHORT)
        put(names.JMS_CLASS, kind.value, FieldType.ASCII)
        data = _encoded(kind, body)
        if data is not None:
            put(names.JMS_BODY, data, FieldType.BYTE_ARRAY)
        self._set_header(names.DELIVERY_MODE, PERSISTENT, FieldType.INT)
        self._set_header(names.REDELIVERED, value=False, kind=FieldType.BOOLEAN)

    @classmethod
    def of(cls, message: Message, destination: Address | None = None, received: int = 0) -> JmsMessage:
        """Return the JMS message that a received message object is; its properties are read-only (E-543).

        ``received``: milliseconds since 1970, for JMSXRcvTimestamp; 0 for unknown. Raises `EveryplaceError` TYPE if it
        is none, NOT_SUPPORTED for a kind or version that is not known.
        """
        if not is_jms(message):
            raise EveryplaceError(Code.TYPE, f"message {message.uid} is no JMS message")
        version = message.get(names.JMS_VERSION, FieldType.SHORT)
        if version != names.VERSION:
            raise EveryplaceError(Code.NOT_SUPPORTED, f"JMS messages of version {version} are not known")
        found = cls.__new__(cls)
        found.message = message.copy()
        found.destination = destination
        found._read_only = True
        _check_kind(found.kind)
        if received:
            found._set_in(names.JMSX_PROPERTIES, names.RECEIVED_AT, received, FieldType.LONG)
        return found

    @property
    def kind(self) -> JmsKind:
        """Its kind. Raises `EveryplaceError` DATA for an unknown class."""
        text = self.message.get(names.JMS_CLASS, *_TEXT)
        try:
            return JmsKind(text)
        except ValueError:
            raise EveryplaceError(Code.DATA, f"there is no class {str(text)[:40]!r} of JMS messages") from None

    @property
    def body(self) -> str | bytes | None:
        """See the class. Raises `EveryplaceError` DATA for text that is not UTF-8."""
        kind = self.kind
        # A null field is an empty array that was dumped (E-022); without the field there is no value.
        there = names.JMS_BODY in self.message
        data: bytes = (self.message.get(names.JMS_BODY, *_BYTES) if there else None) or b""
        if kind is JmsKind.BYTES:
            return data
        if kind is JmsKind.OBJECT:
            return data or None
        if kind is JmsKind.TEXT and there:
            try:
                return data.decode()
            except UnicodeDecodeError:
                raise EveryplaceError(Code.DATA, "the body of a JMS text message is not UTF-8") from None
        return None

    # Header fields

    @property
    def message_id(self) -> str | None:
        """JMSMessageID; None before the first put."""
        return names.message_id(self.message.msg_id, self.message.uid)

    @property
    def timestamp(self) -> int:
        """JMSTimestamp: when it was sent, in milliseconds since 1970; 0 before that."""
        found = self._header(names.TIMESTAMP, FieldType.LONG)
        if found is None:
            found = self.message.get(TIME, FieldType.LONG) if TIME in self.message else 0
        return int(found)

    @property
    def correlation_id(self) -> str | None:
        """JMSCorrelationID: text, or ``ID:`` and hexadecimal digits."""
        data = self.message.correl_id
        if data is None:
            return None
        given: str | None = self._header(names.CORRELATION_ID, *_TEXT)
        return given if given is not None and correlation_bytes(given) == data else correlation_text(data)

    @correlation_id.setter
    def correlation_id(self, text: str | None) -> None:
        data = None if text is None else correlation_bytes(text)
        self.message.correl_id = data
        ambiguous = data is not None and correlation_text(data) != text
        self._set_header(names.CORRELATION_ID, text if ambiguous else None, FieldType.UNICODE)

    @property
    def expiration(self) -> int:
        """JMSExpiration: when it expires, in milliseconds since 1970; 0 for never (E-564)."""
        return self.message.expires or 0

    @expiration.setter
    def expiration(self, time: int) -> None:
        if time:
            self.message.expire_at(time)
        elif EXPIRE_TIME in self.message:
            self.message.delete(EXPIRE_TIME)

    @property
    def priority(self) -> int:
        """JMSPriority."""
        found = self.message.priority
        return DEFAULT_PRIORITY if found is None else found

    @property
    def reply_to(self) -> str:
        """JMSReplyTo: ``queue`` or ``queue manager+queue``; empty for none (E-558)."""
        queue, queue_manager = self.message.reply_to
        return f"{queue_manager}+{queue}" if queue_manager else queue

    @reply_to.setter
    def reply_to(self, text: str) -> None:
        queue_manager, plus, queue = text.partition("+")
        self.message.reply_to = (queue, queue_manager) if plus else (text, "")

    @property
    def delivery_mode(self) -> int:
        """JMSDeliveryMode: `PERSISTENT` or `NOT_PERSISTENT`."""
        found = self._header(names.DELIVERY_MODE, FieldType.INT)
        return PERSISTENT if found is None else int(found)

    @delivery_mode.setter
    def delivery_mode(self, mode: int) -> None:
        if mode not in (PERSISTENT, NOT_PERSISTENT):
            raise EveryplaceError(Code.SYNTAX, f"delivery mode {mode} is neither {PERSISTENT} nor {NOT_PERSISTENT}")
        self._set_header(names.DELIVERY_MODE, mode, FieldType.INT)

    @property
    def redelivered(self) -> bool:
        """JMSRedelivered; Everyplace never sets it."""
        return bool(self._header(names.REDELIVERED, FieldType.BOOLEAN))

    @property
    def type(self) -> str | None:
        """JMSType."""
        found: str | None = self._header(names.TYPE, *_TEXT)
        return found

    @type.setter
    def type(self, text: str | None) -> None:
        self._set_header(names.TYPE, text, FieldType.UNICODE)

    # Properties

    @property
    def properties(self) -> Mapping[str, Any]:
        """Values of all properties by name: the application's, JMSX… and those of providers."""
        found: dict[str, Any] = {}
        for group in (names.PROVIDER_PROPERTIES, names.JMSX_PROPERTIES, names.JMS_PROPERTIES):
            fields = group_of(self.message, group)
            if fields is not None:
                found.update({name: fields.get(name) for name in fields})
        return found

    def set_property(self, name: str, value: Any, kind: FieldType | None = None) -> None:
        """Set a property of the application, JMSXGroupID or JMSXGroupSeq.

        Without a type: an ``int`` is long and a ``float`` double, which selectors can compare (E-550). Raises
        `EveryplaceError` SYNTAX for the name, TYPE for the value, NOT_ALLOWED on a received message until
        `clear_properties`.
        """
        if self._read_only:
            raise EveryplaceError(Code.NOT_ALLOWED, f"property {name[:40]}: those of a received message are read-only")
        check_identifier(name)
        fixed = _SETTABLE_X.get(name)
        if fixed is not None:
            self._set_in(names.JMSX_PROPERTIES, name, value, fixed)
            return
        if name.startswith(("JMSX", "JMS_")):
            raise EveryplaceError(Code.SYNTAX, f"property {name[:40]}: JMSX and JMS_ are reserved")
        if kind is None:
            kind = natural_type(value)
            kind = FieldType.LONG if kind is FieldType.INT else kind
        if kind not in PROPERTY_TYPES:
            raise EveryplaceError(Code.TYPE, f"property {name[:40]}: {kind.word} is no type of properties")
        self._set_in(names.JMS_PROPERTIES, name, value, kind)

    def clear_properties(self) -> None:
        """Delete all properties; a received message can then be given others."""
        for group in (names.JMS_PROPERTIES, names.JMSX_PROPERTIES, names.PROVIDER_PROPERTIES):
            if group in self.message:
                self.message.delete(group)
        self._read_only = False

    def _header(self, name: str, *kinds: FieldType) -> Any:
        fields = group_of(self.message, names.JMS_HEADER)
        return None if fields is None or name not in fields else fields.get(name, *kinds)

    def _set_header(self, name: str, value: Any, kind: FieldType) -> None:
        self._set_in(names.JMS_HEADER, name, value, kind)

    def _set_in(self, group: str, name: str, value: Any, kind: FieldType) -> None:
        fields = group_of(self.message, group) or Fields()
        if value is not None:
            fields.put(name, value, kind)
        elif name in fields:
            fields.delete(name)
        self.message.put(group, fields, FieldType.FIELDS)


def is_jms(message: Fields) -> bool:
    """Whether a message object is a JMS message (E-555)."""
    return names.JMS_VERSION in message


def group_of(message: Fields, group: str) -> Fields | None:
    """Return the fields object of headers or properties; None if there is none. Raises `EveryplaceError` TYPE."""
    found: Fields | None = message.get(group, FieldType.FIELDS) if group in message else None
    return found


def _encoded(kind: JmsKind, body: str | bytes | None) -> bytes | None:
    _check_kind(kind)
    if body is None:
        return None
    if kind is JmsKind.TEXT and isinstance(body, str):
        return body.encode()
    if kind in (JmsKind.BYTES, JmsKind.OBJECT) and isinstance(body, bytes):
        return body
    raise EveryplaceError(Code.TYPE, f"a {type(body).__name__} is no body of a {kind.value} message")


def _check_kind(kind: JmsKind) -> None:
    if kind in _UNSUPPORTED:
        raise EveryplaceError(Code.NOT_SUPPORTED, f"JMS messages of class {kind.value} are not supported")
