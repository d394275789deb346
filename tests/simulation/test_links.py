"""Messages of a link to a scripted provider arrive once, whatever dies and whenever: the simulation over many seeds."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.linking.settings import Duplicates
from support.linking.link_scenario import LinkScenario

SEEDS = 300
GROUP = 30


@pytest.mark.parametrize("group", range(SEEDS // GROUP))
def test_every_persistent_message_arrives_once_or_at_least_once(group):
    for seed in range(group * GROUP, (group + 1) * GROUP):
        scenario = LinkScenario(seed)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"


def test_the_faults_do_harm_that_the_rules_undo():
    dropped = repeated = 0
    for seed in range(30):
        scenario = LinkScenario(seed, Duplicates.ARTEMIS)
        assert not scenario.run()
        dropped += scenario.broker.duplicates
        repeated += scenario.repeated
        if dropped and repeated:
            return
    raise AssertionError(f"{dropped} dropped, {repeated} repeated")
