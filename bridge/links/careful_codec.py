"""The careful way between messages and bytes, by proton's codec: for every message, and for what is wrong with it."""

from __future__ import annotations

import uuid
from typing import Any, Final, NamedTuple, cast

import proton

from mqbridge.mappings.amqp import (
    AmqpFormatError,
    AmqpMessage,
    AmqpProperties,
    AmqpType,
    BodyKind,
    Described,
    MessageIdentifier,
    Scalar,
    Value,
)

from .values import get_elements, get_value, put_list, put_value

_HEADER: Final = 0x70
_DELIVERY_ANNOTATIONS: Final = 0x71
_MESSAGE_ANNOTATIONS: Final = 0x72
_PROPERTIES: Final = 0x73
_APPLICATION_PROPERTIES: Final = 0x74
_DATA: Final = 0x75
_SEQUENCE: Final = 0x76
_VALUE: Final = 0x77
_FOOTER: Final = 0x78
_NAMES: Final = {
    _HEADER: "header",
    _DELIVERY_ANNOTATIONS: "delivery-annotations",
    _MESSAGE_ANNOTATIONS: "message-annotations",
    _PROPERTIES: "properties",
    _APPLICATION_PROPERTIES: "application-properties",
    _DATA: "data",
    _SEQUENCE: "amqp-sequence",
    _VALUE: "amqp-value",
    _FOOTER: "footer",
}
_CODES: Final = {
    f"amqp:{name}:{'list' if name in ('header', 'properties') else 'map'}": code
    for code, name in _NAMES.items()
    if code not in (_DATA, _SEQUENCE, _VALUE)
} | {"amqp:data:binary": _DATA, "amqp:amqp-sequence:list": _SEQUENCE, "amqp:amqp-value:*": _VALUE}
_BARE: Final = (_PROPERTIES, _APPLICATION_PROPERTIES, _DATA, _SEQUENCE, _VALUE)
_BODIES: Final = {_DATA: BodyKind.DATA, _SEQUENCE: BodyKind.SEQUENCE, _VALUE: BodyKind.VALUE}
MAX_SECTIONS: Final = 1024
"""Sections of one message at most; only data and sequence sections may repeat."""
_FAULTS: Final = (proton.ProtonException, ValueError, TypeError, OverflowError, AssertionError, RecursionError)
"""What proton raises for values that cannot be written, and bytes that cannot be read."""


class Decoded(NamedTuple):
    """A decoded message. ``bare``: where the bare message, which no intermediary changes, starts and ends."""

    message: AmqpMessage
    bare: slice
    error: str = ""


def encode_carefully(message: AmqpMessage) -> bytes:
    """Return the bytes of a message. Raises `AmqpFormatError` for values that AMQP or the codec cannot hold."""
    data = proton.Data()
    try:
        _put_header(data, message)
        _put_map(data, _DELIVERY_ANNOTATIONS, message.delivery_annotations, symbols=True)
        _put_map(data, _MESSAGE_ANNOTATIONS, message.message_annotations, symbols=True)
        _put_properties(data, message.properties)
        _put_map(data, _APPLICATION_PROPERTIES, message.application_properties, symbols=False)
        _put_body(data, message)
        _put_map(data, _FOOTER, message.footer, symbols=True)
        return bytes(data.encode())
    except _FAULTS as error:
        raise AmqpFormatError(f"the message cannot be encoded: {error}") from error


def _begin(data: Any, code: int) -> None:
    data.put_described()
    data.enter()
    data.put_ulong(code)


def _put_header(data: Any, message: AmqpMessage) -> None:
    fields: list[Value] = [
        message.durable or None,
        None if message.priority == 4 else Scalar(AmqpType.UBYTE, message.priority),
        None if message.ttl is None else Scalar(AmqpType.UINT, message.ttl),
        message.first_acquirer or None,
        Scalar(AmqpType.UINT, message.delivery_count) if message.delivery_count else None,
    ]
    _put_fields(data, _HEADER, fields)


def _put_fields(data: Any, code: int, fields: list[Value]) -> None:
    while fields and fields[-1] is None:
        fields.pop()
    if fields:
        _begin(data, code)
        put_list(data, fields)
        data.exit()


