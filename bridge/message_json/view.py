"""A message prepared for display: end of the headers, properties, and whether the body is text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, Final

from mqbridge.mappings.body import in_pieces, read_slice, without_front
from mqbridge.mappings.message import Message
from mqbridge.protocol.chain import HEADER_FORMATS, walk
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.dissection import Findings
from mqbridge.protocol.dissection.headers import PCF_FORMATS
from mqbridge.protocol.dissection.messages import show_chain
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.formats import NO_FORMATS, Formats
from mqbridge.protocol.numbers import order_of
from mqbridge.protocol.text import codec_for, decode_text

from .fields import field_values
from .properties import folder_values, properties_of

HEADERS_WITHIN: Final = 4 << 20
"""Bytes at the front of the data within which headers are looked for."""
SMALL_BODY: Final = 1 << 20
"""Bodies up to this many bytes are handled as one piece."""


class MessageView:
    """The parts of a message.

    ``descriptor``: its fields as `field_values` gives them. ``headers``: structures as from ``decode``;
    ``errors``: what could not be parsed. ``offset``: start of the body, which ``format``, ``ccsid`` and ``encoding``
    describe. ``properties``: by name, ``{"type": …, "value": …}``. ``formats``: headers beside MQ's own.
    Raises ``MQBridgeError`` for a malformed descriptor.
    """

    __slots__ = (
        "_formats", "_message", "ccsid", "descriptor", "encoding", "errors", "format", "headers", "offset",
        "properties",
    )  # fmt: skip

    def __init__(self, message: Message, formats: Formats = NO_FORMATS) -> None:
        self._message = message
        self._formats = formats
        self.descriptor = descriptor = field_values(message)
        self.headers: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.properties: dict[str, dict[str, Any]] = {}
        self.offset = 0
        self.format: str = descriptor["Format"]
        self.encoding: int = descriptor["Encoding"]
        ccsid: int = descriptor["CodedCharSetId"]
        self.ccsid = ccsid if ccsid > 0 else message.ccsid
        if self.format in HEADER_FORMATS or self.format in PCF_FORMATS or formats.header(self.format) is not None:
            self._follow_headers()

    def _follow_headers(self) -> None:
        front = read_slice(self._message.body, 0, HEADERS_WITHIN)
        headers = self._formats.of_headers  # data of other formats are the body
        chain = walk(self.format, self.encoding, self.ccsid, front, headers)
        findings = Findings(read_folder=folder_values, formats=headers)
        self.headers, body = show_chain(chain, findings, base=0)
        self.errors = findings.errors
        self.offset = body["offset"]
        self.format, self.encoding, self.ccsid = body["format"], chain.body_encoding, body["ccsid"]
        self.properties = properties_of(chain)

    @property
    def length(self) -> int:
        """Bytes of the body."""
        return len(self._message) - self.offset

    @property
    def header_bytes(self) -> bytes:
        """The headers as they are."""
        return read_slice(self._message.body, 0, self.offset)

    def body_pieces(self) -> Iterator[bytes | memoryview]:
        """The body in order."""
        return in_pieces(without_front(self._message.body, self.offset) if self.offset else self._message.body)

    @property
    def says_text(self) -> bool:
        """Whether the format is that of text."""
        return self.format == MQFMT.STRING

    @property
    def text(self) -> str | None:
        """Return the body as text; None if it is not text. For small bodies."""
        if not self.says_text:
            return None
        try:
            return decode_text(read_slice(self._message.body, self.offset), self.ccsid, order=self.order)
        except ConversionError:
            return None

    def is_text(self) -> bool:
        """Return whether the whole body is text; a long body is read for this."""
        if self.length <= SMALL_BODY:
            return self.text is not None
        if not self.says_text:
            return False
        try:
            for _ in self.text_pieces():
                pass
        except (UnicodeError, ConversionError):
            return False
        return True

    def text_pieces(self) -> Iterator[str]:
        """Yield the body as text. Raises ``ConversionError``, or ``UnicodeError`` during iteration."""
        decoder = codecs.getincrementaldecoder(codec_for(self.ccsid, order=self.order))()
        for piece in self.body_pieces():
            yield decoder.decode(bytes(piece))
        yield decoder.decode(b"", final=True)

    @property
    def order(self) -> ByteOrder:
        """Byte order of the body's integers."""
        return order_of(self.encoding) or ByteOrder.BIG
