"""Bodies of a tree: what each domain does, and text in the character set of the last header."""

from __future__ import annotations

from typing import Protocol

from mqbridge.mappings.conversion.text import DataEncoding
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.text import decode_text, encode_text

from .element import Element
from .errors import ContentError
from .rules import Rules


class Content(Protocol):
    """Content of one domain. Its functions raise `ContentError` and other errors of the project."""

    name: str
    """As it stands in paths."""
    rules: Rules
    in_form: bool
    """Whether Encoding and CodedCharSetId in front of the body decide its bytes."""

    def read(self, data: bytes, form: DataEncoding) -> Element:
        """Return the root of what stands in a body."""
        ...

    def write(self, root: Element, form: DataEncoding) -> bytes:
        """Return the body of a root."""
        ...

    def empty(self) -> Element:
        """Return the root of a new body."""
        ...


def body_text(data: bytes, form: DataEncoding) -> str:
    """Return a body as text, without the byte order mark. Raises ``ConversionError``."""
    text = decode_text(data, form.ccsid, order=order_of(form.encoding) or ByteOrder.BIG)
    return text[1:] if text.startswith("\ufeff") else text


def body_bytes(text: str, form: DataEncoding) -> bytes | None:
    """Return text as a body; None if its character set lacks some of it. Raises ``ConversionError`` for an
    unknown one."""
    order = order_of(form.encoding) or ByteOrder.BIG
    encode_text("", form.ccsid, order=order)
    try:
        return encode_text(text, form.ccsid, order=order)
    except ConversionError:
        return None


def required_bytes(text: str, form: DataEncoding) -> bytes:
    """Return text as a body. Raises `ContentError` if its character set lacks some of it."""
    data = body_bytes(text, form)
    if data is None:
        raise ContentError(f"CCSID {form.ccsid} lacks some of its characters")
    return data
