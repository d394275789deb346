"""Durable storage behind one interface: rows of messages, records and prepared branches, in LMDB or in memory.

`open_store` opens the kind of store that the configuration names; `interface` has the operations and errors.
"""

from __future__ import annotations

import os

from mqbridge.bridge.store.interface import Store

KINDS = ("lmdb", "memory")


def open_store(kind: str, folder: str | os.PathLike[str], *, map_size: int | None = None) -> Store:
    """Open a store of one of `KINDS`; a durable one uses `folder` and `map_size` (bytes).

    The driver is imported on first use. Raises `StoreLocked`, `StoreNewer`, `StoreDamaged` as the store does.
    """
    if kind == "memory":
        from mqbridge.bridge.store.memory import MemoryStore

        return MemoryStore()
    if kind == "lmdb":
        from mqbridge.bridge.store.environment import DEFAULT_MAP_SIZE
        from mqbridge.bridge.store.lmdb import LmdbStore

        return LmdbStore(folder, map_size=map_size or DEFAULT_MAP_SIZE)
    raise ValueError(f"a store is of kind {' or '.join(KINDS)}, not {kind!r}")


__all__ = ["KINDS", "Store", "open_store"]
