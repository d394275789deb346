"""Where packets end in the stream of a connection (M-168): rules, and the lengths that they give."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from .errors import BuildError, StreamError
from .types.numbers import Base128, Order

Encoding: TypeAlias = Literal["binary", "digits", "base128"]


class LengthFraming(NamedTuple):
    """A length in each packet.

    ``position``, ``width``: where it is; in base 128 ``width`` is the most it may have. ``counts``: offset from which
    the bytes are counted, None: from behind the length. ``unit``: bytes for each count; ``add``: bytes to add.
    ``mark``: how every packet begins, empty if it does not. ``codec``: Python's name of the character set of digits.
    """

    position: int
    width: int
    order: Order = "big"
    encoding: Encoding = "binary"
    unit: int = 1
    counts: int | None = 0
    add: int = 0
    mark: bytes = b""
    codec: str = "ascii"

    def length(self, buffer: bytes | bytearray, start: int) -> int | None:
        """Return the length of the packet that begins at ``start``; None if it is not there yet.

        Raises `StreamError`: another mark, no number, a length that does not reach behind itself.
        """
        mark = bytes(buffer[start : start + len(self.mark)])
        if mark != self.mark[: len(mark)]:
            raise StreamError("a packet does not begin with its mark", bytes(buffer[start : start + 32]))
        at = start + self.position
        width = self._width(buffer, at, start)
        if width is None or len(buffer) < at + width:
            return None
        number = self._number(bytes(buffer[at : at + width]))
        extract = bytes(buffer[start : start + 32])
        if number is None:
            raise StreamError("the length is no number", extract)
        behind = self.position + width
        length = number * self.unit + self.add + (behind if self.counts is None else self.counts)
        if length < max(behind, len(self.mark)):
            raise StreamError(f"a length of {length} bytes, which ends before {behind}", extract)
        return length

    def _width(self, buffer: bytes | bytearray, at: int, start: int) -> int | None:
        if self.encoding != "base128":
            return self.width
        for index in range(at, min(len(buffer), at + self.width)):
            if buffer[index] < 0x80:
                return index + 1 - at
        if len(buffer) >= at + self.width:
            raise StreamError("the length has no end", bytes(buffer[start : start + 32]))
        return None

    def _number(self, raw: bytes) -> int | None:
        if self.encoding == "binary":
            return int.from_bytes(raw, self.order)
        if self.encoding == "base128":
            return Base128(self.order).number(raw)
        try:
            text = str(raw, self.codec).strip(" \0")
        except UnicodeError:
            return None
        return int(text) if text.isdigit() and text.isascii() else None


class DelimiterFraming(NamedTuple):
    """A mark behind each packet. ``keep``: whether it is part of the packet."""

    value: bytes
    keep: bool = False


class FixedFraming(NamedTuple):
    """Every packet has the same length."""

    size: int


class CloseFraming(NamedTuple):
    """The packet ends with the connection."""


class TransactionFraming(NamedTuple):
    """The recogniser says what it is, and the transaction how long (M-019)."""


Framing: TypeAlias = LengthFraming | DelimiterFraming | FixedFraming | CloseFraming | TransactionFraming


def framed(framing: Framing, packet: bytes, transaction: str, most: int) -> bytes:
    """Return what goes on the wire for a packet.

    Raises `BuildError` for a packet that the other side would cut differently, or longer than ``most`` bytes.
    """
    if len(packet) > most:
        raise BuildError(transaction, "", f"a packet of {len(packet)} bytes; {most} are allowed")
    if isinstance(framing, LengthFraming):
        _check_length(framing, packet, transaction)
    elif isinstance(framing, DelimiterFraming):
        place = packet.find(framing.value)
        if framing.keep and place + len(framing.value) != len(packet):
            raise BuildError(transaction, "", "its end mark stands not at its end alone")
        if not framing.keep and (place >= 0 or (packet + framing.value).find(framing.value) != len(packet)):
            raise BuildError(transaction, "", f"the end mark {framing.value.hex(' ')} stands in it")
        return packet if framing.keep else packet + framing.value
    elif isinstance(framing, FixedFraming) and len(packet) != framing.size:
        raise BuildError(transaction, "", f"a packet of {len(packet)} bytes; each has {framing.size}")
    return packet


def _check_length(framing: LengthFraming, packet: bytes, transaction: str) -> None:
    try:
        length = framing.length(packet, 0)
    except StreamError as error:
        raise BuildError(transaction, "", str(error)) from None
    if length != len(packet):
        said = "none" if length is None else f"{length} bytes"
        raise BuildError(transaction, "", f"its length says {said}, but it has {len(packet)}")
