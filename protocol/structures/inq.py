"""INQ: selectors and values of MQINQ and MQSET, mq-wire.md 5.10.

A request to inquire ends with the selectors. Its reply and a request to set have the values behind them: integers in
the order of the integer selectors, then characters in the order of the character selectors, each of a fixed length.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

from construct import Array, Struct, this

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.fields import Numbers, char, part
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.inq import InqHeadBig, InqHeadLittle
from mqbridge.protocol.records import Buffer

from .bodies import Body


def _head(n: Numbers) -> tuple[Any, ...]:
    return (
        n.u32("SelectorCount", "selectors"),
        n.u32("IntAttrCount", "integer values"),
        n.u32("CharAttrLength", "bytes of character values"),
    )


def _selectors(n: Numbers) -> Any:
    return part("Selectors", Array(this.selector_count, n.plain("u32")), "what is asked for or set")


def _inq(n: Numbers) -> Any:
    return Struct(*_head(n), _selectors(n))


def _inq_values(n: Numbers) -> Any:
    return Struct(
        *_head(n),
        _selectors(n),
        part("IntAttrs", Array(this.int_attr_count, n.plain("i32")), "integer values"),
        char("CharAttrs", this.char_attr_length, "character values"),
    )


INQ = Structure("INQ", _inq, spec="mq-wire.md 5.10")
"""A request to inquire."""

INQ_VALUES = Structure("INQ", _inq_values, spec="mq-wire.md 5.10")
"""A reply to it, or a request to set."""

INQ_HEAD = Structure("INQ", lambda n: Struct(*_head(n)), InqHeadBig, InqHeadLittle, spec="mq-wire.md 5.10")
"""The three counts in front, 12 bytes."""

_WORD: Final = 4


class Inquiry(Body):
    """An INQ. ``rest`` holds selectors and values as received."""

    __slots__ = ()

    @property
    def selectors(self) -> tuple[int, ...]:
        """Return the selectors (MQIA and MQCA)."""
        return self._words("I", 0, self.record.selector_count)

    @property
    def int_attrs(self) -> tuple[int, ...]:
        """Return the integer values; empty in a request to inquire."""
        start = self.record.selector_count * _WORD
        return self._words("i", start, self.record.int_attr_count) if len(self.rest) > start else ()

    @property
    def char_attrs(self) -> bytes:
        """Return the concatenated character values; empty in a request to inquire."""
        return self.rest[(self.record.selector_count + self.record.int_attr_count) * _WORD :]

    def _words(self, code: str, start: int, count: int) -> tuple[int, ...]:
        prefix = self.record.ORDER.prefix
        return struct.unpack_from(f"{prefix}{count}{code}", self.rest, start)


def parse_inq(buffer: Buffer, offset: int, order: ByteOrder, *, values: bool) -> Inquiry:
    """Read an INQ; ``values``: whether values stand behind the selectors (reply to MQINQ, MQSET both ways).

    Raises ``StructureError`` when they extend beyond the buffer.
    """
    record = INQ_HEAD.codec(order).parse(buffer, offset)
    wanted = record.selector_count * _WORD
    if values:
        wanted += record.int_attr_count * _WORD + record.char_attr_length
    start = offset + record.SIZE
    there = len(buffer) - start
    if wanted > there:
        raise StructureError("INQ", start, f"{wanted} bytes of selectors and values, {there} are there")
    return Inquiry(record, record.SIZE, bytes(memoryview(buffer)[start : start + wanted]))


def make_inq(
    order: ByteOrder,
    selectors: Sequence[int],
    int_attrs: Sequence[int] = (),
    char_attrs: bytes = b"",
    **values: Any,
) -> Inquiry:
    """Return an INQ to send: with values, or without them and with their counts by keyword.

    Raises ``LocalProtocolError`` for a number that does not fit.
    """
    counts = {
        "selector_count": len(selectors),
        "int_attr_count": len(int_attrs),
        "char_attr_length": len(char_attrs),
    }
    prefix = order.prefix
    try:
        words = struct.pack(f"{prefix}{len(selectors)}I{len(int_attrs)}i", *selectors, *int_attrs)
    except struct.error as fault:
        raise LocalProtocolError(f"INQ: {fault}") from None
    return Inquiry(INQ_HEAD.codec(order)(**(counts | values)), INQ_HEAD.size, words + char_attrs)