def _put_properties(data: Any, properties: AmqpProperties) -> None:
    _put_fields(
        data,
        _PROPERTIES,
        [
            _identifier(properties.message_id),
            properties.user_id,
            properties.to,
            properties.subject,
            properties.reply_to,
            _identifier(properties.correlation_id),
            _typed(AmqpType.SYMBOL, properties.content_type),
            _typed(AmqpType.SYMBOL, properties.content_encoding),
            _typed(AmqpType.TIMESTAMP, properties.absolute_expiry_time),
            _typed(AmqpType.TIMESTAMP, properties.creation_time),
            properties.group_id,
            _typed(AmqpType.UINT, properties.group_sequence),
            properties.reply_to_group_id,
        ],
    )


def _typed(kind: AmqpType, value: int | str | None) -> Value:
    return None if value is None else Scalar(kind, value)


def _identifier(value: MessageIdentifier) -> Value:
    return Scalar(AmqpType.ULONG, value) if isinstance(value, int) else value


def _put_map(data: Any, code: int, values: Any, *, symbols: bool) -> None:
    if not values:
        return
    _begin(data, code)
    data.put_map()
    data.enter()
    put_key = data.put_symbol if symbols else data.put_string
    for key, value in values.items():
        put_key(key)
        put_value(data, value)
    data.exit()
    data.exit()


def _put_body(data: Any, message: AmqpMessage) -> None:
    kind, body = message.body_kind, message.body
    if kind is BodyKind.NONE:
        return
    code = next(code for code, each in _BODIES.items() if each is kind)
    if kind is BodyKind.DATA and not isinstance(body, bytes):
        raise AmqpFormatError("a data section has bytes")
    if kind is BodyKind.SEQUENCE and not isinstance(body, list):
        raise AmqpFormatError("an amqp-sequence section has a list")
    _begin(data, code)
    put_value(data, body)
    data.exit()


def decode_carefully(encoded: bytes) -> Decoded:
    """Decode a message. What is wrong with it stands in ``error``; the message then has what could be read before."""
    reading = _Reading(encoded)
    error = ""
    try:
        reading.run()
    except AmqpFormatError as fault:
        error = str(fault)
    except _FAULTS as fault:
        error = f"the bytes are no AMQP message: {fault}"
    return Decoded(reading.message(), reading.bare(), error)


class _Reading:
    """A message being decoded, section by section."""

    def __init__(self, encoded: bytes) -> None:
        self._encoded = encoded
        self._last = 0
        self._bare: tuple[int, int] | None = None
        self._maps: dict[int, dict[str, Value]] = {}
        self._header: list[Value] = []
        self._properties: list[Value] = []
        self._kind = BodyKind.NONE
        self._values: list[Value] = []

    def run(self) -> None:
        """Read every section."""
        encoded, position, data = memoryview(self._encoded), 0, proton.Data()
        for _ in range(MAX_SECTIONS):
            if position == len(encoded):
                return
            data.clear()
            end = position + data.decode(encoded[position:])
            data.rewind()
            data.next()
            if data.type() != proton.Data.DESCRIBED:
                raise AmqpFormatError(f"no section begins at byte {position}")
            data.enter()
            data.next()
            code = _code(get_value(data))
            if data.next() is None:
                raise AmqpFormatError(f"the {_NAMES[code]} section is empty")
            self._section(code, data)
            if code in _BARE:
                self._bare = (self._bare[0] if self._bare else position, end)
            position = end
        raise AmqpFormatError(f"a message has more than {MAX_SECTIONS} sections")

    def _section(self, code: int, data: Any) -> None:
        if code < self._last or (code == self._last and code not in (_DATA, _SEQUENCE)):
            raise AmqpFormatError(f"the {_NAMES[code]} section is out of order")
        self._last = code
        if code in _BODIES:
            self._body(code, data)
        elif code in (_HEADER, _PROPERTIES):
            if data.type() != proton.Data.LIST:
                raise AmqpFormatError(f"the {_NAMES[code]} section is no list")
            fields = get_elements(data)
            if code == _HEADER:
                self._header = _checked(fields, _HEADER_FIELDS)
            else:
                self._properties = _checked(fields, _PROPERTY_FIELDS)
        else:
            self._maps[code] = _read_map(code, data)

    def _body(self, code: int, data: Any) -> None:
        kind = _BODIES[code]
        if self._kind not in (BodyKind.NONE, kind):
            raise AmqpFormatError("the body has sections of different kinds")
        value = get_value(data)
        wanted = {BodyKind.DATA: bytes, BodyKind.SEQUENCE: list}.get(kind, object)
        if not isinstance(value, wanted):
            raise AmqpFormatError(f"the {_NAMES[code]} section has no {'bytes' if wanted is bytes else 'list'}")
        self._kind = kind
        self._values.append(value)

    def bare(self) -> slice:
        """Where the bare message stands."""
        start, end = self._bare or (0, 0)
        return slice(start, end)

    def message(self) -> AmqpMessage:
        """What has been read."""
        header: list[Any] = [*self._header, None, None, None, None, None]
        durable, priority, ttl, first, count = header[:5]
        body: Value = None
        if self._kind is BodyKind.DATA:
            body = b"".join(cast("list[bytes]", self._values))
        elif self._kind is BodyKind.SEQUENCE:
            body = [element for each in cast("list[list[Value]]", self._values) for element in each]
        elif self._values:
            body = self._values[0]
        return AmqpMessage(
            body_kind=self._kind,
            body=body,
            properties=AmqpProperties(*cast("list[Any]", self._properties)),
            application_properties=self._maps.get(_APPLICATION_PROPERTIES, {}),
            message_annotations=self._maps.get(_MESSAGE_ANNOTATIONS, {}),
            delivery_annotations=self._maps.get(_DELIVERY_ANNOTATIONS, {}),
            footer=self._maps.get(_FOOTER, {}),
            durable=bool(durable),
            priority=4 if priority is None else priority,
            ttl=ttl,
            first_acquirer=bool(first),
            delivery_count=count or 0,
        )


