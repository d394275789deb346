"""JSON to messages."""

from __future__ import annotations

import json
from typing import Any, Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQCCSI, MQFMT
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.text import encode_text

from .errors import MessageFormError
from .fields import build_message, md_fields
from .properties import header_descriptor, make_property, property_header

UTF_8: Final = 1208
_KNOWN: Final = frozenset(("MQMD", "headers", "headerBytes", "properties", "body", "errors"))
_decode: Final = json.JSONDecoder().decode


def message_from_json(line: bytes | str) -> Message:
    """Return the message of one JSON object.

    ``body`` has ``hex``, or ``text``, encoded in the message's CCSID (UTF-8 by default) with format MQSTR by default.
    It is preceded by ``headerBytes``, or else by an MQRFH2 with the ``properties``, if any; ``MQMD`` then describes the
    body, and the descriptor the header. Raises `MessageFormError`.
    """
    try:
        document = _decode(line if isinstance(line, str) else str(line, "utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise MessageFormError(f"no JSON: {error}") from error
    if not isinstance(document, dict):
        raise MessageFormError("a message is a JSON object")
    if not document.keys() <= _KNOWN:
        unknown = next(key for key in document if key not in _KNOWN)
        raise MessageFormError(f"a message has no {unknown!r}; it has MQMD, properties, headerBytes, body")
    fields = md_fields(_object(document, "MQMD"))
    body = _object(document, "body")
    properties = _object(document, "properties")
    front = _hex(document, "headerBytes") if "headerBytes" in document else b""
    if front:
        ccsid = body.get("ccsid", UTF_8)
        if not isinstance(ccsid, int):
            raise MessageFormError('"ccsid" of the body: a number is expected')
        return build_message(front + _body(body, ccsid, fields), fields)
    if document.get("headers"):
        raise MessageFormError('"headers" are given without "headerBytes": headers are taken as bytes')
    is_text = "hex" not in body
    if is_text:
        fields.setdefault("format", str(MQFMT.STRING))
        if fields.get("coded_char_set_id", 0) == MQCCSI.Q_MGR:
            fields["coded_char_set_id"] = UTF_8
    data = _body(body, fields.get("coded_char_set_id", UTF_8), fields)
    if properties:
        return _with_properties(data, fields, properties)
    return build_message(data, fields)


def _with_properties(data: bytes, fields: dict[str, Any], properties: dict[str, Any]) -> Message:
    values = []
    for name, value in properties.items():
        if isinstance(value, dict):
            values.append(make_property(name, str(value.get("type", "string")), value.get("value")))
        else:
            values.append(make_property(name, "string", value))
    header = property_header(
        values,
        body_format=fields.get("format", ""),
        body_encoding=fields.get("encoding", NATIVE_ORDER.encoding),
        body_ccsid=fields.get("coded_char_set_id", UTF_8) or UTF_8,
    )
    return build_message(header + data, {**fields, **header_descriptor()})


def _object(document: dict[str, Any], key: str) -> dict[str, Any]:
    found = document.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise MessageFormError(f'"{key}": an object is expected')
    return found


def _hex(document: dict[str, Any], key: str) -> bytes:
    found = document.get(key, "")
    if not isinstance(found, str):
        raise MessageFormError(f'"{key}": hexadecimal text is expected')
    try:
        return bytes.fromhex(found)
    except ValueError:
        raise MessageFormError(f'"{key}": {found[:40]!r} is not hexadecimal') from None


def _body(body: dict[str, Any], ccsid: int, fields: dict[str, Any]) -> bytes:
    if "hex" in body:
        return _hex(body, "hex")
    text = body.get("text", "")
    if not isinstance(text, str):
        raise MessageFormError('"text" of the body: text is expected')
    order = order_of(fields.get("encoding", NATIVE_ORDER.encoding)) or NATIVE_ORDER
    try:
        return text.encode() if ccsid == UTF_8 else encode_text(text, ccsid, order=order)
    except (ConversionError, UnicodeError) as error:
        raise MessageFormError(f"body: {error}") from error
