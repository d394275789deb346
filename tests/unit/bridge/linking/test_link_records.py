"""Rows of links: what is written is read, and what is damaged is told."""

from __future__ import annotations

import uuid
from random import Random

import pytest

from mqbridge.bridge.agents.linking import identities, in_doubt, requesters
from mqbridge.bridge.agents.linking.identities import Identities
from mqbridge.bridge.agents.linking.in_doubt import InDoubtMessages, check_of, load_in_doubt, queues_in_doubt
from mqbridge.bridge.agents.linking.message_ids import MessageIds, duplicate_id
from mqbridge.bridge.agents.linking.requesters import Direction, Requester, Requesters
from mqbridge.bridge.store.interface import PutRecord, StoreDamaged
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Moment

NOW = 1_800_000_000.0


def stored(*rows: tuple[str, bytes, bytes]) -> MemoryStore:
    store = MemoryStore()
    assert store.commit([[PutRecord(*row) for row in rows]]) == [None]
    return store


# Batches in doubt


def test_a_batch_in_doubt_is_read_as_it_was_written():
    store, batch = MemoryStore(), InDoubtMessages("abc", 5, (7, 8, 1 << 63), (1, 2, 3))
    store.commit([[batch.put("link", "Q"), batch.put("other", "Q")]])
    assert load_in_doubt(store, "link") == {"Q": [batch]}
    assert queues_in_doubt(store) == {("link", "Q"), ("other", "Q")}
    store.commit([[batch.remove("link", "Q")]])
    assert load_in_doubt(store, "link") == {}


def test_batches_are_in_the_order_of_their_messages():
    store = MemoryStore()
    later, earlier = InDoubtMessages("aaa", 1, (9,), (1,)), InDoubtMessages("bbb", 1, (3,), (1,))
    store.commit([[later.put("link", "Q"), earlier.put("link", "Q")]])
    assert load_in_doubt(store, "link")["Q"] == [earlier, later]


def test_the_way_of_replies_in_doubt_is_read_as_it_was_written():
    requester = Requester("temp-queue://1", correlation=uuid.UUID(int=9), kind=2)
    store, batch = MemoryStore(), InDoubtMessages("abc", 5, (7, 1 << 63), (1, 2), {1 << 63: requester})
    store.commit([[batch.put("link", "Q")]])
    assert load_in_doubt(store, "link") == {"Q": [batch]}


def test_ids_follow_from_mark_and_counter():
    assert InDoubtMessages("abc", 255, (1, 2), (0, 0)).ids() == ["abc-ff", "abc-100"]
    assert duplicate_id("abc", 16) == "abc-10"


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b"{",
        b'{"mark":"a"}',
        b'{"mark":"a","first":"x","positions":[],"checks":[]}',
        b'{"mark":"a","first":1,"positions":[],"checks":[],"requesters":[]}',
        b'{"mark":"a","first":1,"positions":[],"checks":[],"requesters":{"1":{}}}',
        b'{"mark":"a","first":1,"positions":[],"checks":[],"requesters":{"1":{"address":"a","kind":9}}}',
    ],
)
def test_a_damaged_batch_is_told(value):
    with pytest.raises(StoreDamaged):
        load_in_doubt(stored((in_doubt.TABLE, b"link\0Q\0m-1", value)), "link")


def test_a_check_tells_messages_apart():
    one, same = Message.build(b"a", msg_id=b"1" * 24), Message.build(b"a", msg_id=b"1" * 24, priority=7)
    assert check_of(one) == check_of(same)
    assert check_of(one) != check_of(Message.build(b"b", msg_id=b"1" * 24))
    assert check_of(one) != check_of(Message.build(b"a", msg_id=b"2" * 24))


def test_marks_of_two_lives_differ():
    chance = Random(3)
    first, second = MessageIds(chance), MessageIds(chance)
    assert first.mark != second.mark
    assert len({first.message_id(), first.message_id(), second.message_id()}) == 3
    assert len(first.message_id()) == 24
    assert first.take(5) + 5 == first.take(1)


# Identities


