"""What every type of field does, and the type of plain bytes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from mqbridge.mappings.templates.values import Value


class FieldType(Protocol):
    """A type of field."""

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the value of the bytes, and whether `write` gives these bytes for it.

        Bytes that are not of the type are the value themselves.
        """
        ...

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the bytes of a value, ``size`` of them; None: as many as it needs.

        ``cut``: whether to cut what is too long. Raises ``ValueError`` with the reason, one clause.
        """
        ...


def too_long(what: str, length: int, size: int) -> ValueError:
    """Return the error for a value that does not fit."""
    return ValueError(f"{what} of {length} bytes, but the field has {size}")


class Bytes(NamedTuple):
    """Bytes as they are."""

    def read(self, raw: bytes) -> tuple[Value, bool]:
        """Return the bytes."""
        return raw, True

    def write(self, value: Value, size: int | None, cut: bool = False) -> bytes:
        """Return the bytes; what is too short is as wrong as what is too long."""
        if not isinstance(value, bytes):
            raise ValueError(f"bytes are needed, not {value!r}")
        if size is None or len(value) == size:
            return value
        if len(value) > size and cut:
            return value[:size]
        if len(value) > size:
            raise too_long("a value", len(value), size)
        raise ValueError(f"{len(value)} bytes given, {size} needed")
