"""SC-09: bridge start, stop and MQ outage."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.everyplace.bridge_objects import ALL, RUNNING, STOPPED
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.definitions.bridge_properties import BridgeKind
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.calls import ConfirmPut, Done, Outcome, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import World, text_message
from support.everyplace_bridge import Gateway

PATH: BridgePath = ("BRIDGE", "SATURN", "GATE.CHANNEL", "EARTH.XMITQ")


def scene() -> tuple[World, Gateway]:
    """EARTH with one object of each kind, all left stopped by their start-up rules."""
    world = World()
    earth = Gateway.add(world, "EARTH")
    earth.mq_queue("ORDERS")
    earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")
    earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")
    for end in range(1, 5):
        earth.bridge_object(PATH[:end], START_UP_RULE="start:none")
    earth.kill()
    return world, earth


def running(earth: Gateway) -> list[str]:
    return [each.name for each in earth.bridge.objects if earth.bridge.objects.runs(each.path)]


def refused(outcome: Outcome) -> Code:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


@pytest.mark.spec("SC-09", "E-390", "E-396", "E-397", "E-398", "E-400", "E-524", "E-357")
def test_starting_reaches_up_and_by_its_flag_down_and_stopping_always_down() -> None:
    _, earth = scene()
    objects = earth.bridge.objects
    assert running(earth) == []
    objects.start(PATH[:1])
    assert running(earth) == ["BRIDGE"]
    assert refused(earth.put("ORDERS@SATURN", "one")) is Code.BRIDGE_NOT_RUNNING
    objects.start(PATH[:3])
    assert running(earth) == ["BRIDGE", "SATURN", "GATE.CHANNEL"]
    assert earth.put("ORDERS@SATURN", "one") == Done()
    objects.start(PATH[:1], children=True)
    assert running(earth) == list(PATH)
    objects.stop(PATH[:2])
    assert running(earth) == ["BRIDGE"]
    assert refused(earth.put("ORDERS@SATURN", "two")) is Code.BRIDGE_NOT_RUNNING
    objects.start(PATH)
    assert running(earth) == list(PATH)
    objects.stop(ALL)
    assert running(earth) == []
    objects.start(ALL, children=True)
    assert running(earth) == list(PATH)
    assert len(earth.node.bodies("ORDERS")) == 1


@pytest.mark.spec("SC-09", "E-400", "E-524")
def test_objects_start_with_the_queue_manager_unless_their_rule_or_a_stopped_parent_says_otherwise() -> None:
    _, earth = scene()
    for end in (1, 2, 4):
        earth.update(PATH[:end], START_UP_RULE="")
    earth.kill()
    assert running(earth) == ["BRIDGE", "SATURN"]
    earth.update(PATH[:3], START_UP_RULE="start:OTHER")
    earth.kill()
    assert running(earth) == list(PATH)
    earth.update(PATH[:1], START_UP_RULE="nobody-knows-it")
    earth.kill()
    assert running(earth) == []
    earth.write()
    assert any("nobody-knows-it" in each for each in earth.alarms)


@pytest.mark.spec("SC-09", "E-390", "E-391", "E-392", "E-393", "E-394", "E-396", "E-399")
def test_objects_are_created_inquired_updated_and_deleted() -> None:
    _, earth = scene()
    objects = earth.bridge.objects
    assert [each.kind for each in objects] == list(BridgeKind)[1:]
    found = objects.inquire(ALL)
    assert (found[rows.NAME], found[rows.RUN_STATE], found[rows.CHILDREN]) == ("bridges", RUNNING, ("BRIDGE",))
    found = objects.inquire(PATH[:3])
    assert (found[rows.NAME], found[rows.PROXY], found[rows.BRIDGE]) == ("GATE.CHANNEL", "SATURN", "BRIDGE")
    assert (found[rows.RUN_STATE], found[rows.PORT], found[rows.CHILDREN]) == (STOPPED, 1414, ("EARTH.XMITQ",))
    earth.update(PATH[:3], PORT=1415, PASSWORD="hush")
    found = objects.inquire(PATH[:3])
    assert found[rows.PORT] == 1415
    assert rows.PASSWORD not in found
    for path, row, value in (
        (PATH[:3], rows.PORT, 0),
        (PATH[:3], rows.ADAPTER, "tcp"),
        (PATH, rows.STATE_STORE, "files"),
        (PATH[:2], rows.PORT, 1414),
        (PATH, rows.RUN_STATE, "running"),
    ):
        with pytest.raises(EveryplaceError):
            objects.update(path, {row: value}, lambda _: None)
    with pytest.raises(EveryplaceError, match="objects below it"):
        objects.delete(PATH[:2], lambda _: None)
    with pytest.raises(EveryplaceError, match="no mq-queue-manager"):
        objects.create(BridgeDefinition(("BRIDGE", "MARS", "X")), lambda _: None)
    with pytest.raises(EveryplaceError, match="there is a bridge BRIDGE"):
        objects.create(BridgeDefinition(PATH[:1]), lambda _: None)
    objects.start(PATH)
    earth.expect_done(lambda then: objects.delete(PATH[:2], then, children=True))
    earth.kill()
    assert [each.path for each in earth.bridge.objects] == [PATH[:1]]


@pytest.mark.spec("SC-09", "E-396")
def test_a_running_listener_goes_on_with_what_was_updated() -> None:
    world, earth = scene()
    earth.bridge.objects.start(PATH)
    earth.update(PATH, FLOWS_PER_COMMIT=5)
    assert running(earth) == list(PATH)
    earth.local("LOG")
    earth.node.script("DEFINE QREMOTE(EARTH) RQMNAME(EARTH) XMITQ(EARTH.XMITQ)")
    earth.node.put("LOG", b"one", "EARTH")
    world.run(2)
    assert len(earth.browse("LOG")) == 1


@pytest.mark.spec("E-401", "E-398")
def test_a_listener_whose_queue_cannot_be_read_stops_and_says_so_and_a_stopped_store_is_no_loss() -> None:
    world, earth = scene()
    earth.bridge.objects.start(PATH)
    world.run(2)
    earth.node.alter_queue("EARTH.XMITQ", GET="DISABLED")
    world.run(2)
    state = earth.bridge.objects.inquire(PATH)
    assert state[rows.RUN_STATE] == STOPPED
    assert "2016" in state[rows.WHY]
    assert any("2016" in each for each in earth.alarms)


@pytest.mark.spec("E-407", "E-415")
def test_a_put_with_confirm_id_is_in_mq_once_however_often_it_is_repeated() -> None:
    _, earth = scene()
    earth.bridge.objects.start(PATH)
    message = text_message("one")
    assert earth.put("ORDERS@SATURN", message, confirm=7) == Done()
    assert message.uid is not None
    assert earth.node.bodies("ORDERS") == []
    assert refused(earth.put("ORDERS@SATURN", message, confirm=7)) is Code.NOT_ALLOWED
    earth.kill()
    earth.bridge.objects.start(PATH)
    message.resend = True
    assert earth.put("ORDERS@SATURN", message, confirm=7) == Done()
    confirm = ConfirmPut(Address("ORDERS", "SATURN"), message.uid)
    assert earth.ask(confirm) == Done()
    assert len(earth.node.bodies("ORDERS")) == 1
    assert refused(earth.ask(confirm)) is Code.NOT_FOUND
    earth.put("ORDERS@SATURN", text_message("never"), confirm=8)
    assert earth.ask(Undo(Address("ORDERS", "SATURN"), 8)) == Done()
    assert len(earth.node.bodies("ORDERS")) == 1
