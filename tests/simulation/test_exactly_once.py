"""Exactly once, whatever dies and whenever: the fault simulation over many seeds."""

from __future__ import annotations

import pytest
from simulation.scenario import Scenario

SEEDS = 300
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
