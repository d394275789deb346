"""Values that the code of plug-ins returns, copied as a whole and within limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .errors import StructureError

MAX_VALUES: Final = 1 << 20
"""Most values of one body."""
MAX_DEPTH: Final = 100
"""Depth to which values are nested at most."""
MAX_BITS: Final = 1024
"""Length of the longest number among them."""


def copied(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the values of a body in mappings and lists of Python's own. ``name``: of the format.

    Raises ``StructureError`` for more than `MAX_VALUES` values, deeper than `MAX_DEPTH`, numbers of more than
    `MAX_BITS`, names that are no texts and texts that are none; and what the values raise when they are asked for.
    """
    found: dict[str, Any] = _Copying(name).copy(values)
    return found


class _Copying:
    """Copies the values of one body. Raises ``StructureError`` with the name of the format."""

    __slots__ = ("_left", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = MAX_VALUES

    def copy(self, value: Any, depth: int = 0) -> Any:
        """Return a value in Python's own mappings and lists."""
        self._left -= 1
        if self._left < 0:
            raise StructureError(self._name, 0, f"more than {MAX_VALUES} values")
        if depth > MAX_DEPTH:
            raise StructureError(self._name, 0, f"values are nested deeper than {MAX_DEPTH}")
        if isinstance(value, Mapping):
            return {self._text(name): self.copy(value[name], depth + 1) for name in value}
        if isinstance(value, list | tuple):
            return [self.copy(each, depth + 1) for each in value]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise StructureError(self._name, 0, f"a number has more than {MAX_BITS} bits")
        return bytes(value) if isinstance(value, bytearray | memoryview) else value

    def _text(self, value: Any) -> str:
        if not isinstance(value, str):
            raise StructureError(self._name, 0, "a name is no text")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise StructureError(self._name, 0, "a text has half of a surrogate pair") from None
        return value
