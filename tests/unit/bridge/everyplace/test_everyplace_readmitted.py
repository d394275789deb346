"""What comes again after a restored backup, or twice in a batch, is on a queue once (mqe.md 7 and 10)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import cast

import pytest

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.identities import CLOCK_AHEAD, Identities
from mqbridge.bridge.everyplace.mq_units import MqBridge
from mqbridge.bridge.everyplace.onward.ways import Ways
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.transfer.lane_records import MARKS, LaneName
from mqbridge.bridge.everyplace.transfer.receiving_lane import ReceivingLane
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.batches import mark_of
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import START, World, text_message

INBOX = Address("INBOX", "EARTH")


def message(text: str) -> Message:
    found = text_message(text)
    found.identify(MessageUid("MOON", 7))
    return found


@pytest.mark.spec("E-155", "E-191", "SC-32")
def test_a_message_that_comes_again_is_taken_and_dropped_and_one_that_is_another_is_refused() -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    earth.local("INBOX")
    for _ in range(2):
        change = earth.manager.place(message("two apples"), INBOX, START, "MOON")
        earth.manager.submit(change, lambda committed: None)
        earth.write()
    assert earth.texts("INBOX") == ["two apples"]
    with pytest.raises(EveryplaceError, match="holds message MOON\\+7"):
        earth.manager.place(message("two pears"), INBOX, START, "MOON")


@pytest.mark.spec("E-145", "E-155")
def test_a_message_that_is_not_confirmed_is_no_reason_to_drop_one_that_comes() -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    earth.local("INBOX")
    earth.manager.submit(earth.manager.place(message("two apples"), INBOX, START, confirm=5), lambda committed: None)
    earth.write()
    with pytest.raises(EveryplaceError, match="DUPLICATE"):
        earth.manager.place(message("two apples"), INBOX, START, "MOON")


@pytest.mark.spec("E-039", "E-481")
def test_a_batch_with_one_uid_twice_is_refused_as_a_whole() -> None:
    lane = ReceivingLane(LaneName("MOON", "ORDERS"), MemoryStore(), lambda *_: Change(None))
    pairs = [(message("two apples"), INBOX), (message("two pears"), INBOX)]
    with pytest.raises(EveryplaceError, match="the same as another"):
        lane.push(b"moon....", 1, pairs, lambda refused: None)


@pytest.mark.spec("E-040")
def test_uids_after_a_backup_of_a_second_ago_are_new() -> None:
    """A crash lets times begin at their bound; a backup from before it does not give them again."""
    store = MemoryStore()
    dice = random.Random(3)
    now, given = START, set[int]()
    for _ in range(50):
        backup = Registry(store).last_time()
        for _ in range(2):
            identities = Identities("MOON", Registry(store))
            for _ in range(dice.randrange(5)):
                put = text_message("x")
                operations = identities.identify(put, now)
                assert store.commit([operations]) == [None]
                assert put.uid is not None
                assert put.uid.time not in given
                given.add(put.uid.time)
                now += dice.random() / 10
        now += 2 * CLOCK_AHEAD / 1000
        assert store.commit([[Registry.put_last_time(backup)]]) == [None]


class Mq:
    """MQ, which has committed a batch of a lane; the process died before its row was written."""

    def __init__(self, found: int) -> None:
        self.found = found

    def committed(self, lane: LaneName, then: Callable[[int], None]) -> None:
        then(self.found)


@pytest.mark.spec("E-204", "E-420")
def test_the_record_of_mq_says_which_batch_it_was_not_only_its_number() -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    mark = mark_of([MessageUid("MOON", 7)])
    ways = Ways(lambda message, address: None, cast("MqBridge", Mq(1 * MARKS + mark)))
    lane = ReceivingLane(LaneName("MOON", "ORDERS"), earth.store, lambda *_: Change(None), ways)
    found: list[object] = []
    lane.settle(b"moon....", earth.manager, found.append)
    earth.write()
    assert (found, lane.number, lane.mark) == ([1], 1, mark)
    again = ReceivingLane(LaneName("MOON", "ORDERS"), earth.store, lambda *_: Change(None), ways)
    assert (again.number, again.mark) == (1, mark)
