"""The digests that each peer has used, as rows of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.agents.myopenq import digest_lists
from mqbridge.bridge.agents.myopenq.digest_lists import TABLE, DigestLists
from mqbridge.bridge.config import parse_configuration
from mqbridge.bridge.config.myopenq_settings import DEFAULT_ENDPOINT
from mqbridge.bridge.store.interface import PutRecord, StoreDamaged
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.moq import DEFAULT_PORT, DEFAULT_SERVER


def digest(number: int) -> str:
    return f"{number:032x}"


def entered(store: MemoryStore, lists: DigestLists, peer: str, number: int, most: int, message: bytes = b"") -> None:
    assert store.commit([lists.enter(peer, digest(number), most, message).operations]) == [None]


@pytest.mark.spec("M-087", "M-088", "M-090", "M-092")
def test_the_newest_digests_are_kept_on_disk() -> None:
    store = MemoryStore()
    lists = DigestLists(store)
    for number in range(5):
        entered(store, lists, "10.0.0.1", number, 3, b"message %d" % number)
    entered(store, lists, "10.0.0.2", 0, 3)
    for read in (lists, DigestLists(store)):
        assert [read.knows("10.0.0.1", digest(each)) for each in range(5)] == [False, False, True, True, True]
        assert read.knows("10.0.0.2", digest(0).upper())
        assert read.message("10.0.0.1", digest(4)) == b"message 4"
        assert read.message("10.0.0.2", digest(0)) == b""
    assert len(list(store.records(TABLE))) == 4


@pytest.mark.spec("M-112")
def test_a_shorter_list_is_cut_with_the_next_digest() -> None:
    store = MemoryStore()
    lists = DigestLists(store)
    for number in range(5):
        entered(store, lists, "10.0.0.1", number, 5)
    again = DigestLists(store)
    entered(store, again, "10.0.0.1", 5, 2)
    assert again.count("10.0.0.1") == 2
    assert len(list(store.records(TABLE))) == 2


@pytest.mark.spec("M-058")
def test_what_is_taken_back_was_never_there() -> None:
    store = MemoryStore()
    lists = DigestLists(store)
    for number in range(3):
        entered(store, lists, "10.0.0.1", number, 3)
    lists.enter("10.0.0.1", digest(3), 3).take_back()
    assert [lists.knows("10.0.0.1", digest(each)) for each in range(4)] == [True, True, True, False]
    entered(store, lists, "10.0.0.1", 4, 3)
    assert [lists.knows("10.0.0.1", digest(each)) for each in (0, 1, 2, 4)] == [False, True, True, True]


def test_the_peer_that_has_been_silent_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_lists, "MAX_PEERS", 3)
    store = MemoryStore()
    lists = DigestLists(store)
    for peer in ("a", "b", "c", "a"):
        entered(store, lists, peer, len(list(store.records(TABLE))), 5)
    again = DigestLists(store)
    entered(store, again, "d", 9, 5)
    assert [again.count(peer) for peer in "abcd"] == [2, 0, 1, 1]
    assert [DigestLists(store).count(peer) for peer in "abcd"] == [2, 0, 1, 1]


@pytest.mark.parametrize(("key", "value"), [(b"short", bytes(16)), (b"a" + bytes(9), b"short"), (b"", bytes(16))])
def test_a_row_that_cannot_be_read_is_damage(key: bytes, value: bytes) -> None:
    store = MemoryStore()
    store.commit([[PutRecord(TABLE, key, value)]])
    with pytest.raises(StoreDamaged, match="digest of MyOpenQ"):
        DigestLists(store)


@pytest.mark.spec("M-003", "M-112", "M-115", "M-116", "M-117")
def test_defaults_of_a_door() -> None:
    (door,) = parse_configuration("[[myopenq]]\n", Path("doors.toml")).myopenq
    assert door.endpoint == DEFAULT_ENDPOINT == f"tcp:{DEFAULT_PORT}:interface={DEFAULT_SERVER}"
    assert (DEFAULT_PORT, door.mode, door.md5_list) == (9803, "plain", 1000)
    assert (door.max_queues, door.max_message, door.allow_shutdown) == (1024, 1024, True)
