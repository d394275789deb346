"""Fields of a fixed layout as parts of a tree: names by path, values by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .errors import ContentError
from .paths import Step


def field_key(keys: Mapping[str, str], steps: Sequence[Step]) -> str:
    """Return the key of the one field to which steps lead. Raises `ContentError`."""
    if not steps or steps[0].name is None:
        raise ContentError("name one field")
    key = keys.get(steps[0].name)
    if key is None or len(steps) > 1 or steps[0].attribute or steps[0].occurrence not in (None, 1):
        raise ContentError("there is no such field")
    return key


def check_number(value: object) -> int:
    """Return a number that a field of four bytes can hold. Raises `ContentError`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ContentError(f"a number is needed, not {type(value).__name__}")
    if not -(2**31) <= value < 2**31:
        raise ContentError(f"value {value} does not fit")
    return value


def check_field_value(kind: str, value: object) -> int | str | bytes:
    """Return a value that fits the kind of a field: ``"int"``, ``"char"`` or ``"bytes"``. Raises `ContentError`."""
    if kind == "int":
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif kind == "char":
        if isinstance(value, str):
            return value
    elif isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    wanted = {"int": "a number is", "char": "text is"}.get(kind, "bytes are")
    raise ContentError(f"{wanted} needed, not {type(value).__name__}")
