"""Settings of service integration buses, ``[bus.NAME]``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import place, setting
from mqbridge.bridge.config.errors import TablePlace

DEFAULT_DIRECT: Final = "MQ"
"""Name of the foreign bus that stands for the queue managers across the channels, if none is given."""
_ALIAS_KEYS: Final = {"bus", "destination"}


def alias_target(value: Any, base: Path) -> tuple[str, str]:
    """Read what an alias stands for: a destination of the bus itself, or ``{ bus = …, destination = … }``.

    Returns bus and identifier; the bus is blank for the one that has the alias.
    """
    if isinstance(value, dict) and set(value) == _ALIAS_KEYS:
        return values.text(value["bus"], base), values.text(value["destination"], base)
    if not isinstance(value, str) or not value.strip():
        raise values.wrong('a destination in quotes, or { bus = "…", destination = "…" }', value)
    return "", value


@dataclass(slots=True, kw_only=True)
class BusSettings:
    """``[bus.NAME]``: a service integration bus whose destinations are queues of this queue manager."""

    virtual_queue_manager: str = setting(values.object_name, "")
    """Name under which queue managers know the bus; blank: its own name."""
    channels: list[str] = setting(values.list_of(values.object_name), [])
    """Message channels to and from the queue managers, on which its rules apply."""
    destinations: dict[str, str] = setting(values.table_of(values.object_name), {})
    """Queues by identifiers of destinations; any other destination is the queue of the same name."""
    aliases: dict[str, tuple[str, str]] = setting(values.table_of(alias_target), {})
    """Bus and identifier by alias; the bus is blank for this one."""
    direct: str = setting(values.text, DEFAULT_DIRECT)
    """Foreign bus that stands for the queue managers across the channels."""
    indirect: list[str] = setting(values.list_of(values.text), [])
    """Foreign buses behind that one, under the names of their virtual queue managers."""
    place: TablePlace = place()
