"""A data folder of a release in which channels without MCAUSER were the queue manager itself (docs/security.md)."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects, define_supplied
from mqbridge.bridge.security import CHANNEL_USER
from mqbridge.bridge.service.opening import load_objects
from mqbridge.bridge.store.interface import PutRecord
from mqbridge.bridge.store.memory import MemoryStore

NOW = 1_800_000_000.0


def records(objects: Objects) -> list[Any]:
    return [each for each in objects.select(Kind.AUTHREC) if each.text("ENTITY") == CHANNEL_USER]


def old_store() -> MemoryStore:
    """One without the records of the user of channels, nor the word that it has had them."""
    objects = Objects("EARTH", NOW)
    define_supplied(objects, NOW)
    for record in records(objects):
        keys = {key: record[key] for key in ("OBJTYPE", "ENTTYPE", "ENTITY")}
        objects.delete(Kind.AUTHREC, record.name, keys)
    store = MemoryStore()
    store.commit([objects.operations()])
    return store


def test_the_records_are_supplied_once() -> None:
    store = old_store()
    objects, new = load_objects(store, "EARTH", NOW)
    made = len(records(objects))
    assert made == sum(isinstance(each, PutRecord) and each.table == TABLE for each in new) > 0
    store.commit([new])
    objects, new = load_objects(store, "EARTH", NOW)
    assert (len(records(objects)), new) == (made, [])


def test_what_the_operator_takes_away_stays_away() -> None:
    for store in (old_store(), MemoryStore()):
        store.commit([load_objects(store, "EARTH", NOW)[1]])
        objects, _ = load_objects(store, "EARTH", NOW)
        gone = []
        for record in records(objects):
            keys = {key: record[key] for key in ("OBJTYPE", "ENTTYPE", "ENTITY")}
            gone += objects.delete(Kind.AUTHREC, record.name, keys).operations
        store.commit([gone])
        objects, new = load_objects(store, "EARTH", NOW)
        assert (records(objects), new) == ([], [])


def test_records_that_an_operator_had_given_a_user_of_this_name_stay() -> None:
    store = old_store()
    objects = Objects("EARTH", NOW)
    objects.load(store.records(TABLE))
    own = {"OBJTYPE": "QUEUE", "ENTTYPE": "PRINCIPAL", "ENTITY": CHANNEL_USER, "AUTHLIST": ("GET",)}
    store.commit([objects.define(Kind.AUTHREC, "**", own, NOW).operations])
    objects, _ = load_objects(store, "EARTH", NOW)
    (kept,) = [each for each in records(objects) if (each.name, each.text("OBJTYPE")) == ("**", "QUEUE")]
    assert kept.texts("AUTHLIST") == ("GET",)
