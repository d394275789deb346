"""Messages to JSON, in pieces: a long body is read and written incrementally."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from mqbridge.mappings.body import read_slice
from mqbridge.mappings.message import Message
from mqbridge.protocol.formats import NO_FORMATS, Formats

from .view import SMALL_BODY, MessageView

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def message_pieces(message: Message, *, short: bool = False, formats: Formats = NO_FORMATS) -> Iterator[bytes]:
    """Yield the JSON object of a message in UTF-8, without line ends, in pieces.

    ``short``: the body as text only, or as ``hex`` only if it is not text. ``formats``: headers beside MQ's own. Raises
    ``MQBridgeError`` before the first piece for a malformed descriptor.
    """
    view = MessageView(message, formats)
    document: dict[str, Any] = {"MQMD": view.descriptor, "headers": view.headers}
    if view.offset:
        document["headerBytes"] = view.header_bytes.hex()
    if view.errors:
        document["errors"] = view.errors
    document["properties"] = view.properties
    body: dict[str, Any] = {"length": view.length, "ccsid": view.ccsid}
    if view.format != view.descriptor["Format"]:
        body["format"] = view.format
    document["body"] = body
    if view.length > SMALL_BODY:
        yield from _long(view, document, short)
        return
    text = view.text
    if text is not None:
        body["text"] = text
    if text is None or not short:
        body["hex"] = read_slice(message.body, view.offset).hex()
    yield _dumped(document)


def _long(view: MessageView, document: dict[str, Any], short: bool) -> Iterator[bytes]:
    is_text = view.is_text()
    yield _dumped(document).removesuffix(b"}}")
    if is_text:
        yield b', "text": "'
        for text in view.text_pieces():
            yield json.dumps(text, ensure_ascii=False)[1:-1].encode()
        yield b'"'
    if not is_text or not short:
        yield b', "hex": "'
        for piece in view.body_pieces():
            yield piece.hex().encode("ascii")
        yield b'"'
    yield b"}}"


def _dumped(document: dict[str, Any]) -> bytes:
    return _encode(document).encode()
