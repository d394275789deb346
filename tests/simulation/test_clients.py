"""Units of work of clients, whatever dies and whenever: what was answered is true, over many seeds."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import session
from mqbridge.bridge.queue_manager.calls import units
from mqbridge.bridge.queue_manager.calls.requests import Settle
from mqbridge.bridge.queue_manager.connections import Connection
from support.simulation.client_scenario import ClientScenario
from support.simulation.program import commit_and_leave

SEEDS = 100
GROUP = 10


@pytest.mark.spec("mqi.md 1", "mqi.md 4.2", "mqi.md 16.1", "mq-wire.md 5.13")
@pytest.mark.parametrize("group", range(SEEDS // GROUP))
def test_what_clients_were_told_is_true(group: int) -> None:
    """What was committed is there once, what was not is not; in doubt is only what nobody was told of."""
    doubts = lost = 0
    for seed in range(group * GROUP, (group + 1) * GROUP):
        scenario = ClientScenario(seed)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"
        doubts += scenario.doubts
        lost += sum(" lost in unit " in line for line in scenario.events)
    assert lost
    assert doubts


@pytest.mark.interpreted("replaces a method")
def test_a_queue_manager_that_commits_for_lost_clients_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "lost", commit_and_leave)
    assert any(ClientScenario(seed).run() for seed in range(20))


GOT_BEFORE_A_KILL = 2133
"""A seed in which the queue manager is killed right behind the answer to a get outside syncpoint."""


def test_a_message_that_a_get_outside_syncpoint_brought_does_not_come_again() -> None:
    assert ClientScenario(GOT_BEFORE_A_KILL).run() == []


def test_a_queue_manager_that_answers_gets_before_the_removal_is_on_disk_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def at_once(connection: Connection, request: Settle, now: float) -> object:
        return units.settle(connection, Settle(0, request.arrived, request.back), now)

    monkeypatch.setitem(session._CALLS, Settle, at_once)
    assert set(ClientScenario(GOT_BEFORE_A_KILL).run()) == {"stock 2: there 0, taken 2"}
