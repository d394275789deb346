"""What a capture lost, or begins too late for, makes nothing lawful a finding: only that it is not there is told."""

from __future__ import annotations

import pytest

from mqbridge.captures.generate import ChannelTraffic, ClientTraffic, Scenario
from mqbridge.captures.generate.rates import findings_of
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction

JUDGING = {"error", "warning", "inferred"}
OF_THE_CAPTURE = {"C-910"}
CHANNELS = (
    ChannelTraffic(sizes=(10, 3_000, 80_000, 0, 500) * 2, batch_size=3, quiet=700.0),
    ChannelTraffic(sizes=(100,) * 20, order=ByteOrder.BIG, in_doubt=3, sequence=5, ccsid=500),
    ChannelTraffic(sizes=(1_000,) * 10, reset=7, persistent=False),
    ChannelTraffic(sizes=(40_000,) * 3, sender={"fap_level": 13, "offered_fap_level": 13}),
)
CLIENTS = (
    ClientTraffic(
        puts=(10, 3_000, 80_000, 500) * 2,
        gets=6,
        browses=2,
        inquiries=2,
        empty_gets=2,
        syncpoint=True,
        commit_every=2,
        quiet=700.0,
    ),
    ClientTraffic(puts=(10, 3_000, 80_000, 500), gets=4, browses=2, inquiries=2, client={"shared_conversations": 0}),
    ClientTraffic(puts=(500,) * 30, asynchronous=True, gets=2),
    ClientTraffic(puts=(500,) * 3, gets=3, wait=1.0, empty_gets=1, server={"order": ByteOrder.BIG, "ccsid": 500}),
    ClientTraffic(puts=(5_000,) * 3, gets=3, client={"fap_level": 8}),
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "faults",
    [
        {},
        {"duplicate": 0.5, "reorder": 0.5},
        {"lose": 0.02},
        {"lose": 0.2},
        {"lose": 0.05, "duplicate": 0.3, "reorder": 0.3},
        {"lose": 0.02, "segment_size": 300},
        {"late": 0.4},
    ],
    ids=lambda faults: "-".join(faults) or "whole",
)
def test_lawful_traffic_stays_lawful(faults: dict[str, float], seed: int) -> None:
    more: dict[str, object] = {**faults}
    made = Scenario(seed=seed, channels=CHANNELS, clients=CLIENTS, **more).build()
    found = findings_of(made)
    assert found
    wrong = [row for row in found if row.severity in JUDGING and row.rule not in OF_THE_CAPTURE]
    assert not wrong, [(row.rule, row.flow, row.packet, row.expected, row.seen) for row in wrong[:3]]
    assert bool([row for row in found if row.rule in OF_THE_CAPTURE]) is ("lose" in faults)


@pytest.mark.parametrize("late", [0.0, 0.4])
@pytest.mark.parametrize("direction", Direction)
def test_one_side_of_lawful_traffic_stays_lawful(direction: Direction, late: float) -> None:
    made = Scenario(seed=1, channels=CHANNELS, clients=CLIENTS, late=late).build()
    made.packets = [packet for packet in made.packets if packet.direction is direction]
    found = findings_of(made)
    wrong = [row for row in found if row.severity in JUDGING and row.rule not in OF_THE_CAPTURE]
    assert not wrong, [(row.rule, row.flow, row.packet, row.expected, row.seen) for row in wrong[:3]]
    assert any(row.rule in OF_THE_CAPTURE for row in found)
