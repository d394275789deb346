"""SC-02: MQ to a device that is mostly offline."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA
from support.everyplace import World
from support.everyplace_bridge import Gateway


def gateway(world: World) -> Gateway:
    """EARTH, to which MQ sends whatever is for MOON and for EARTH."""
    earth = Gateway.add(world, "EARTH")
    earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")
    for name in ("EARTH", "MOON", "MARS"):
        earth.node.define(Kind.QREMOTE, name, RQMNAME=name, XMITQ="EARTH.XMITQ")
    earth.listen(earth.bridge_to_here(), "EARTH.XMITQ")
    earth.store_and_forward("SAF", ["MOON"], forward="EARTH")
    return earth


@pytest.mark.spec(
    "SC-02", "E-131", "E-135", "E-247", "E-262", "E-325", "E-326", "E-327", "E-350", "E-357", "E-359", "E-361",
    "E-418", "E-419", "E-436", "E-448", "E-450",
)  # fmt: skip
def test_replies_wait_at_the_gateway_and_are_pulled() -> None:
    world = World()
    earth = gateway(world)
    for number in range(1, 4):
        earth.node.put("REPLIES", b"reply %d" % number, "MOON", msg_id=b"reply %d" % number)
    world.run(5)
    assert earth.node.bodies("EARTH.XMITQ") == []
    assert len(earth.stored("SAF@EARTH")) == 3
    moon = world.queue_manager("MOON")
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.home_server("EARTH")
    moon.network.trigger(moon.now)
    world.run(30)
    found = moon.browse("REPLIES")
    assert [bytes(each[DATA]) for each in found] == [b"reply %d" % each for each in range(1, 4)]
    assert [each["Msg_MsgID"].rstrip(b"\0") for each in found] == [b"reply %d" % each for each in range(1, 4)]
    assert {each.uid.origin for each in found if each.uid} == {"EARTH"}
    assert len(earth.stored("SAF@EARTH")) == 0
    assert all(wire.caller is moon for wire in world.wires)
    earth.kill()
    moon.network.trigger(moon.now)
    world.run(30)
    assert len(moon.browse("REPLIES")) == 3


@pytest.mark.spec("SC-02", "E-358", "E-419", "E-424")
def test_a_remote_definition_of_mq_leads_to_a_queue_of_the_gateway_and_beyond() -> None:
    """One message for the gateway itself, by a name that MQ gives it, and one for a queue manager behind it."""
    world = World()
    earth, mars = gateway(world), world.queue_manager("MARS")
    earth.local("TARGET")
    earth.node.define(Kind.QREMOTE, "HERE", RNAME="TARGET", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    earth.node.put("HERE", b"for the gateway")
    mars.local("LOG")
    earth.connection("MARS")
    earth.remote("LOG", "MARS")
    earth.node.put("LOG", b"for mars", "MARS")
    world.run(30)
    assert [bytes(each[DATA]) for each in earth.browse("TARGET")] == [b"for the gateway"]
    assert [bytes(each[DATA]) for each in mars.browse("LOG")] == [b"for mars"]


@pytest.mark.spec("SC-02", "E-439")
def test_a_message_object_that_went_through_mq_comes_back_as_it_was() -> None:
    world = World()
    earth = gateway(world)
    earth.local("BACK")
    earth.define(QueueKind.MQ_BRIDGE, "AWAY", "SATURN", REMOTE_QUEUE="AROUND")
    earth.node.define(Kind.QREMOTE, "AROUND", RNAME="BACK", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    message = Message("till.Receipt")
    message["sum"] = 1250
    earth.put("AWAY@SATURN", message)
    world.run(5)
    (found,) = earth.browse("BACK")
    assert found.type == "till.Receipt"
    assert found["sum"] == 1250
    assert found.uid == message.uid
