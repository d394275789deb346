"""Access lists: what other queue managers may do with queues."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.access import AccessList, Everybody, Grant
from mqbridge.bridge.everyplace.definitions.queue_kinds import Operation
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Done, Get, Got, Put, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import World

ORDERS = Address("ORDERS", "EARTH")


FOR_ALL = (Operation.PUT, Operation.CONFIRM_PUT, Operation.UNDO)


@pytest.mark.parametrize("operation", FOR_ALL)
def test_everybody_puts(operation: Operation) -> None:
    AccessList().check("MOON", operation, ORDERS)


@pytest.mark.parametrize("operation", [each for each in Operation if each not in FOR_ALL])
def test_more_must_be_granted(operation: Operation) -> None:
    Everybody().check("MOON", operation, ORDERS)
    with pytest.raises(EveryplaceError, match="on ORDERS@EARTH; its access list") as caught:
        AccessList().check("MOON", operation, ORDERS)
    assert caught.value.code is Code.NOT_ALLOWED


def test_grants_are_for_a_queue_and_for_some() -> None:
    found = AccessList(
        [Grant("ORDERS", Operation.GET | Operation.BROWSE, frozenset({"MOON"})), Grant("ALL", Operation.GET)]
    )
    found.check("MOON", Operation.GET, ORDERS)
    found.check("MARS", Operation.GET, Address("ALL", "EARTH"))
    for peer, operation, queue in (
        ("MARS", Operation.GET, "ORDERS"),
        ("MOON", Operation.DELETE, "ORDERS"),
        ("MOON", Operation.BROWSE, "ALL"),
        ("MOON", Operation.GET, "OTHERS"),
    ):
        with pytest.raises(EveryplaceError, match="may not"):
            found.check(peer, operation, Address(queue, "EARTH"))


@pytest.mark.spec("E-440", "E-571")
def test_a_device_gets_what_it_is_granted() -> None:
    world = World()
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("ORDERS")
    moon.connection("EARTH")
    earth.manager.guard(AccessList([Grant("ORDERS", Operation.BROWSE, frozenset({"MOON"}))]))
    assert moon.ask(Put(ORDERS, Message())) == Done()
    assert isinstance(moon.ask(Browse(ORDERS, Fields())), Browsed)
    refused = moon.ask(Get(ORDERS, Fields()))
    assert isinstance(refused, Refused)
    assert (refused.code, refused.text) == (
        Code.NOT_ALLOWED,
        "MOON may not get on ORDERS@EARTH; its access list has no such line",
    )
    assert isinstance(earth.ask(Get(ORDERS, Fields())), Got)
