"""The adapters by their names: those of the project, and those that installed distributions offer (E-263).

An entry point of the group `mqbridge.everyplace` whose name begins with ``adapter.`` is called with what stands behind
the first colon of the name in a definition, and returns an object with the methods of `interface.AdapterKind`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .interface import AdapterKind

GROUP: Final = "mqbridge.everyplace"
PREFIX: Final = "adapter."
NAMES: Final = ("tcp", "tls", "http", "https")


class AdapterTable:
    """``more``: adapters that a program brings along, by name."""

    def __init__(self, more: Mapping[str, AdapterKind] | None = None) -> None:
        self._kinds: dict[str, AdapterKind] = dict(more or {})

    def find(self, name: str) -> AdapterKind:
        """Return the adapter with a name. Raises `EveryplaceError` CON_ADAPTER_REQUIRED."""
        found = self._kinds.get(name)
        if found is None:
            found = self._kinds[name] = _supplied(name) or _installed(*name.partition(":")[::2])
        return found


def _supplied(name: str) -> AdapterKind | None:
    if name in ("tcp", "tls"):
        from .streams import Tcp, Tls

        return Tcp() if name == "tcp" else Tls()
    if name in ("http", "https"):
        from .http import Http

        return Http(name)
    return None


def _installed(name: str, parameters: str) -> AdapterKind:
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP, name=f"{PREFIX}{name}"):
        try:
            found: AdapterKind = entry.load()(parameters)
        except Exception as error:  # the code of others may raise anything
            text = f"adapter {name} ({entry.value}) does not load: {type(error).__name__}: {error}"
            raise EveryplaceError(Code.CON_ADAPTER_REQUIRED, text) from error
        return found
    text = f"there is no adapter {name!r}; there are {', '.join(NAMES)}, and those of the entry points {GROUP}"
    raise EveryplaceError(Code.CON_ADAPTER_REQUIRED, text)
