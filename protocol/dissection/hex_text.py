"""Packets as hexadecimal text: lines of bytes, comments, and marks for the direction.

A line is empty, a comment (``#``), or hexadecimal digits with blanks anywhere between bytes. ``C>`` or ``S>`` in front
marks bytes of the initiator or of the responder; a decimal number behind the mark (seconds) is ignored. A comment
with the words ``--- socket`` begins another connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from mqbridge.protocol.errors import MQBridgeError

_LINE: Final = re.compile(r"\s*(?:(C>|S>)\s*(?:\d*\.\d+\s+)?)?([0-9A-Fa-f\s]*)\Z")
_DIRECTIONS: Final = {"C>": "initiator", "S>": "responder", None: None}


class HexTextError(MQBridgeError):
    """A line of hexadecimal text ends within a byte; the message names the line."""


class HexPiece(NamedTuple):
    """Bytes of a line. ``connection`` counts from 1; ``direction`` is ``"initiator"``, ``"responder"`` or None."""

    connection: int
    direction: str | None
    data: bytes


def is_hex_text(data: bytes) -> bool:
    """Return whether these bytes are hexadecimal text, with or without comments, of at least one byte."""
    if not data.isascii() or b"\0" in data:
        return False
    lines = [line for line in data.decode("ascii").splitlines() if not line.lstrip().startswith("#")]
    return any(line.strip() for line in lines) and all(_LINE.match(line) for line in lines)


def read_hex_text(data: bytes) -> Iterator[HexPiece]:
    """Yield the bytes of each line, in order, of text that :func:`is_hex_text`. Raises ``HexTextError`` for half a
    byte."""
    connection, begun = 1, False
    carried = ""  # without marks a byte may be split between two lines
    number = 0
    for number, line in enumerate(data.decode("ascii").splitlines(), 1):
        if line.lstrip().startswith("#"):
            if "--- socket" in line and begun:
                connection += 1
            continue
        match = _LINE.match(line)
        if match is None:
            raise HexTextError(f"line {number} is no hexadecimal text")
        digits = carried + "".join(match[2].split())
        carried = ""
        if len(digits) % 2:
            if match[1]:
                raise HexTextError(f"line {number} ends with half a byte")
            digits, carried = digits[:-1], digits[-1]
        if digits:
            begun = True
            yield HexPiece(connection, _DIRECTIONS[match[1]], bytes.fromhex(digits))
    if carried:
        raise HexTextError(f"line {number} ends with half a byte")
