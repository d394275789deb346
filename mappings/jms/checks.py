"""Checks of what a JMS message is made from. They raise `JmsFormatError`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms_headers import ID, id_bytes, id_text
from mqbridge.mappings.properties.names import MAX_NAME, RESERVED_WORDS

from .errors import JmsFormatError
from .receiving import Body
from .typed import PROPERTY_TYPES, Typed, Value, typed

KINDS: Final = ("text", "bytes", "map", "stream", "object", "none")
"""TextMessage, BytesMessage, MapMessage, StreamMessage, ObjectMessage and Message."""

GivenBody: TypeAlias = str | bytes | Mapping[str, Typed | Value] | Sequence[Typed | Value] | None
Properties: TypeAlias = Mapping[str, Typed | Value]

_NAME: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


def parsed(destination: Destination | str | None) -> Destination | None:
    """Return a destination given as such or by its URI. Raises ``DestinationError``."""
    return Destination.parse(destination) if isinstance(destination, str) else destination


def checked_body(kind: str, body: GivenBody) -> Body:
    """Return the body of a message of a kind. Raises `JmsFormatError`."""
    if kind == "text" and (body is None or isinstance(body, str)):
        return body
    if kind == "bytes" and (body is None or isinstance(body, bytes)):
        return body or b""
    if kind == "object" and (body is None or isinstance(body, bytes)):
        return body or None
    if kind == "map" and (body is None or isinstance(body, Mapping)):
        return {name: typed(value) for name, value in (body or {}).items()}
    if kind == "stream" and not isinstance(body, str | bytes | Mapping):
        return tuple(typed(value) for value in body or ())
    if kind == "none" and body is None:
        return None
    raise JmsFormatError(f"{type(body).__name__} is no body of a {kind} message")


def checked_correlation_id(given: str | bytes | None) -> str | None:
    """Return JMSCorrelationID, bytes as an id. Raises `JmsFormatError` for ``ID:`` without hexadecimal digits."""
    if given is None:
        return None
    return id_text(given) if isinstance(given, bytes) else checked_id("correlation id", given)


def checked_id(what: str, given: str) -> str:
    """Return a text that may be an id. Raises `JmsFormatError`."""
    try:
        id_bytes(given)
    except ValueError:
        raise JmsFormatError(f"{what}: {given[:60]!r} has no hexadecimal digits behind {ID}") from None
    return given


def check_property(name: str, value: Typed, *, foreign: bool = False) -> None:
    """Raise `JmsFormatError` for a name or type that no property of an application can have.

    ``foreign``: properties JMS_… of another provider can be had.
    """
    if len(name) > MAX_NAME or not _NAME.fullmatch(name) or name.upper() in RESERVED_WORDS:
        raise JmsFormatError(f"{name[:60]!r} can name no property")
    if name.startswith("JMS") and not (foreign and name.startswith("JMS_")):
        raise JmsFormatError(f"there is no property {name[:60]} that can be set")
    if value.dt not in PROPERTY_TYPES:
        raise JmsFormatError(f"property {name[:60]} cannot be {value.dt}")
