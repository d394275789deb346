"""Values of header fields as the configuration has them."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.text import encode_field

from .errors import StepError

HEADER_CCSID: Final = 1208
"""Code page of headers that are added."""


def field_value(name: str, kind: str, size: int, value: object) -> int | bytes:
    """Return the raw value of a header's field: text in ASCII, hexadecimal digits of an id. Raises `StepError`,
    ``ConversionError``."""
    if kind == "char" and isinstance(value, str):
        return encode_field(value, size, HEADER_CCSID)
    if kind == "bytes" and isinstance(value, str):
        return identifier(name, size, value)
    if kind == "int" and isinstance(value, int) and not isinstance(value, bool):
        return value
    wanted = {"char": "a string", "bytes": "a string of hexadecimal digits"}.get(kind, "a whole number")
    raise StepError(0, f"{name} is {wanted}, not {value!r}")


def identifier(name: str, size: int, digits: str) -> bytes:
    """Return the bytes of an id, padded with zeros. Raises `StepError`."""
    try:
        raw = bytes.fromhex(digits)
    except ValueError:
        raw = bytes(size + 1)
    if len(raw) > size:
        raise StepError(0, f"{name} has up to {2 * size} hexadecimal digits, not {digits[:60]!r}")
    return raw.ljust(size, b"\0")
