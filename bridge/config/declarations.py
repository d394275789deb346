"""Declarations of the fields of settings classes: what the reader fills them with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, field
from typing import Any

from mqbridge.bridge.config import values
from mqbridge.bridge.config.errors import NOWHERE


def setting(reader: values.Reader[Any], default: Any = MISSING, key: str = "") -> Any:
    """Declare a field that a TOML key fills: its reader, its default, and the key if it is not the field's name."""
    metadata = {"reader": reader, "key": key}
    if isinstance(default, list | dict):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


def table(settings: type) -> Any:
    """Declare a field that is a TOML table; without the table all its defaults apply."""
    return field(default_factory=settings, metadata={"table": settings})


def optional_table(settings: type) -> Any:
    """Declare a field that is a TOML table; None without the table."""
    return field(default=None, metadata={"optional_table": settings})


def tables(settings: type, key: str, default: Callable[[], list[Any]]) -> Any:
    """Declare a field that is an array of TOML tables; ``default`` returns its value if there is none."""
    return field(default_factory=default, metadata={"tables": settings, "key": key})


def named_tables(settings: type, key: str) -> Any:
    """Declare a field that is a TOML table of tables, ``[key.NAME]``: settings by name; none without one."""
    return field(default_factory=dict, metadata={"named_tables": settings, "key": key})


def place() -> Any:
    """Declare a field that is filled with the place of the table in the file, see `TablePlace`."""
    return field(default=NOWHERE, compare=False, repr=False, metadata={"place": True})
