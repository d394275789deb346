"""The front door of mqbridge: the names that programs import, each loaded when first used.

The rooms of the house (``protocol``, ``mappings``, ``bridge``, ``captures``) are internal and have plain names. Where
Python finds a foreign module of one of these names first, an import through this door says which file is in the way.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bridge.client import (
        BackedOut,
        ConnectionBroken,
        Inhibited,
        Message,
        MQError,
        NotAuthorized,
        NotReachable,
        Queue,
        QueueFull,
        QueueManager,
        Quiescing,
        Subscription,
        TooLong,
        Topic,
        Truncated,
        UnknownObject,
        UrlError,
        connect,
    )
    from bridge.config import ConfigError, Configuration
    from bridge.decoding import decode
    from protocol.errors import MQBridgeError

    __version__: str

ROOMS = ("protocol", "mappings", "bridge", "captures")
"""The top-level packages that belong to mqbridge and stand beside this one."""

__all__ = [
    "BackedOut",
    "ConfigError",
    "Configuration",
    "ConnectionBroken",
    "Inhibited",
    "MQBridgeError",
    "MQError",
    "Message",
    "NotAuthorized",
    "NotReachable",
    "Queue",
    "QueueFull",
    "QueueManager",
    "Quiescing",
    "Subscription",
    "TooLong",
    "Topic",
    "Truncated",
    "UnknownObject",
    "UrlError",
    "__version__",
    "connect",
    "decode",
    "main",
]

_CLIENT = "bridge.client"
_HOMES = {
    "ConfigError": "bridge.config",
    "Configuration": "bridge.config",
    "MQBridgeError": "protocol.errors",
    "decode": "bridge.decoding",
}
"""The modules of exported names that are not of the client."""


class ShadowedRoomError(ImportError):
    """A foreign module has the name of one of our packages and is found before it; the text names its file."""


def foreign_room() -> tuple[str, str] | None:
    """Return the first room whose name is taken by a foreign module, and that module's file; None if all is well."""
    home = Path(__file__).resolve().parents[1]
    for room in ROOMS:
        loaded = sys.modules.get(room)
        found = loaded.__spec__ if loaded is not None else importlib.util.find_spec(room)
        if loaded is None and found is None:
            continue
        places = [Path(place).resolve() for place in (found and found.submodule_search_locations) or ()]
        if home / room not in places:
            file = found.origin if found else getattr(loaded, "__file__", None)
            return room, file or ", ".join(map(str, places)) or repr(loaded)
    return None


def _load(module: str) -> Any:
    """Import a module of a room; an import that fails because the room is shadowed says so."""
    foreign = foreign_room()
    if foreign is not None:
        room, file = foreign
        raise ShadowedRoomError(
            f"mqbridge needs its own package {room!r}, but Python finds another module of that name first: {file}. "
            "Rename that module, or start Python from another folder or with another module search path.",
            name=room,
            path=file,
        )
    return importlib.import_module(module)


if not TYPE_CHECKING:  # a type checker would take every name for one that is here

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            value: Any = version("mqbridge")
        elif name in __all__:
            value = getattr(_load(_HOMES.get(name, _CLIENT)), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def main() -> None:
    """Run the command line; the console script ``mqbridge`` and ``python -m mqbridge`` start here."""
    try:
        command_line = _load("bridge.cli")
    except ShadowedRoomError as error:
        sys.exit(f"mqbridge: {error}")
    command_line.main()


def run_test_helper() -> None:
    """Run the process behind the pytest fixture ``mq`` (``pytest_mqbridge``)."""
    _load("bridge.testing.helper").main()