@pytest.mark.parametrize(("key", "value"), [(b"link\0a\0xyz", bytes(32)), (b"link\0a\0" + b"0" * 16, bytes(31))])
def test_damaged_identities_are_told(key, value):
    with pytest.raises(StoreDamaged):
        Identities("link", "a", 60, 10, stored((identities.TABLE, key, value)))


def test_identities_of_other_addresses_are_others():
    store = stored((identities.TABLE, b"link\0a\0" + b"0" * 16, b"d" * 32))
    assert Identities("link", "a", 60, 10, store).is_known(b"d" * 32)
    assert not Identities("link", "b", 60, 10, store).is_known(b"d" * 32)
    assert not Identities("lin", "k\0a", 60, 10, store).is_known(b"e" * 32)


def test_pages_of_many_reconnections_are_forgotten_one_by_one():
    store = MemoryStore()
    known = Identities("link", "a", 3600, 10, store)
    for number in range(20):
        at = NOW + 600 * number
        known.connected(at)
        store.commit([known.commit([bytes([number]) * 32], 1, 0, at)])
        known.disconnected()
    assert len(list(store.records(identities.TABLE))) <= 8


def test_the_time_without_a_connection_does_not_count():
    store = stored((identities.TABLE, b"link\0a\0" + b"0" * 16, b"d" * 32 + b"e" * 32))
    known = Identities("link", "a", 60, 10, store)
    known.connected(NOW + 10_000)
    assert known.is_known(b"d" * 32)
    store.commit([known.commit([b"d" * 32], 1, 0, NOW + 10_000)])
    assert known.is_known(b"e" * 32)
    store.commit([known.commit([], 1, 0, NOW + 10_061)])
    assert len(list(store.records(identities.TABLE))) == 1


# Requests


@pytest.mark.parametrize("identifier", ["ID:1", b"\x00\xff", uuid.UUID(int=9), 1 << 63, ""])
def test_a_requester_is_read_as_it_was_written(identifier):
    store = MemoryStore()
    known, requester = Requesters("link", 60, store, NOW), Requester("address", "QM", identifier, 2)
    store.commit([known.remember(Direction.THEIRS, [identifier], requester, NOW)])
    assert Requesters("link", 60, store, NOW).find(Direction.THEIRS, identifier) == requester
    assert Requesters("link", 60, store, NOW).find(Direction.OURS, identifier) is None
    assert Requesters("other", 60, store, NOW).find(Direction.THEIRS, identifier) is None
    assert Requesters("link", 60, store, NOW + 61).find(Direction.THEIRS, identifier) is None


def test_ids_of_other_types_are_others():
    known = Requesters("link", 60, MemoryStore(), NOW)
    known.remember(Direction.OURS, ["1"], Requester("a"), NOW)
    assert known.find(Direction.OURS, 1) is None
    assert known.find(Direction.OURS, b"1") is None
    assert known.find(Direction.OURS, None) is None


def test_a_request_that_is_repeated_is_remembered_longer():
    known = Requesters("link", 60, MemoryStore(), NOW)
    known.remember(Direction.OURS, ["1"], Requester("a"), NOW)
    known.remember(Direction.OURS, ["1", None], Requester("a", correlation="new"), NOW + 30)
    known.expire(NOW + 61)
    assert known.find(Direction.OURS, "1") == Requester("a", correlation="new")
    known.expire(NOW + 91)
    assert not len(known)
    assert len(known.removals()) == 1
    assert known.next_expiry is None


def test_the_oldest_requests_are_forgotten_first(monkeypatch):
    monkeypatch.setattr(requesters, "MAX_REQUESTS", 3)
    known = Requesters("link", 60, MemoryStore(), NOW)
    for number in range(5):
        known.remember(Direction.OURS, [number], Requester("a"), NOW + number)
    assert [known.find(Direction.OURS, number) is not None for number in range(5)] == [False, False, True, True, True]


def test_a_request_that_is_asked_again_after_it_expired_stays_on_disk():
    store = MemoryStore()
    known = Requesters("link", 60, store, NOW)
    store.commit([known.remember(Direction.OURS, ["1"], Requester("a"), NOW)])
    known.expire(NOW + 61)
    again = known.remember(Direction.OURS, ["1"], Requester("a"), NOW + 61)
    store.commit([[*known.removals(), *again]])
    assert Requesters("link", 60, store, NOW + 62).find(Direction.OURS, "1") == Requester("a")


