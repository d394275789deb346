"""Kinds of stores, a branch's row of another release, and pages that are read without LMDB."""

from __future__ import annotations

import mmap
from pathlib import Path

import lmdb
import pytest

from mqbridge.bridge.store import open_store
from mqbridge.bridge.store.branch_rows import decode_operations
from mqbridge.bridge.store.interface import AddMessage, StoreDamaged
from mqbridge.bridge.store.lmdb import LmdbStore
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.bridge.store.salvage import PageReader


def test_a_store_is_of_the_kind_that_is_asked_for(tmp_path: Path) -> None:
    assert isinstance(open_store("memory", tmp_path / "memory"), MemoryStore)
    store = open_store("lmdb", tmp_path / "data")
    assert isinstance(store, LmdbStore)
    store.close()
    with pytest.raises(ValueError, match="lmdb or memory, not 'kafka'"):
        open_store("kafka", tmp_path / "data")


@pytest.mark.parametrize("tag", [0, 8])
def test_an_operation_that_no_release_has_written_is_damage(tag: int) -> None:
    row = bytes([tag]) + bytes(12) + (1).to_bytes(4, "big") + (5).to_bytes(8, "big") + b"index"
    with pytest.raises(StoreDamaged):
        list(decode_operations(row, "a branch"))


def test_pages_give_the_rows_that_lmdb_gives_long_ones_and_empty_tables_too(tmp_path: Path) -> None:
    store = LmdbStore(tmp_path / "data")
    assert store.commit([[AddMessage(1, at, b"index", b"%d" % at * 10_000) for at in range(20)]]) == [None]
    store.close()
    file = tmp_path / "data" / "messages.mdb"
    reader = PageReader(file)
    with lmdb.open(str(file), subdir=False, max_dbs=8, readonly=True) as environment:
        for table in (b"bodies", b"index", b"staged", b"records", b"branches"):
            with environment.begin(db=environment.open_db(table, create=False)) as transaction:
                assert list(reader.rows(table)) == [(bytes(key), bytes(row)) for key, row in transaction.cursor()]
    assert reader.damages == []


@pytest.mark.parametrize("length", [1, 100, mmap.PAGESIZE + 50])
def test_a_file_that_ends_within_its_roots_is_damage(tmp_path: Path, length: int) -> None:
    file = tmp_path / "messages.mdb"
    file.write_bytes(bytes(length))
    with pytest.raises(StoreDamaged, match="neither of its roots can be read"):
        PageReader(file)
