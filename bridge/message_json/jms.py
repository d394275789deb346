"""JMS messages as JSON and as lines of text: the form of ``get --jms`` and ``decode --view jms``.

``{"kind": "map", "headers": {"JMSMessageID": …}, "properties": {…}, "provider": {…}, "body": …}``. Headers have the
names of JMS; those that say nothing are absent. A value with its type is ``{"type": "i4", "value": 5}``, by the names
of the attribute ``dt`` (jms-mapping.md 4.4). The body is a string or null (text), hexadecimal (bytes, object), an
object (map) or an array (stream) of such values, or null (none).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from mqbridge.mappings.jms import JMS_TYPES, JmsHeaders, JmsMessage, Typed

_PERSISTENT: Final = 2
_INDENT: Final = "  "
_ROW_BYTES: Final = 32
_LONGEST: Final = 200
"""Characters of a value in a row."""


def _uri(value: Any) -> str | None:
    return None if value is None else str(value)


_HEADERS: Final[tuple[tuple[str, Callable[[JmsHeaders], Any]], ...]] = (
    ("JMSMessageID", lambda headers: headers.message_id),
    ("JMSDestination", lambda headers: _uri(headers.destination)),
    ("JMSDeliveryMode", lambda headers: headers.delivery_mode),
    ("JMSPriority", lambda headers: headers.priority),
    ("JMSTimestamp", lambda headers: headers.timestamp or None),
    ("JMSExpiration", lambda headers: headers.expiration or None),
    ("JMSDeliveryTime", lambda headers: headers.delivery_time or None),
    ("JMSCorrelationID", lambda headers: headers.correlation_id),
    ("JMSReplyTo", lambda headers: _uri(headers.reply_to)),
    ("JMSType", lambda headers: headers.type),
    ("JMSRedelivered", lambda headers: headers.redelivered or None),
    ("JMSXDeliveryCount", lambda headers: headers.delivery_count or None),
    ("JMSXGroupID", lambda headers: headers.group_id),
    ("JMSXGroupSeq", lambda headers: headers.group_seq),
    ("JMSXUserID", lambda headers: headers.user_id),
    ("JMSXAppID", lambda headers: headers.app_id),
)
_TIMES: Final = frozenset(("JMSTimestamp", "JMSExpiration", "JMSDeliveryTime"))
_IN_FIRST_LINE: Final = frozenset(("JMSMessageID", "JMSDestination", "JMSDeliveryMode", "JMSPriority"))


def jms_document(jms: JmsMessage) -> dict[str, Any]:
    """Return a JMS message as JSON. Raises ``JmsFormatError`` for malformed content, wherever it stands."""
    headers = jms.headers
    shown = {name: value for name, value in ((name, read(headers)) for name, read in _HEADERS) if value is not None}
    return {
        "kind": jms.kind,
        "headers": shown,
        "properties": _typed_values(jms.properties),
        "provider": _typed_values(jms.provider_properties),
        "body": _body(jms.body),
    }


def _typed_values(values: Mapping[str, Typed]) -> dict[str, dict[str, Any]]:
    return {name: _typed_value(value) for name, value in values.items()}


def _typed_value(typed: Typed) -> dict[str, Any]:
    value: Any = typed.value
    if isinstance(value, bytes):
        value = value.hex()
    elif isinstance(value, float) and not math.isfinite(value):
        value = str(value)
    return {"type": typed.dt, "value": value}


def _body(body: Any) -> Any:
    if isinstance(body, bytes):
        return body.hex()
    if isinstance(body, dict):
        return _typed_values(body)
    if isinstance(body, tuple):
        return [_typed_value(each) for each in body]
    return body


def jms_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield a document as text: a line of headers, then the body and the properties in rows of name, type, value."""
    headers = document["headers"]
    mode = "persistent" if headers.get("JMSDeliveryMode") == _PERSISTENT else "non-persistent"
    first = [document["kind"], headers.get("JMSMessageID"), headers.get("JMSDestination")]
    first += [f"priority {headers.get('JMSPriority')}", mode]
    yield _INDENT.join(_one_line(each) for each in first if each is not None).rstrip()
    body = document["body"]
    if isinstance(body, dict):
        yield from _rows(list(body.items()))
    elif isinstance(body, list):
        yield from _rows([(str(number), each) for number, each in enumerate(body, 1)])
    elif isinstance(body, str):
        yield from _text_rows(body) if document["kind"] == "text" else _hex_rows(body)
    elif document["kind"] == "text":
        yield f"{_INDENT}null"
    others = [(name, _header_text(name, value)) for name, value in headers.items() if name not in _IN_FIRST_LINE]
    if others:
        yield "headers"
        width = max(len(name) for name, _ in others)
        yield from (f"{_INDENT}{name:{width}}  {_one_line(value)}".rstrip() for name, value in others)
    for title, key in (("properties", "properties"), ("properties of the provider", "provider")):
        if document[key]:
            yield title
            yield from _rows(list(document[key].items()))


def _rows(values: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    shown = [(_one_line(name), JMS_TYPES.get(each["type"], each["type"]), each["value"]) for name, each in values]
    width = max((len(name) for name, _, _ in shown), default=0)
    kinds = max((len(kind) for _, kind, _ in shown), default=0)
    for name, kind, value in shown:
        yield f"{_INDENT}{name:{width}}  {kind:{kinds}}  {_value_text(value)}".rstrip()


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else _one_line(value)


def _text_rows(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"{_INDENT}{''.join(_printable(each) for each in line)}".rstrip()


def _hex_rows(digits: str) -> Iterator[str]:
    for start in range(0, len(digits), 2 * _ROW_BYTES):
        yield _INDENT + digits[start : start + 2 * _ROW_BYTES]


def _header_text(name: str, value: Any) -> str:
    if name not in _TIMES:
        return str(value).lower() if isinstance(value, bool) else str(value)
    try:
        moment = datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):  # beyond the years that Python knows
        return str(value)
    return f"{value} ({moment.replace('+00:00', 'Z')})"


def _one_line(value: Any) -> str:
    shown = "".join(_printable(each) for each in str(value))
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}… ({len(shown)} characters)"


def _printable(character: str) -> str:
    return character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
