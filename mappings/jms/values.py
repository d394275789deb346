"""Values of properties and of entries of map and stream bodies as texts, and back (jms-mapping.md 4.4, 4.5)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from mqbridge.mappings.properties.property import single
from mqbridge.mappings.rfh2.escaping import escaped, unescaped
from mqbridge.mappings.rfh2.scalars import floating, raw_bytes, whole

from .errors import JmsFormatError
from .typed import JMS_TYPES, Typed

NULL: Final = Typed(None, "null")
_TRUE: Final = Typed(True, "boolean")
_FALSE: Final = Typed(False, "boolean")
_PLAIN: Final = re.compile(r"-?[0-9]{1,20}\.[0-9]{1,20}\Z")
_new: Final = tuple.__new__
"""Makes a named tuple without the call of a function in Python."""
_PLAIN_FROM: Final = 1e-3
_PLAIN_BELOW: Final = 1e7


def typed_text(dt: str, text: str) -> Typed:
    """Return the value that an element with this ``dt``, empty for none, and this text has.

    Raises `JmsFormatError` for a type that JMS does not have and for text that is not of the type.
    """
    if not dt:
        return Typed(unescaped(text) if "&" in text else text, "string")
    reader = _READERS.get(dt)
    if reader is None:
        raise JmsFormatError(f"{dt[:20]!r} is no type of JMS")
    try:
        return reader(text)
    except ValueError:
        raise JmsFormatError(f"{text[:40]!r} is no {JMS_TYPES.get(dt, dt)}") from None


def text_of(value: Typed) -> str:
    """Return the text of a value that is not null, as it stands in an element."""
    content, dt = value
    if isinstance(content, str):
        return escaped(content)
    if isinstance(content, bool):
        return "1" if content else "0"
    if isinstance(content, int):
        return str(content)
    if isinstance(content, float):
        return _float_text(content, dt)
    return content.hex() if isinstance(content, bytes) else ""


def element(start: str, name: str, value: Typed) -> str:
    """Return an element whose tag begins with ``start`` and ends with ``name``."""
    dt = value.dt
    if dt == "string":
        return f"<{start}>{escaped(value.value)}</{name}>" if isinstance(value.value, str) else ""
    if dt == "null":
        return f"<{start} xsi:nil='true'></{name}>"
    return f"<{start} dt='{dt}'>{text_of(value)}</{name}>"


def _float_text(value: float, dt: str) -> str:
    """Return a number as Java writes it: with an exponent below a thousandth and from ten millions on."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    text = _shortest_single(value) if dt == "r4" else repr(value)
    if "e" not in text and (value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_BELOW):
        return text
    sign = "-" if text.startswith("-") else ""
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole_part, _, fraction = mantissa.partition(".")
    digits = (whole_part + fraction).lstrip("0")
    power = int(exponent or 0) + len(whole_part) - 1 - (len(whole_part + fraction) - len(digits))
    return f"{sign}{digits[0]}.{digits[1:].rstrip('0') or '0'}E{power}"


def _shortest_single(value: float) -> str:
    """Return the shortest text that is this number in four bytes."""
    for precision in (6, 7, 8, 9):
        text = repr(float(f"{value:.{precision}g}"))
        if single(float(text)) == value:
            break
    return text


def _string(text: str) -> Typed:
    return Typed(unescaped(text), "string")


def _boolean(text: str) -> Typed:
    if text == "1":
        return _TRUE
    if text == "0":
        return _FALSE
    raise ValueError(text)


def _whole(bits: int, dt: str) -> Callable[[str], Typed]:
    digits = len(str((1 << (bits - 1)) - 1))

    def read(text: str) -> Typed:
        if len(text) < digits and text.isdecimal() and text.isascii():
            return _new(Typed, (int(text), dt))
        return Typed(whole(text, bits), dt)

    return read


def _float(text: str) -> Typed:
    return Typed(single(floating(text)), "r4")


def _double(text: str) -> Typed:
    return _new(Typed, (float(text) if _PLAIN.match(text) else floating(text), "r8"))


def _bytes(text: str) -> Typed:
    return Typed(raw_bytes(text), "bin.hex")


def _char(text: str) -> Typed:
    character = unescaped(text)
    if len(character) != 1 or ord(character) > 0xFFFF:
        raise ValueError(text)
    return Typed(character, "char")


_READERS: Final[dict[str, Callable[[str], Typed]]] = {
    "string": _string,
    "boolean": _boolean,
    "i1": _whole(8, "i1"),
    "i2": _whole(16, "i2"),
    "i4": _whole(32, "i4"),
    "i8": _whole(64, "i8"),
    "int": _whole(64, "i8"),
    "r4": _float,
    "r8": _double,
    "bin.hex": _bytes,
    "char": _char,
}
READERS_BY_ATTRIBUTES: Final = {f" dt='{dt}'": reader for dt, reader in _READERS.items()}
"""Functions that read the text of an element whose tag has just this attribute; they raise ``ValueError``."""
