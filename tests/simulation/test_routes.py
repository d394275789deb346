"""Messages that routes carry arrive once, whatever dies and whenever: the simulation over many seeds."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.routing.intake import Intake
from mqbridge.bridge.agents.routing.settling import Settling
from support.simulation.route_scenario import RouteScenario

SHARES = 5
SHORT = 30
LONG = 300


@pytest.mark.parametrize("share", range(SHARES))
def test_every_message_arrives_once(long_form: bool, share: int) -> None:
    for seed in range(share, LONG if long_form else SHORT, SHARES):
        scenario = RouteScenario(seed)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"


def test_routes_that_commit_puts_of_a_failed_unit_of_work_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Settling, "_drop_puts", lambda settling, now: None)
    assert any(RouteScenario(seed).run() for seed in range(12))


def test_inputs_that_do_not_know_what_was_taken_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Intake, "_known", lambda intake, key: False)
    assert any(RouteScenario(seed).run() for seed in range(12))
