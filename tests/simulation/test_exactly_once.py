"""Exactly once, whatever dies and whenever: the fault simulation over many seeds."""

from __future__ import annotations

import pytest

from support.simulation.scenario import Scenario

SEEDS = 300
DAMAGED = 40
GROUP = 10


@pytest.mark.spec("channels.md 5.2")
@pytest.mark.spec("channels.md 5.3")
@pytest.mark.spec("channels.md 5.4")
@pytest.mark.spec("channels.md 10")
@pytest.mark.parametrize("group", range(SEEDS // GROUP))
def test_every_message_arrives_once_and_in_order(group):
    for seed in range(group * GROUP, (group + 1) * GROUP):
        scenario = Scenario(seed)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"


@pytest.mark.parametrize("group", range(DAMAGED // GROUP))
def test_on_damaged_disks_only_what_was_said_to_be_lost_is_missing(group):
    said = 0
    for seed in range(group * GROUP, (group + 1) * GROUP):
        scenario = Scenario(seed, damage_rate=0.7)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"
        said += len(scenario.oracle.said)
    assert said
