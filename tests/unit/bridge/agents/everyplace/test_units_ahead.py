"""Batches that are put elsewhere ahead of their answers: what fails is found, and each message gets its own outcome."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.mq_style import text_message
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World
from support.everyplace_bridge import FarAhead, FarQueueManager, Gateway

pytestmark = pytest.mark.spec("E-406", "E-420")


class Scene:
    """MOON puts to SATURN over EARTH; ``ORDERS`` and ``BILLS`` are reached by one lane."""

    def __init__(self, *, ahead: bool = True, **connection: object) -> None:
        self.world = World()
        self.earth = Gateway.add(self.world, "EARTH", mq="OWN")
        self.saturn = FarQueueManager("SATURN", self.world.now)
        self.saturn.ahead = ahead
        self.saturn.node.define(Kind.QLOCAL, "ORDERS")
        self.saturn.node.define(Kind.QLOCAL, "BILLS")
        self.earth.bridge_to(self.saturn, **connection)
        self.earth.define(QueueKind.MQ_BRIDGE, "*", "SATURN")
        self.moon: Station = self.world.queue_manager("MOON")
        self.moon.store_and_forward("SAF", ["SATURN"], forward="EARTH")

    def send(self, *addresses: str) -> None:
        for number, address in enumerate(addresses):
            self.moon.put(f"{address}@SATURN", text_message(str(number)))
        self.moon.connection("EARTH")  # until now it did not know where to
        self.trigger()

    def trigger(self) -> None:
        self.moon.network.trigger(self.moon.now)
        self.world.run(5)

    def orders(self, queue: str = "ORDERS") -> list[int]:
        return [int(each) for each in self.saturn.node.bodies(queue)]

    @property
    def waiting(self) -> int:
        return len(self.moon.stored("SAF@EARTH"))


def test_a_batch_goes_in_one_piece() -> None:
    scene = Scene()
    scene.send(*["ORDERS"] * 20)
    assert scene.orders() == list(range(20))
    assert scene.waiting == 0
    assert scene.saturn.ahead_puts == 1


def test_without_them_each_put_waits_for_its_answer() -> None:
    scene = Scene(ahead=False)
    scene.send("ORDERS", "BILLS", "ORDERS")
    assert (scene.orders(), scene.orders("BILLS")) == ([0, 2], [1])
    assert scene.saturn.ahead_puts == 0


def test_a_queue_that_is_full_takes_what_it_can_and_the_rest_later_in_order() -> None:
    """Those for another queue go on."""
    scene = Scene()
    scene.saturn.node.script("ALTER QLOCAL(ORDERS) MAXDEPTH(2)")
    scene.send("ORDERS", "ORDERS", "ORDERS", "BILLS", "ORDERS")
    assert scene.saturn.ahead_puts
    assert (scene.orders(), scene.orders("BILLS")) == ([0, 1], [3])
    assert scene.waiting == 2
    scene.saturn.node.script("ALTER QLOCAL(ORDERS) MAXDEPTH(100)")
    scene.trigger()
    assert scene.orders() == [0, 1, 2, 4]
    assert scene.waiting == 0


def test_one_that_mq_never_takes_goes_to_the_dead_letter_queue_and_the_others_where_they_belong() -> None:
    scene = Scene(REFUSED_RULE="dead-letter")
    scene.saturn.node.define(Kind.QLOCAL, "DLQ")
    scene.saturn.node.script("ALTER QMGR DEADQ(DLQ)")
    scene.send("ORDERS", "NOQ", "ORDERS")
    assert scene.orders() == [0, 2]
    assert len(scene.saturn.node.bodies("DLQ")) == 1
    assert scene.waiting == 0
    assert [each for each in scene.earth.alarms if "2085" in each]


def test_one_that_mq_never_takes_stays_with_an_alarm_where_the_rule_says_so() -> None:
    scene = Scene()
    scene.send("ORDERS", "NOQ", "ORDERS")
    assert scene.orders() == [0, 2]
    assert scene.waiting == 1
    assert [each for each in scene.earth.alarms if "2085" in each]


def test_a_queue_manager_that_goes_away_under_them_gets_them_again_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene()
    put = FarAhead.put

    def interrupted(self: FarAhead, *values: Any) -> None:
        put(self, *values)
        if scene.saturn.ahead_puts == 1:
            scene.saturn.shut_down()

    monkeypatch.setattr(FarAhead, "put", interrupted)
    scene.send(*["ORDERS"] * 6)
    assert (scene.orders(), scene.waiting) == ([], 6)
    scene.saturn.down = False
    scene.trigger()
    assert scene.orders() == list(range(6))
    assert scene.waiting == 0


class Unit:
    """A unit of work of a lane that somebody drives by hand."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.unit = scene.earth.bridge.begin(LaneName("MOON", "SAF"))
        self.said: dict[str, Refused | None] = {}

    def put(self, *texts: str) -> None:
        address = Address("ORDERS", "SATURN")
        queue = self.scene.earth.manager.queues.named(Address("*", "SATURN"))
        assert queue is not None
        for text in texts:
            self.unit.put(
                TargetElsewhere(queue, address), text_message(text), lambda said, text=text: self._said(text, said)
            )
        self.scene.world.run()

    def _said(self, text: str, said: Refused | None) -> None:
        self.said[text] = said

    def commit(self, number: int) -> list[bool]:
        found: list[bool] = []
        self.unit.commit(number, [], found.append)
        self.scene.world.run()
        return found


def test_what_is_put_later_into_the_same_unit_may_fail_without_the_first_being_lost() -> None:
    """The unit is made again with all of them, and has each once."""
    scene = Scene()
    scene.saturn.node.script("ALTER QLOCAL(ORDERS) MAXDEPTH(4)")
    unit = Unit(scene)
    unit.put("0", "1")
    unit.put("2", "3", "4")  # the first is put before there are others
    assert scene.saturn.ahead_puts == 2
    assert [each for each in unit.said if unit.said[each] is None] == ["0", "1", "2", "3"]
    refused = unit.said["4"]
    assert refused is not None
    assert refused.code is Code.Q_FULL
    assert unit.commit(1) == [True]
    assert scene.orders() == [0, 1, 2, 3]


def test_a_unit_is_not_committed_that_cannot_be_made_again() -> None:
    scene = Scene()
    scene.saturn.node.script("ALTER QLOCAL(ORDERS) MAXDEPTH(3)")
    unit = Unit(scene)
    unit.put("0", "1")
    node, taken = scene.saturn.node, []

    def others(*_: Any) -> None:
        """Somebody else fills the queue as soon as there is room."""
        taken.append(node.bodies("ORDERS"))
        for number in range(2 if len(taken) == 1 else 0):
            node.put("ORDERS", b"%d" % (number + 7))

    program = scene.saturn.programs[0]
    inner = program._inner.back_out
    program._inner.back_out = lambda then: (inner(then), others())  # type: ignore[method-assign]
    unit.put("2", "3", "4")
    assert unit.said["0"] is None
    assert unit.commit(1) == [False]
    assert scene.orders() == [7, 8]
    assert taken[0] == []
