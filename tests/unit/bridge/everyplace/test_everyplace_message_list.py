"""Messages for several queue managers on one queue keep one order, and each queue manager's a part of it (E-182)."""

from __future__ import annotations

from mqbridge.bridge.everyplace.queues.entry import Entry
from mqbridge.bridge.everyplace.queues.message_list import MessageList
from mqbridge.bridge.everyplace.states import State
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid


def entry(place: int, priority: int, target: str) -> Entry:
    address = Address("ORDERS", target) if target else None
    return Entry(place, State.UNLOCKED, priority, place, 0, MessageUid("MOON", place), b"", target=address)


def test_targets_share_one_order() -> None:
    found = MessageList()
    found.load([entry(5, 4, ""), entry(4, 9, "EARTH"), entry(3, 4, "EARTH"), entry(2, 4, "MARS"), entry(1, 4, "EARTH")])
    assert [each.place for each in found] == [4, 1, 2, 3, 5]
    assert [each.place for each in found.outgoing()] == [4, 1, 2, 3, 5]
    assert [each.place for each in found.outgoing("EARTH")] == [4, 1, 3]
    first = next(found.outgoing("EARTH"))
    found.take_place(first, found.new_place())
    assert [each.place for each in found.outgoing("EARTH")] == [6, 1, 3]
    for each in list(found.outgoing("EARTH")):
        found.remove(each)
    assert not list(found.outgoing("EARTH"))
    assert [each.place for each in found] == [2, 5]
