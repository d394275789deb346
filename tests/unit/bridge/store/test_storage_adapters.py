"""Storage adapters, supplied ones and a third party's: what each promises (mqe.md 20.1)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.stored_objects import StoredObjects
from mqbridge.bridge.store.adapters.files import FilesAdapter
from mqbridge.bridge.store.adapters.interface import Mode, NameRefused, NotOpen, ObjectMissing, StorageAdapter
from mqbridge.bridge.store.adapters.memory import MemoryAdapter
from mqbridge.bridge.store.descriptors import open_described
from mqbridge.bridge.store.errors import StoreDamaged, StoreError, StoreFailed, StoreLocked
from mqbridge.bridge.store.interface import PutRecord
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from support.queue_manager.database_adapter import DatabaseAdapter

Make = Callable[[], StorageAdapter]
ADAPTERS = pytest.mark.parametrize("kind", [FilesAdapter, MemoryAdapter, DatabaseAdapter])


class Reversed:
    """A coder that turns bytes round, behind a mark."""

    def encode(self, data: bytes) -> bytes:
        return b"R" + data[::-1]

    def decode(self, data: bytes) -> bytes:
        if data[:1] != b"R":
            raise StoreDamaged("no mark", "here")
        return data[:0:-1]


def write(adapter: StorageAdapter, name: str, data: bytes) -> None:
    adapter.open(name, Mode.WRITE)
    adapter.write(data)
    adapter.close()


def read(adapter: StorageAdapter, name: str) -> bytes:
    adapter.open(name, Mode.READ)
    try:
        return adapter.read()
    finally:
        adapter.close()


@pytest.mark.spec("E-452", "E-453", "E-455", "E-456", "E-457", "E-460", "E-462", "SC-27")
@ADAPTERS
def test_objects_are_selected_read_written_listed_and_erased(kind: Make, tmp_path: Path) -> None:
    adapter = kind()
    adapter.activate(f"any:{tmp_path}/place")
    assert adapter.names() == []
    with pytest.raises(NotOpen):
        adapter.write(b"nothing is open")
    with pytest.raises(ObjectMissing):
        adapter.open("Überraschung.dat", Mode.READ)
    write(adapter, "Überraschung.dat", b"one")
    write(adapter, "überraschung.dat", b"")
    write(adapter, "other", b"three")
    assert read(adapter, "Überraschung.dat") == b"one"
    assert read(adapter, "überraschung.dat") == b""
    write(adapter, "other", b"four")
    adapter.open("other", Mode.UPDATE)
    assert (adapter.read(), adapter.status()) == (b"four", "other")
    adapter.write(b"five")
    assert adapter.read() == b"five"
    adapter.close()
    with pytest.raises(NotOpen):
        adapter.read()
    adapter.open("other", Mode.READ)
    with pytest.raises(NotOpen):
        adapter.write(b"it is open for reading")
    adapter.close()
    assert sorted(adapter.names()) == ["other", "Überraschung.dat", "überraschung.dat"]
    adapter.select(".dat")
    assert (sorted(adapter.names()), adapter.status()) == (["Überraschung.dat", "überraschung.dat"], ".dat")
    adapter.select("")
    adapter.erase("other")
    with pytest.raises(ObjectMissing):
        adapter.erase("other")
    for name in ("a/b", "..\\b", "", "n" * 101, "\ud800"):
        with pytest.raises(NameRefused):
            adapter.erase(name)
        with pytest.raises(NameRefused):
            adapter.open(name, Mode.WRITE)
    adapter.require_place()
    adapter.release()


@pytest.mark.spec("E-454")
@ADAPTERS
def test_a_coder_codes_what_is_written_and_decodes_what_is_read(kind: Make, tmp_path: Path) -> None:
    adapter = kind()
    adapter.activate(f"any:{tmp_path}/deep/place:1", Reversed())
    write(adapter, "a", b"abc")
    assert read(adapter, "a") == b"abc"
    if isinstance(adapter, MemoryAdapter):
        assert adapter.objects == {"a": b"Rcba"}
    adapter.release()
    if isinstance(adapter, FilesAdapter):
        assert (tmp_path / "deep" / "place:1" / "61").read_bytes() == b"Rcba"


@pytest.mark.spec("E-138", "E-454", "E-461")
def test_files_lock_their_folder_and_pass_over_what_is_not_theirs(tmp_path: Path) -> None:
    first, second = FilesAdapter(), FilesAdapter()
    first.activate(f"files:{tmp_path}/moon")
    write(first, "MoOn", b"x")
    assert sorted(os.listdir(tmp_path / "moon")) == ["4d6f4f6e", "lock"]
    with pytest.raises(StoreLocked) as caught:
        second.activate(f"files:{tmp_path}/moon")
    assert caught.value.pid == os.getpid()
    (tmp_path / "moon" / "new").write_bytes(b"left behind by a crash")
    (tmp_path / "moon" / "README").write_bytes(b"of somebody else")
    first.release()
    second.activate(f"files:{tmp_path}/moon")
    assert second.names() == ["MoOn"]
    assert sorted(os.listdir(tmp_path / "moon")) == ["4d6f4f6e", "README", "lock"]
    (tmp_path / "moon").rename(tmp_path / "sun")
    with pytest.raises(StoreFailed):
        second.require_place()
    second.release()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreFailed):
        FilesAdapter().activate(f"files:{tmp_path}/file/moon")


def order() -> Fields:
    found = Fields()
    found["colour"], found["count"] = "blue", 7
    return found


@pytest.mark.spec("E-453", "E-457", "E-458", "E-459", "SC-27")
@ADAPTERS
def test_fields_objects_are_written_and_found_by_their_fields(kind: Make, tmp_path: Path) -> None:
    adapter = kind()
    adapter.activate(f"any:{tmp_path}/place")
    objects = StoredObjects(adapter)
    for number in range(3):
        fields = order()
        fields["number"] = number
        objects.open(f"{number}.order", Mode.WRITE)
        objects.write_object(fields)
        objects.close()
    write(adapter, "0.broken", b"no dump")
    wanted = Fields()
    wanted["number"] = 2
    assert objects.read_object(wanted)["colour"] == "blue"
    assert objects.names() == ["0.broken", "0.order", "1.order", "2.order"]
    objects.select("1.order")
    assert objects.status() == "1.order"
    refusals: list[tuple[Callable[[], object], Code]] = [
        (lambda: objects.read_object(wanted), Code.NOT_FOUND),
        (objects.read_object, Code.NOT_ALLOWED),
        (lambda: objects.open("none", Mode.READ), Code.NOT_FOUND),
        (lambda: objects.open("a/b", Mode.READ), Code.SYNTAX),
        (lambda: objects.erase("a/b"), Code.SYNTAX),
        (lambda: objects.erase(7), Code.NOT_SUPPORTED),
        (lambda: objects.erase("none"), Code.NOT_ALLOWED),
        (lambda: objects.write_object({"a": 1}), Code.TYPE),  # type: ignore[arg-type]
    ]
    for call, code in refusals:
        with pytest.raises(EveryplaceError) as caught:
            call()
        assert caught.value.code is code
    objects.erase("1.order")
    adapter.release()


@pytest.mark.spec("E-110", "E-137", "E-140", "E-462")
@pytest.mark.parametrize("kind", ["sqlite", "files", "memory", "database"])
def test_a_descriptor_names_the_kind_of_store_and_its_place(kind: str, tmp_path: Path) -> None:
    others = {"database": DatabaseAdapter}
    descriptor = f"{kind}:{tmp_path}/moon.mqe"
    store = open_described(descriptor, others)
    assert store.commit([[PutRecord("t", b"k", b"v")]]) == [None]
    store.close()
    after = open_described(descriptor, others)
    # What memory kept is gone with its process: it assures nothing.
    assert after.record("t", b"k") == (None if kind == "memory" else b"v")
    after.close()


@pytest.mark.spec("E-110")
def test_a_descriptor_of_no_kind_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="sqlite, files, memory"):
        open_described(f"paper:{tmp_path}")
    with pytest.raises(StoreError, match="coder"):
        open_described(f"sqlite:{tmp_path}/x", coder=Reversed())
    store = open_described(f"files:{tmp_path}/coded", coder=Reversed())
    assert store.commit([[PutRecord("t", b"k", b"v")]]) == [None]
    store.close()
    with pytest.raises(StoreDamaged):
        open_described(f"files:{tmp_path}/coded")
    open_described(f"files:{tmp_path}/coded", coder=Reversed()).close()
