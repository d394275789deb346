"""SC-01: a device sends to MQ while it is offline."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.constants import MQMT, MQRO
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE
from support.everyplace import Station, World
from support.everyplace_bridge import Gateway


def order(number: int) -> Message:
    message = Message(MQ_STYLE)
    message.put(DATA, b"order %d" % number, FieldType.BYTE_ARRAY)
    message.put("Msg_MsgID", b"id %d" % number, FieldType.BYTE_ARRAY)
    message.put("MQ_Format", "MQSTR", FieldType.ASCII)
    message.priority = 4
    return message


def scene() -> tuple[World, Station, Gateway]:
    """MOON with an asynchronous route over EARTH, EARTH with the bridge queue."""
    world = World()
    earth, moon = Gateway.add(world, "EARTH"), world.queue_manager("MOON")
    earth.mq_queue("ORDERS")
    earth.bridge_to_here()
    earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")
    earth.node.authorize("ORDERS", "PUT", group="devices")
    moon.connection("EARTH")
    moon.connection("SATURN", via="EARTH")
    moon.remote("ORDERS", "SATURN")
    return world, moon, earth


@pytest.mark.spec(
    "SC-01", "E-129", "E-137", "E-170", "E-187", "E-193", "E-194", "E-211", "E-322", "E-323", "E-360", "E-362",
    "E-405", "E-406", "E-413", "E-435", "E-437", "E-449", "E-450",
)  # fmt: skip
def test_what_was_put_offline_is_in_mq_once_and_in_order() -> None:
    world, moon, earth = scene()
    earth.away = True
    for number in range(1, 6):
        assert moon.put("ORDERS@SATURN", order(number)) == Done()
    world.run(10)
    assert earth.node.bodies("ORDERS") == []
    moon.kill()
    assert len(moon.stored("ORDERS@SATURN")) == 5
    earth.away = False
    moon.network.trigger(moon.now)
    world.run(30)
    found = earth.node.messages("ORDERS")
    assert [each.data for each in found] == [b"order %d" % each for each in range(1, 6)]
    assert [each.md.msg_id.rstrip(b"\0") for each in found] == [b"id %d" % each for each in range(1, 6)]
    assert {(each.md.format.rstrip(), each.md.priority, each.md.msg_type) for each in found} == {
        ("MQSTR", 4, MQMT.DATAGRAM)
    }
    assert {each.md.user_identifier.rstrip() for each in found} == {"MOON"}
    assert len(moon.stored("ORDERS@SATURN")) == 0
    earth.kill()
    moon.network.trigger(moon.now)
    world.run(30)
    assert len(earth.node.bodies("ORDERS")) == 5


@pytest.mark.spec("SC-01", "E-414", "E-449")
def test_a_device_without_authority_keeps_its_message_with_an_alarm() -> None:
    """PUT for the device or its group is all that MQ asks; without it the message stays, and others pass it by."""
    world, moon, earth = scene()
    earth.mq_queue("SECRETS")
    earth.define(QueueKind.MQ_BRIDGE, "SECRETS", "SATURN")
    moon.remote("SECRETS", "SATURN")
    moon.put("SECRETS@SATURN", order(1))
    moon.put("ORDERS@SATURN", order(2))
    world.run(30)
    assert earth.node.bodies("ORDERS") == [b"order 2"]
    assert earth.node.bodies("SECRETS") == []
    assert len(moon.stored("SECRETS@SATURN")) == 1
    assert any("2035" in each for each in earth.alarms)
    assert any("SECRETS" in each for each in moon.alarms)
    earth.node.authorize("SECRETS", "PUT", principal="MOON")
    moon.network.trigger(moon.now)
    world.run(600)
    assert earth.node.bodies("SECRETS") == [b"order 1"]


@pytest.mark.spec("E-401", "E-406")
def test_a_full_queue_holds_the_messages_in_order_until_there_is_room() -> None:
    world, moon, earth = scene()
    earth.node.alter_queue("ORDERS", MAXDEPTH=2)
    for number in range(1, 6):
        moon.put("ORDERS@SATURN", order(number))
    world.run(30)
    assert earth.node.bodies("ORDERS") == [b"order 1", b"order 2"]
    assert len(moon.stored("ORDERS@SATURN")) == 3
    earth.node.alter_queue("ORDERS", MAXDEPTH=100)
    world.run(600)
    assert earth.node.bodies("ORDERS") == [b"order %d" % each for each in range(1, 6)]


@pytest.mark.spec("E-423")
def test_a_rule_puts_what_mq_never_takes_on_its_dead_letter_queue() -> None:
    world, moon, earth = scene()
    earth.mq_queue("DEAD")
    earth.node.alter_manager(DEADQ="DEAD")
    connection = ("BRIDGE", "SATURN", "GATE.CHANNEL")
    earth.update(connection, REFUSED_RULE="dead-letter")
    earth.define(QueueKind.MQ_BRIDGE, "NOQ", "SATURN")
    moon.remote("NOQ", "SATURN")
    moon.put("NOQ@SATURN", order(1))
    world.run(30)
    (dead,) = earth.node.messages("DEAD")
    assert dead.md.format.rstrip() == "MQDEAD"
    assert dead.data.endswith(b"order 1")
    assert int.from_bytes(dead.data[8:12], "little") == 2085
    assert len(moon.stored("NOQ@SATURN")) == 0
    assert any("2085" in each for each in earth.alarms)


@pytest.mark.spec("E-406", "E-423")
@pytest.mark.parametrize("rule", ["", "dead-letter"])
def test_a_message_that_wants_a_report_and_says_not_where_is_refused_as_mq_refuses_it(rule: str) -> None:
    """2027 at MQPUT: the message waits at the device with an alarm, or is dead-lettered where the rule says so."""
    world, moon, earth = scene()
    earth.mq_queue("DEAD")
    earth.node.alter_manager(DEADQ="DEAD")
    earth.update(("BRIDGE", "SATURN", "GATE.CHANNEL"), REFUSED_RULE=rule)
    asking = order(1)
    asking.put("MQ_Report", int(MQRO.EXCEPTION), FieldType.INT)
    moon.put("ORDERS@SATURN", asking)
    moon.put("ORDERS@SATURN", order(2))
    world.run(30)
    assert any("2027" in each for each in earth.alarms)
    assert len(earth.node.messages("DEAD")) == (rule != "")
    assert len(moon.stored("ORDERS@SATURN")) == (0 if rule else 1)
    assert earth.node.bodies("ORDERS") == [b"order 2"]


@pytest.mark.spec("E-415", "E-497")
def test_a_rule_of_a_bridge_queue_judges_what_devices_send_and_what_programs_put() -> None:
    world, moon, earth = scene()
    earth.node.authorize("ORDERS", "PUT", group="devices")
    earth.define(QueueKind.MQ_BRIDGE, "STRICT", "SATURN", RULE="mandatory-id", REMOTE_QUEUE="ORDERS")
    moon.remote("STRICT", "SATURN")
    moon.put("STRICT@SATURN", order(1))
    moon.put("STRICT@SATURN", "without id")
    refused = earth.put("STRICT@SATURN", "without id")
    assert isinstance(refused, Refused)
    assert refused.code is Code.RULE
    world.run(30)
    assert earth.node.bodies("ORDERS") == [b"order 1"]
    assert len(moon.stored("STRICT@SATURN")) == 1


@pytest.mark.parametrize("name", ["mqm", "mca"])
def test_a_device_with_the_name_of_a_user_of_mq_has_none_of_its_authorities(name: str) -> None:
    """Even where nobody asks it to prove its name."""
    world, _, earth = scene()
    found = world.queue_manager(name)
    found.connection("EARTH")
    found.connection("SATURN", via="EARTH")
    found.remote("ORDERS", "SATURN")
    found.put("ORDERS@SATURN", order(1))
    world.run(30)
    assert earth.node.bodies("ORDERS") == []
    assert len(found.stored("ORDERS@SATURN")) == 1
    assert any("is a user of SATURN" in each for each in found.alarms)
