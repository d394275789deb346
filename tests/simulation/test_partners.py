"""A partner and its host: cuts at any byte, a queue manager that dies at any step of its store, over many seeds."""

from __future__ import annotations

import pytest

from support.partners.partner_scenario import PartnerScenario

SEEDS = 120
GROUP = 40


@pytest.mark.spec("M-120", "M-164", "M-169")
@pytest.mark.parametrize("group", range(SEEDS // GROUP))
def test_messages_arrive_once_with_ids_and_at_least_once_without(group: int):
    for seed in range(group * GROUP, (group + 1) * GROUP):
        scenario = PartnerScenario(seed)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"


def test_the_faults_do_harm_that_the_rules_undo():
    dropped = repeated = known = 0
    for seed in range(40):
        scenario = PartnerScenario(seed, once=bool(seed % 2))
        assert not scenario.run()
        if scenario.once:
            dropped += scenario.host.repeats
            known += len(scenario.host.taken) > len(set(scenario.host.taken))
        else:
            texts = [text for _, _, text in scenario.host.orders]
            repeated += len(texts) - len(set(texts))
        if dropped and repeated and known:
            return
    raise AssertionError(f"{dropped} dropped, {repeated} repeated, {known} known")
