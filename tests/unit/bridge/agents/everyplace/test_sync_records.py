"""Records of lanes on the sync queue: one of them counts, however late the answers of MQ are."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.mq.program import DONE
from mqbridge.bridge.agents.everyplace.mq.sync_records import SyncRecords
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.transfer.lane_records import IN_MQ, LaneName
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code

LANE = LaneName("MOON", "ORDERS@SATURN")


class Scene:
    """``commits``: of units of work that MQ has not answered. ``writes``: of our store, to come."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.records = SyncRecords(self.store, random.Random(1))
        self.commits: list[Callable[[Any], None]] = []
        self.writes: list[Callable[[], None]] = []
        connection = SimpleNamespace(value=lambda name: "SYNC")
        self.way: Any = SimpleNamespace(
            name="WAY", connection=connection, host=SimpleNamespace(gateway="EARTH", committer=self)
        )

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """See `Committer`."""

        def write() -> None:
            assert self.store.commit([change.operations]) == [None]
            then(True)

        self.writes.append(write)

    def ensure(self) -> list[Refused | None]:
        found: list[Refused | None] = []
        program: Any = SimpleNamespace(
            put=lambda queue, manager, message, then: then(DONE), commit=lambda rows, then: self.commits.append(then)
        )
        self.records.ensure(self.way, program, LANE, found.append)
        return found

    @property
    def row(self) -> bytes | None:
        return self.store.record(IN_MQ, LANE.key)


@pytest.mark.spec("E-420")
def test_a_unit_of_work_that_was_over_long_ago_does_not_replace_the_mark_of_another_one() -> None:
    scene = Scene()
    late, quick = scene.ensure(), scene.ensure()
    scene.commits[1](DONE)
    scene.writes[0]()
    row = scene.row
    assert (quick, row is None) == ([None], False)
    scene.commits[0](DONE)
    assert late == [None]
    assert (scene.row, len(scene.writes)) == (row, 1)


@pytest.mark.spec("E-420")
def test_one_of_them_waits_while_the_mark_of_the_other_is_written() -> None:
    scene = Scene()
    first, second = scene.ensure(), scene.ensure()
    scene.commits[0](DONE)
    scene.commits[1](DONE)
    assert first == []
    assert [each.code for each in second if each is not None] == [Code.BRIDGE_MQ_UNAVAILABLE]
    scene.writes[0]()
    assert first == [None]
    assert scene.ensure() == [None]
