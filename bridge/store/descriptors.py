"""Stores by descriptor: type of store, colon, place, such as ``sqlite:moon.mqe`` or ``files:/var/lib/moon`` (E-110)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from mqbridge.bridge.store.adapter_store import AdapterStore
from mqbridge.bridge.store.adapters.files import FilesAdapter
from mqbridge.bridge.store.adapters.interface import Coder, StorageAdapter, place_of
from mqbridge.bridge.store.adapters.memory import MemoryAdapter
from mqbridge.bridge.store.errors import StoreError
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.store.sqlite import SqliteStore

Adapters = Mapping[str, Callable[[], StorageAdapter]]
SQLITE: Final = "sqlite"
ADAPTERS: Final[Adapters] = {"files": FilesAdapter, "memory": MemoryAdapter}
"""Supplied adapters, by the type of store that they make (E-452)."""


def open_described(descriptor: str, others: Adapters | None = None, coder: Coder | None = None) -> Store:
    """Open a store. ``others``: registered adapters. ``coder``: for what an adapter writes.

    Raises `StoreError` for a type that is not known, and what the store does.
    """
    kind = descriptor.partition(":")[0]
    if kind == SQLITE:
        if coder is not None:
            raise StoreError("a store of SQLite has no coder")
        return SqliteStore(Path(place_of(descriptor)))
    adapters = {**(others or {}), **ADAPTERS}
    if kind not in adapters:
        known = ", ".join((SQLITE, *sorted(adapters)))
        raise StoreError(f"{descriptor!r} begins with no type of store; there are {known}")
    adapter = adapters[kind]()
    adapter.activate(descriptor, coder)
    try:
        return AdapterStore(adapter, descriptor)
    except BaseException:
        adapter.release()
        raise
