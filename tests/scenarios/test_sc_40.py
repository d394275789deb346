"""SC-40: devices, gateway and MQ, and remote queues of MyOpenQ, for an hour of cuts, crashes and clock steps, in
simulated time."""

from __future__ import annotations

import gc

import pytest

from mqbridge.bridge.everyplace.transfer.parts_in import QUEUE as PARTS
from support.myopenq.scenario import MyOpenQScenario
from support.simulation.everyplace_scenario import Endurance, EveryplaceScenario

SHORT = Endurance(devices=20, seconds=900.0)
LONG = Endurance(devices=200, seconds=3600.0)
OF_DEVICE, OF_CONNECTION, OF_MESSAGE = 400, 40, 5
"""Objects of Python that are left for each, at most; the oracle knows each message, and those for MQ wait there."""


@pytest.mark.spec("E-040", "E-184", "E-190", "E-191", "E-204", "E-213", "E-326", "E-420", "E-461", "E-481", "SC-40")
@pytest.mark.parametrize("seed", [2, 3])
def test_an_hour_of_chaos_loses_and_doubles_nothing(seed: int, *, long_form: bool) -> None:
    endurance = LONG if long_form else SHORT
    gc.collect()
    before = len(gc.get_objects())
    scenario = EveryplaceScenario(seed, endurance=endurance)
    problems = scenario.run()
    assert not problems, "\n".join([*problems, *scenario.events[-100:]])
    assert scenario.messages > endurance.devices * endurance.seconds / 200
    assert sum(node.deaths for node in scenario.nodes.values()) > 3
    assert scenario.oracle.taken
    scenario.events.clear()
    for node in scenario.nodes.values():
        assert not list(node.store.scan(PARTS))
        assert len(node.ends) <= 2 * len(scenario.nodes)
    scenario.wire.streams.clear()
    gc.collect()
    connections = endurance.devices**2  # to the gateway, and by it to each other device
    most = OF_DEVICE * endurance.devices + OF_CONNECTION * connections + OF_MESSAGE * scenario.messages
    assert len(gc.get_objects()) - before < most


@pytest.mark.spec("M-102", "SC-40")
@pytest.mark.parametrize("seed", [3, 4])
def test_remote_queues_of_myopenq_endure_it_too(seed: int, *, long_form: bool) -> None:
    scenario = MyOpenQScenario(seed, 3600.0 if long_form else 120.0)
    problems = scenario.run()
    assert not problems, "\n".join([*problems, *scenario.events[-100:]])
    assert scenario.messages > scenario.seconds
    assert sum(node.deaths for node in scenario.nodes.values()) > 3
    for node in scenario.nodes.values():
        assert len(node.ends) <= 4
