"""What whole queue managers and clients of ours say to each other while things go wrong: no rule finds an error."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mqbridge.protocol.observer import ConnectionKind, Ending, MessageSeen, MessageSettled
from support.rules.observer_playbook import Watch
from support.simulation.client_scenario import ClientScenario
from support.simulation.scenario import Scenario
from support.simulation.watched import watch_streams


def watched(scenario: Any) -> list[Watch]:
    """All connections of a scenario, from its end on over."""
    streams = watch_streams(scenario.network)
    assert not scenario.run()
    for stream in streams:
        stream.finish(Ending.OPEN)
    watches = [stream.watch for stream in streams]
    for watch in watches:
        assert not watch.rules("error"), [one for one in watch.findings if one.severity.value == "error"]
        seen = [id(one.message) for one in watch.seen(MessageSeen)]
        assert len(set(seen)) == len(seen)
    return watches


def kinds(watches: list[Watch]) -> Counter[ConnectionKind]:
    return Counter(watch.observer.kind for watch in watches)


@pytest.mark.spec("channels.md 5.2", "channels.md 5.3")
@pytest.mark.parametrize("group", range(2))
def test_channels_of_two_queue_managers(group: int) -> None:
    passed = settled = 0
    for seed in range(group * 5, group * 5 + 5):
        watches = watched(Scenario(seed))
        assert set(kinds(watches)) <= {ConnectionKind.MESSAGE_CHANNEL, ConnectionKind.UNKNOWN}
        passed += sum(len(watch.seen(MessageSeen)) for watch in watches)
        settled += sum(len(watch.seen(MessageSettled)) for watch in watches)
    assert passed == settled > 100


@pytest.mark.spec("mq-wire.md 8.3")
def test_clients() -> None:
    for seed in range(5):
        assert kinds(watched(ClientScenario(seed)))[ConnectionKind.CLIENT_CONNECTION]
