"""Messages for several queue managers on one queue keep one order, and each queue manager's a part of it (E-182)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.everyplace.queues.entry import Entry, Marks
from mqbridge.bridge.everyplace.queues.message_list import MessageList
from mqbridge.bridge.everyplace.states import State
from mqbridge.protocol.everyplace.message import Message
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


@pytest.mark.parametrize("more", [{}, {"Msg_Priority": 7, "Msg_CorrelID": b"\1\2", "Msg_Resend": True}])
def test_an_entry_keeps_its_index_fields_without_the_uid_that_it_has(more: dict[str, Any]) -> None:
    message = Message()
    message.identify(MessageUid("MOON", -3))
    for name, value in more.items():
        message[name] = value
    _, fields = message.body_and_index()
    made = Entry(300, State.LOCKED, 4, 5000, 900, MessageUid("MOON", -3), fields, marks=Marks(0, 11, 12), length=900)
    assert (made.fields, made.uid) == (fields, message.uid)
    read = Entry.read(300, made.row(), 900)
    assert (read.row(), read.index, read.marks, read.place) == (made.row(), made.index, made.marks, 5000)


def test_messages_are_found_and_counted_by_their_uids() -> None:
    found = MessageList()
    first, other = entry(1, 4, ""), entry(2, 4, "")
    found.load([first, other])
    assert (len(found), found.find(first.uid), found.find(MessageUid("MARS", 1))) == (2, first, None)
    found.remove(first)
    assert (len(found), found.find(first.uid), found.find(other.uid)) == (1, None, other)
