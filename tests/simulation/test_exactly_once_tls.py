"""Exactly once inside TLS: records are cut in the middle, ends close without a word, handshakes break off."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mqbridge.bridge.endpoints.tls_sessions import TlsSessions
from support.simulation.network import CALLER, Network, Stream
from support.simulation.scenario import NAMES, Scenario
from support.tls.repositories import sessions

GROUPS, GROUP = 2, 10
LONG = 300
"""Seeds of the long form."""


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, TlsSessions]:
    return sessions(tmp_path_factory.mktemp("tls"), *NAMES)


def run(seed: int, tls: Mapping[str, TlsSessions]) -> Scenario:
    scenario = Scenario(seed, tls=tls)
    problems = scenario.run()
    log = "\n".join(scenario.events[-200:])
    assert not problems, f"seed {seed}: {problems}\n{log}"
    return scenario


@pytest.mark.spec("channels.md 5.2", "channels.md 5.4", "tls.md T-01")
@pytest.mark.parametrize("group", range(GROUPS))
def test_every_message_arrives_once_and_in_order(tls: Mapping[str, TlsSessions], group: int, long_form: bool) -> None:
    messages, broken_off = 0, 0
    seeds = LONG // GROUPS if long_form else GROUP
    for seed in range(group * seeds, (group + 1) * seeds):
        scenario = run(seed, tls)
        messages += scenario.messages
        broken_off += sum("lost in the handshake" in event for event in scenario.events)
    assert messages > 100 * GROUP
    assert broken_off


class HeardStream(Stream):
    """A connection of which all bytes are kept."""

    all: list[HeardStream]

    def __init__(self, network: Network, caller: str = CALLER) -> None:
        super().__init__(network, caller)
        self.heard = (bytearray(), bytearray())
        self.all.append(self)

    def send(self, side: int, data: bytes) -> None:
        self.heard[side].extend(data)
        super().send(side, data)


def test_nobody_on_the_way_reads_it(tls: Mapping[str, TlsSessions]) -> None:
    streams: list[HeardStream] = []
    scenario = Scenario(4, tls=tls)
    scenario.network.stream_type = type("Heard", (HeardStream,), {"all": streams})
    assert not scenario.run()
    assert scenario.messages
    heard = b"".join(bytes(side) for stream in streams for side in stream.heard)
    assert len(heard) > 10_000
    for word in ("TSH ", "XQH ", "MD  ", "TARGET"):
        assert word.encode() not in heard
        assert word.encode("cp500") not in heard


def test_the_same_seed_says_the_same(tls: Mapping[str, TlsSessions]) -> None:
    assert run(2, tls).events == run(2, tls).events