def test_a_removal_that_the_store_refused_spares_a_request_that_was_asked_again():
    known = Requesters("link", 60, MemoryStore(), NOW)
    known.remember(Direction.OURS, ["1", "2"], Requester("a"), NOW)
    known.expire(NOW + 61)
    refused = known.removals()
    assert len(refused) == 2
    known.remember(Direction.OURS, ["1"], Requester("a"), NOW + 62)
    known.give_back(refused)
    assert [each.key for each in known.removals()] == [refused[1].key]  # type: ignore[union-attr]


def test_requests_with_one_id_take_no_room():
    known = Requesters("link", 60, MemoryStore(), NOW)
    for number in range(1000):
        known.remember(Direction.OURS, ["always the same"], Requester("a"), NOW + number / 1000)
    assert len(known) == 1
    assert known.next_expiry == pytest.approx(NOW + 60.999)


def test_many_requests_that_expire_at_once_are_removed_in_portions(monkeypatch):
    monkeypatch.setattr(requesters, "MAX_REMOVALS", 3)
    known = Requesters("link", 60, MemoryStore(), NOW)
    known.remember(Direction.OURS, range(7), Requester("a"), NOW)
    known.expire(NOW + 61)
    assert [len(known.removals()) for _ in range(4)] == [3, 3, 1, 0]
    assert not known.has_removals


def test_requests_of_one_direction_do_not_drive_out_those_of_the_other(monkeypatch):
    monkeypatch.setattr(requesters, "MAX_REQUESTS", 3)
    known = Requesters("link", 60, MemoryStore(), NOW)
    known.remember(Direction.OURS, ["1"], Requester("a"), NOW)
    known.remember(Direction.THEIRS, range(10), Requester("b"), NOW)
    assert known.find(Direction.OURS, "1") == Requester("a")
    assert len(known) == 4


def test_a_request_of_the_future_expires_as_if_it_were_new():
    store = MemoryStore()
    store.commit([Requesters("link", 60, store, NOW).remember(Direction.OURS, ["1"], Requester("a"), NOW + 1e9)])
    known = Requesters("link", 60, store, NOW)
    known.expire(NOW + 59)
    assert known.find(Direction.OURS, "1") == Requester("a")
    known.expire(NOW + 61)
    assert known.find(Direction.OURS, "1") is None


def test_the_clock_may_be_set_while_a_request_is_known():
    """Memory goes by the steady clock, the disk by the calendar, from which the next process starts."""
    store, later = MemoryStore(), Moment(NOW, NOW + 7200)
    known = Requesters("link", 60, store, NOW)
    store.commit([known.remember(Direction.OURS, ["1"], Requester("a"), later)])
    assert known.next_expiry == NOW + 60
    assert Requesters("link", 60, store, NOW + 7230).next_expiry == NOW + 7260


@pytest.mark.parametrize("direction", Direction)
def test_an_id_of_requests_with_different_ways_back_is_nobodys(direction):
    store = MemoryStore()
    known = Requesters("link", 60, store, NOW)
    store.commit([known.remember(direction, ["1"], Requester("a"), NOW)])
    store.commit([known.remember(direction, ["1"], Requester("a"), NOW + 1)])
    assert known.find(direction, "1") == Requester("a")
    store.commit([known.remember(direction, ["1"], Requester("b"), NOW + 2)])
    store.commit([known.remember(direction, ["1"], Requester("b"), NOW + 3)])
    for each in (known, Requesters("link", 60, store, NOW + 4)):
        found = each.find(direction, "1")
        assert found is not None
        assert found.ambiguous
    known.expire(NOW + 64)
    known.remember(direction, ["1"], Requester("b"), NOW + 65)
    assert known.find(direction, "1") == Requester("b")


@pytest.mark.parametrize(
    "value",
    [b"", b"[]", b"{}", b'{"address":"a","expires":"x"}', b'{"address":"a","expires":1,"correlation":["float","1"]}'],
)
def test_a_damaged_request_is_told(value):
    with pytest.raises(StoreDamaged):
        Requesters("link", 60, stored((requesters.TABLE, b"link\0ours\0" + b"0" * 64, value)), NOW)
