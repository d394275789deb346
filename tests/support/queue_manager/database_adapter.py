"""A third party's storage adapter: objects as rows of a database, written against the interface alone (SC-27)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from mqbridge.bridge.store.adapters.interface import Coder, Mode, ObjectMissing, Selection, check_name, place_of
from mqbridge.bridge.store.errors import StoreFailed, StoreFull


class DatabaseAdapter:
    """One table of names and bytes; each write is a transaction."""

    def __init__(self) -> None:
        self.selection = Selection()
        self.coder: Coder | None = None

    def activate(self, descriptor: str, coder: Coder | None = None) -> None:
        self.coder = coder
        self.path = Path(place_of(descriptor))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute("CREATE TABLE IF NOT EXISTS objects (name TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID")

    def open(self, name: str, mode: Mode) -> None:
        check_name(name)
        if mode is Mode.READ and not self.database.execute("SELECT 1 FROM objects WHERE name = ?", (name,)).fetchone():
            raise ObjectMissing(name)
        self.selection.open(name, mode)

    def close(self) -> None:
        self.selection.close()

    def read(self) -> bytes:
        name = self.selection.readable()
        row = self.database.execute("SELECT data FROM objects WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise ObjectMissing(name)
        return bytes(row[0]) if self.coder is None else self.coder.decode(row[0])

    def write(self, data: bytes) -> None:
        name = self.selection.writable()
        coded = data if self.coder is None else self.coder.encode(data)
        try:
            self.database.execute("INSERT OR REPLACE INTO objects VALUES (?, ?)", (name, coded))
        except sqlite3.OperationalError as error:
            raise StoreFull(str(error)) from None

    def erase(self, name: str) -> None:
        check_name(name)
        if not self.database.execute("DELETE FROM objects WHERE name = ?", (name,)).rowcount:
            raise ObjectMissing(name)

    def select(self, suffix: str) -> None:
        self.selection.suffix = suffix

    def names(self) -> list[str]:
        rows = self.database.execute("SELECT name FROM objects").fetchall()
        return [name for (name,) in rows if name.endswith(self.selection.suffix)]

    def status(self) -> str:
        return self.selection.status()

    def require_place(self) -> None:
        if not self.path.exists():
            raise StoreFailed("the database is gone", str(self.path))

    def release(self) -> None:
        self.database.close()
