"""Bodies: the six kinds of JMS messages and the sections of AMQP."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, cast

from mqbridge.mappings.jms import Body, JmsMessage, Typed

from .errors import AmqpMappingError
from .message import AmqpMessage, BodyKind
from .typed_values import amqp_value, jms_value
from .values import AmqpType, Scalar, Value

MESSAGE_TYPE: Final = "x-opt-jms-msg-type"
TYPE_NUMBERS: Final = {"none": 0, "object": 1, "map": 2, "bytes": 3, "stream": 4, "text": 5}
OCTETS: Final = "application/octet-stream"
NULL_OBJECT: Final = bytes.fromhex("aced000570")
"""Java's serialization of null, which is the body of an object message without an object."""
JAVA_OBJECT: Final = "application/x-java-serialized-object"
_KINDS: Final = {number: kind for kind, number in TYPE_NUMBERS.items()}
CONTENT_TYPES: Final = {"bytes": OCTETS, "object": JAVA_OBJECT}
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*\"?([\w.:+-]+)\"?", re.ASCII | re.IGNORECASE)
_TEXTUAL: Final = re.compile(
    r"(text/[\w.+-]+|application/([\w.+-]+\+)?(xml|json)|application/(javascript|ecmascript|xml-dtd))\s*(;|$)",
    re.ASCII | re.IGNORECASE,
)


def amqp_body(jms: JmsMessage) -> tuple[BodyKind, Value, str | None]:
    """Return the kind of body, the body and the content type of a JMS message."""
    kind, body = jms.kind, jms.body
    content_type = CONTENT_TYPES.get(kind)
    if kind in ("bytes", "object"):
        return BodyKind.DATA, NULL_OBJECT if body is None else cast(bytes, body), content_type
    if kind == "map":
        values = {name: amqp_value(value) for name, value in cast("dict[str, Typed]", body).items()}
        return BodyKind.VALUE, cast("dict[Value, Value]", values), None
    if kind == "stream":
        return BodyKind.SEQUENCE, [amqp_value(value) for value in cast("tuple[Typed, ...]", body)], None
    return BodyKind.VALUE, cast("str | None", body), None


def jms_body(message: AmqpMessage) -> tuple[str, Body]:
    """Return the kind and the body of the JMS message that an AMQP message is.

    The annotation decides; without it the sections and the content type do, as in Qpid JMS. Raises `AmqpMappingError`.
    """
    kind = _annotated(message)
    if kind is None or (kind == "none" and message.body is not None):
        kind = _kind_of_sections(message)
    return kind, _BODIES[kind](message)


def _annotated(message: AmqpMessage) -> str | None:
    value = message.message_annotations.get(MESSAGE_TYPE)
    if value is None:
        return None
    number = value.value if isinstance(value, Scalar) and value.type is AmqpType.BYTE else None
    if number not in _KINDS:
        raise AmqpMappingError(f"the annotation {MESSAGE_TYPE} has a value that is no type of JMS")
    return _KINDS[cast(int, number)]


def _content_type(message: AmqpMessage) -> str:
    return (message.properties.content_type or "").strip()


def _kind_of_sections(message: AmqpMessage) -> str:
    content_type = _content_type(message)
    if message.body_kind in (BodyKind.NONE, BodyKind.DATA):
        if content_type.lower() == JAVA_OBJECT:
            return "object"
        if _TEXTUAL.match(content_type):
            return "text"
        unknown = content_type.lower() not in ("", OCTETS)
        return "none" if unknown and message.body_kind is BodyKind.NONE else "bytes"
    if message.body_kind is BodyKind.VALUE:
        if message.body is None or isinstance(message.body, str):
            return "text"
        if isinstance(message.body, bytes):
            return "bytes"
    return "object"


def _unexpected(message: AmqpMessage, kind: str) -> AmqpMappingError:
    found = type(message.body).__name__ if message.body_kind is BodyKind.VALUE else message.body_kind.value
    return AmqpMappingError(f"the body of a {kind} message cannot be a section {message.body_kind.value} of {found}")


def _no_body(_: AmqpMessage) -> None:
    return None


def _text(message: AmqpMessage) -> str | None:
    body = message.body
    if message.body_kind is BodyKind.DATA:
        charset = _CHARSET.search(_content_type(message))
        name = charset[1] if charset else "utf-8"
        try:
            return cast(bytes, body).decode(name)
        except (LookupError, UnicodeError, ValueError) as error:
            raise AmqpMappingError(f"the text of the body is not {name[:40]}: {error}") from error
    if message.body_kind is BodyKind.SEQUENCE or not (body is None or isinstance(body, str)):
        raise _unexpected(message, "text")
    return body


def _bytes(message: AmqpMessage) -> bytes:
    body = message.body
    if body is None and message.body_kind is not BodyKind.SEQUENCE:
        return b""
    if not isinstance(body, bytes):
        raise _unexpected(message, "bytes")
    return body


def _object(message: AmqpMessage) -> bytes | None:
    if message.body_kind is BodyKind.NONE:
        return None
    if message.body_kind is not BodyKind.DATA:
        raise AmqpMappingError("an object in AMQP's types has no Java serialization")
    return None if message.body == NULL_OBJECT else cast(bytes, message.body)


def _map(message: AmqpMessage) -> dict[str, Typed]:
    body = message.body
    if body is None and message.body_kind is not BodyKind.SEQUENCE:
        return {}
    if not isinstance(body, dict):
        raise _unexpected(message, "map")
    values = {}
    for name, value in body.items():
        if not isinstance(name, str):
            raise AmqpMappingError("a key of the map is no string")
        values[name] = jms_value(value, f"the element {name[:80]} of the map")
    return values


def _stream(message: AmqpMessage) -> tuple[Typed, ...]:
    body = message.body
    if body is None:
        return ()
    if not isinstance(body, list):
        raise _unexpected(message, "stream")
    return tuple(jms_value(value, f"element {number} of the stream") for number, value in enumerate(body, 1))


_BODIES: Final[dict[str, Callable[[AmqpMessage], Body]]] = {
    "none": _no_body,
    "text": _text,
    "bytes": _bytes,
    "object": _object,
    "map": _map,
    "stream": _stream,
}
