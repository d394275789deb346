"""AMQP 1.0 as bytes, written by hand: values, performatives and frames, right and wrong ones."""

from __future__ import annotations

import struct

SASL_HEADER = b"AMQP\x03\x01\x00\x00"
HEADER = b"AMQP\x00\x01\x00\x00"
NULL, TRUE, FALSE = b"\x40", b"\x41", b"\x42"
OPEN, BEGIN, ATTACH, FLOW, TRANSFER, DISPOSITION, DETACH, END, CLOSE = range(0x10, 0x19)
ERROR, RECEIVED, ACCEPTED, REJECTED, RELEASED, MODIFIED = 0x1D, 0x23, 0x24, 0x25, 0x26, 0x27
SOURCE, TARGET = 0x28, 0x29
MECHANISMS, OUTCOME = 0x40, 0x44


def uint(number: int) -> bytes:
    return b"\x70" + struct.pack(">I", number)


def ubyte(number: int) -> bytes:
    return bytes((0x50, number))


def ushort(number: int) -> bytes:
    return b"\x60" + struct.pack(">H", number)


def ulong(number: int) -> bytes:
    return b"\x80" + struct.pack(">Q", number)


def text(value: str) -> bytes:
    return _variable(0xB1, value.encode())


def symbol(value: str) -> bytes:
    return _variable(0xB3, value.encode())


def binary(value: bytes) -> bytes:
    return _variable(0xB0, value)


def _variable(code: int, value: bytes) -> bytes:
    return bytes((code,)) + struct.pack(">I", len(value)) + value


def listed(*items: bytes, code: int = 0xD0) -> bytes:
    """A list; with code 0xD1 a map of keys and values."""
    inside = b"".join(items)
    return bytes((code,)) + struct.pack(">II", len(inside) + 4, len(items)) + inside


def symbols(*values: str) -> bytes:
    """An array of symbols."""
    inside = b"".join(_variable(0xB3, value.encode())[1:] for value in values)
    return b"\xf0" + struct.pack(">II", len(inside) + 5, len(values)) + b"\xb3" + inside


def described(code: int, value: bytes) -> bytes:
    return b"\x00\x53" + bytes((code,)) + value


def performative(code: int, *fields: bytes) -> bytes:
    return described(code, listed(*fields))


def error(condition: str, description: str = "") -> bytes:
    return performative(ERROR, symbol(condition), text(description))


def frame(body: bytes, channel: int = 0, kind: int = 0) -> bytes:
    return struct.pack(">IBBH", len(body) + 8, 2, kind, channel) + body


def sasl(*mechanisms: str, outcome: int = 0) -> bytes:
    """All that a server says of SASL, if the first answer is enough for it."""
    return b"".join(
        (
            SASL_HEADER,
            frame(performative(MECHANISMS, symbols(*mechanisms)), kind=1),
            frame(performative(OUTCOME, ubyte(outcome)), kind=1),
        )
    )


def nested(depth: int, code: int = 0xD0) -> bytes:
    """Lists in each other, or arrays with code 0xF0, each with one element; the innermost is null."""
    sizes = [struct.pack(">II", 5 + 9 * level, 1) for level in reversed(range(depth))]
    head = bytes((code,))
    return head + head.join(sizes) + NULL


def nested_descriptions(depth: int) -> bytes:
    """Described values in each other."""
    return b"\x00\x44" * depth + NULL
