"""The sync queue of a queue manager elsewhere, connections to it that are idle, and what is refused there."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.everyplace.mq.sync_records import SyncBody
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from support.everyplace import Station, World
from support.everyplace_bridge import SYNC_QUEUE, FarQueueManager, Gateway

MINUTE = 60.0


class Scene:
    """MOON puts to SATURN over EARTH."""

    def __init__(self, **connection: object) -> None:
        self.world = World()
        self.earth = Gateway.add(self.world, "EARTH", mq="OWN")
        self.saturn = FarQueueManager("SATURN", self.world.now)
        self.saturn.node.define(Kind.QLOCAL, "ORDERS")
        self.path = self.earth.bridge_to(self.saturn, **connection)
        self.earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")
        self.moon: Station = self.world.queue_manager("MOON")
        self.moon.connection("EARTH")
        self.moon.connection("SATURN", via="EARTH")
        self.moon.remote("ORDERS", "SATURN")

    def send(self, count: int = 1) -> None:
        for number in range(count):
            self.moon.put("ORDERS@SATURN", str(number))
        self.world.run(5)

    def records(self) -> list[SyncBody]:
        return [SyncBody.read(each) for each in self.saturn.node.bodies(SYNC_QUEUE)]

    def orphan(self) -> None:
        """A record of a device that is gone."""
        body = SyncBody(b"gonegone", 7, "EARTH", "/".join(self.path), "MARS", "ORDERS")
        self.saturn.node.now = self.world.now
        self.saturn.node.put(SYNC_QUEUE, body.encode(), correl_id=b"mars")


def test_a_record_says_whose_it_is_and_nothing_else_is_one() -> None:
    body = SyncBody(b"12345678", 2**40, "EARTH", "B/SATURN/CH", "MOON", "ORDERS@SATURN")
    assert SyncBody.read(body.encode()) == body
    for wrong in (b"", b"MQSY", body.encode()[:-1], b"X" + body.encode()[1:], body.encode() + b"more\0"):
        with pytest.raises(EveryplaceError):
            SyncBody.read(wrong)


@pytest.mark.spec("E-407", "E-420")
def test_a_lane_has_one_record_with_the_number_of_its_last_batch() -> None:
    scene = Scene()
    scene.send(3)
    first = scene.records()
    assert [(each.gateway, each.partner) for each in first] == [("EARTH", "MOON")]
    scene.send(2)
    (record,) = scene.records()
    assert record.number > first[0].number
    assert record.mark == first[0].mark
    assert len(scene.saturn.node.bodies("ORDERS")) == 5


@pytest.mark.spec("E-525")
def test_what_nobody_uses_on_the_sync_queue_is_reported_once_and_stays() -> None:
    scene = Scene(PURGE_AFTER=1)
    scene.send()
    scene.orphan()
    scene.world.run(10 * MINUTE)
    told = [each for each in scene.earth.alarms if "MARS" in each]
    assert len(told) == 1
    assert "left on" in told[0]
    assert len(scene.records()) == 2


@pytest.mark.spec("E-525")
def test_a_rule_deletes_it_when_it_is_old_enough() -> None:
    scene = Scene(PURGE_AFTER=1, PURGER_RULE="purge:hours=1")
    scene.send()
    scene.orphan()
    scene.world.run(30 * MINUTE)
    assert len(scene.records()) == 2
    scene.world.run(60 * MINUTE)
    assert [each.partner for each in scene.records()] == ["MOON"]
    assert any("deleted from" in each for each in scene.earth.alarms)
    scene.send()
    assert len(scene.saturn.node.bodies("ORDERS")) == 2


@pytest.mark.spec("E-393", "E-402")
def test_connections_are_kept_while_they_are_used_and_closed_when_they_are_idle() -> None:
    scene = Scene(MAX_IDLE=2)
    scene.send(3)
    assert scene.saturn.opened == 1
    scene.world.run(60)
    scene.send(3)
    assert scene.saturn.opened == 1
    assert len(scene.saturn.programs) == 1
    scene.world.run(6 * MINUTE)
    assert len(scene.saturn.programs) == 0
    scene.send(3)
    assert scene.saturn.opened == 2


@pytest.mark.spec("E-401")
def test_a_call_of_a_program_fails_at_once_while_mq_is_away_and_works_with_a_new_connection() -> None:
    scene = Scene()
    assert scene.earth.put("ORDERS@SATURN", "one") == Done()
    scene.saturn.shut_down()
    outcome = scene.earth.put("ORDERS@SATURN", "two")
    assert isinstance(outcome, Refused)
    assert outcome.code is Code.BRIDGE_MQ_UNAVAILABLE
    scene.saturn.down = False
    assert scene.earth.put("ORDERS@SATURN", "three") == Done()
    assert len(scene.saturn.node.bodies("ORDERS")) == 2


@pytest.mark.spec("E-214", "E-406")
def test_a_message_that_mq_never_takes_holds_up_no_other_queue() -> None:
    scene = Scene()
    scene.earth.define(QueueKind.MQ_BRIDGE, "NOQ", "SATURN")
    scene.moon.remote("NOQ", "SATURN")
    scene.moon.put("NOQ@SATURN", "lost")
    scene.send()
    assert len(scene.saturn.node.bodies("ORDERS")) == 1
    assert len(scene.moon.stored("NOQ@SATURN")) == 1
    assert any("2085" in each for each in scene.earth.alarms)


@pytest.mark.spec("E-407")
def test_a_device_that_was_readmitted_begins_with_a_record_of_its_own() -> None:
    """What MQ has recorded of the lane before does not count: the device's numbers begin anew."""
    scene = Scene()
    scene.send(2)
    (before,) = scene.records()
    scene.moon.restore(type(scene.moon.tables)())
    scene.moon.connection("EARTH")
    scene.moon.connection("SATURN", via="EARTH")
    scene.moon.remote("ORDERS", "SATURN")
    scene.send(1)
    assert len(scene.saturn.node.bodies("ORDERS")) == 2
    found: list[bool] = []
    scene.earth.network.readmit("MOON", found.append)
    scene.world.run(60)
    scene.moon.network.trigger(scene.moon.now)
    scene.world.run(600)
    assert len(scene.saturn.node.bodies("ORDERS")) == 3
    (after,) = scene.records()
    assert after.mark != before.mark
