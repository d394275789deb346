"""Messages of Everyplace arrive once and in order, whatever is cut, dies or is restored: many seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.mq.program import MqProgram, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.sync_records import LaneRecord
from mqbridge.bridge.everyplace.network.callers import Callers
from mqbridge.bridge.everyplace.onward.onward_lane import OnwardLane
from mqbridge.bridge.everyplace.onward.onward_unit import OnwardUnit
from mqbridge.bridge.everyplace.transfer.lane_records import SendingRecord
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.errors import EveryplaceError
from support.simulation.everyplace_scenario import EveryplaceScenario

SHARES = 6
SHORT = 300
LONG = 2000
PLANTED = 80
PATIENCE = 600.0
"""Seconds in which a scenario with a planted fault comes to rest or has failed; without it, half a minute suffices."""


@pytest.mark.spec(
    "E-040",
    "E-131",
    "E-135",
    "E-184",
    "E-189",
    "E-190",
    "E-191",
    "E-192",
    "E-204",
    "E-213",
    "E-326",
    "E-420",
    "E-461",
    "SC-40",
)
@pytest.mark.parametrize("share", range(SHARES))
def test_every_message_arrives_once_and_in_order(share: int, *, long_form: bool) -> None:
    for seed in range(share, LONG if long_form else SHORT, SHARES):
        scenario = EveryplaceScenario(seed)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"


def found(*, impatient: bool = False, kind: str = "", onward: bool = False) -> bool:
    """Whether a fault that was planted is found by some seed; what it breaks otherwise counts as found, too."""
    for seed in range(PLANTED):
        try:
            scenario = EveryplaceScenario(seed, impatient=impatient, patience=PATIENCE, kind=kind, onward=onward)
            if scenario.run():
                return True
        except (AssertionError, KeyError):
            return True
    return False


@pytest.mark.spec("E-198", "E-204")
def test_an_unknown_confirm_that_is_read_as_done_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    settle = SendingLane.settle

    def wrong(lane: Any, receiver: bytes, number: int, mark: int = 0) -> None:
        if lane.in_doubt and number == lane.number:
            # As MQe did: what the other end does not know has been confirmed before.
            lane._done, lane._doubtful = lane._doubtful, []
            lane._record = SendingRecord(receiver, number)
        settle(lane, receiver, number, mark)

    monkeypatch.setattr(SendingLane, "settle", wrong)
    assert found()


def test_an_older_connection_that_is_left_open_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def left_open(callers: Callers, name: str, error: EveryplaceError) -> None:
        pass

    monkeypatch.setattr(Callers, "disconnect", left_open)
    assert found(impatient=True)


@pytest.mark.spec("E-420")
def test_a_sync_record_outside_its_unit_of_work_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = LaneRecord.replace

    def outside(record: LaneRecord, program: MqProgram, number: int, then: Callable[[PutOutcome], None]) -> None:
        # As if the number followed in a unit of work of its own, before which the connection is lost.
        inside(record, program, record.number, then)

    monkeypatch.setattr(LaneRecord, "replace", outside)
    assert found(impatient=True, kind="elsewhere")


@pytest.mark.spec("E-192", "E-198", "E-353")
def test_what_is_in_transit_and_confirmed_before_that_is_decided_on_disk_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit = OnwardUnit.commit

    def early(unit: OnwardUnit, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        # As a gateway would that confirms first and notes the batch afterwards.
        taken, unit._taken = unit._taken, []
        unit._lane.confirm(taken)
        commit(unit, number, rows, then)

    monkeypatch.setattr(OnwardUnit, "commit", early)
    assert found(kind="in process", onward=True)


@pytest.mark.spec("E-198", "E-353")
def test_a_decision_that_is_not_on_disk_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnwardLane, "read", lambda lane, row: None)
    assert found(impatient=True, kind="node", onward=True)