def _code(descriptor: Value) -> int:
    """The code of a section's descriptor, which may be its symbol."""
    if isinstance(descriptor, Scalar):
        if descriptor.type is AmqpType.ULONG and descriptor.value in _NAMES:
            return cast(int, descriptor.value)
        if descriptor.type is AmqpType.SYMBOL and descriptor.value in _CODES:
            return _CODES[str(descriptor.value)]
    raise AmqpFormatError("a section has an unknown descriptor")


def _read_map(code: int, data: Any) -> dict[str, Value]:
    value = get_value(data)
    if not isinstance(value, dict):
        raise AmqpFormatError(f"the {_NAMES[code]} section is no map")
    texts = code == _APPLICATION_PROPERTIES
    found: dict[str, Value] = {}
    for key, each in value.items():
        name = key if texts else key.value if isinstance(key, Scalar) else None
        if isinstance(name, int):
            name = str(name)  # a ulong, which AMQP reserves
        if not isinstance(name, str):
            raise AmqpFormatError(f"a key of the {_NAMES[code]} section has the wrong type")
        if texts and isinstance(each, (list, dict, Described)):
            raise AmqpFormatError(f"the application property {name} is no simple value")
        found[name] = each
    return found


_HEADER_FIELDS: Final = (
    ("durable", (bool,)),
    ("priority", (AmqpType.UBYTE,)),
    ("ttl", (AmqpType.UINT,)),
    ("first-acquirer", (bool,)),
    ("delivery-count", (AmqpType.UINT,)),
)
_ID: Final = (str, bytes, uuid.UUID, AmqpType.ULONG)
_PROPERTY_FIELDS: Final = (
    ("message-id", _ID),
    ("user-id", (bytes,)),
    ("to", (str,)),
    ("subject", (str,)),
    ("reply-to", (str,)),
    ("correlation-id", _ID),
    ("content-type", (AmqpType.SYMBOL, str)),
    ("content-encoding", (AmqpType.SYMBOL, str)),
    ("absolute-expiry-time", (AmqpType.TIMESTAMP,)),
    ("creation-time", (AmqpType.TIMESTAMP,)),
    ("group-id", (str,)),
    ("group-sequence", (AmqpType.UINT,)),
    ("reply-to-group-id", (str,)),
)


def _checked(fields: list[Value], wanted: tuple[tuple[str, tuple[Any, ...]], ...]) -> list[Value]:
    """The fields of a section as plain Python. Raises `AmqpFormatError` for a wrong type."""
    if len(fields) > len(wanted):
        raise AmqpFormatError("a section has too many fields")
    found: list[Value] = []
    for value, (name, types) in zip(fields, wanted, strict=False):
        kind: Any = value.type if isinstance(value, Scalar) else type(value)
        if value is not None and kind not in types:
            raise AmqpFormatError(f"the field {name} has the wrong type")
        found.append(value.value if isinstance(value, Scalar) else value)
    return found
