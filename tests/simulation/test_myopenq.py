"""Messages of remote queues arrive once and in order, whatever dies and whenever: the simulation over many seeds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqbridge.bridge.agents.myopenq.door import _Entering
from mqbridge.bridge.agents.myopenq.sending.outgoing import OutgoingMessages
from mqbridge.bridge.agents.myopenq.sending.sender import Sender
from mqbridge.bridge.agents.myopenq.sending.window import Window
from support.myopenq.scenario import MyOpenQScenario

SEEDS = 300
GROUP = 60


@pytest.mark.parametrize("group", range(SEEDS // GROUP))
@pytest.mark.spec("M-008", "M-053", "M-056", "M-058", "M-086", "M-087", "M-089", "M-090", "M-091", "M-092", "M-102")
def test_every_message_arrives_once_and_in_order(group):
    for seed in range(group * GROUP, (group + 1) * GROUP):
        scenario = MyOpenQScenario(seed)
        problems = scenario.run()
        log = "\n".join(scenario.events[-200:])
        assert not problems, f"seed {seed}: {problems}\n{log}"


def test_the_faults_do_harm_that_the_rules_undo():
    repeated = full = deaths = 0
    for seed in range(30):
        scenario = MyOpenQScenario(seed)
        assert not scenario.run()
        repeated += scenario.called.repeated
        full += scenario.called.answers.get(3002, 0)
        deaths += sum(node.deaths for node in scenario.nodes.values())
    assert repeated
    assert full
    assert deaths


def found(seeds: int = 150) -> bool:
    """Whether the simulation finds something wrong."""
    return any(MyOpenQScenario(seed).run() for seed in range(seeds))


def digests_first(rows: Callable[[_Entering], object]) -> object:
    def patched(self):
        self._door.queues.host.manager.submit(rows(self))
        return ()

    return patched


def new_stamps(_: object) -> object:
    def patched(self, message, stamp, _digest):
        return self._stamped(message, bytes(16), self._context.host.now).packet

    return patched


def deleted_early(unanswered: Callable[[Sender, str, float], None]) -> object:
    def patched(self, reason, now):
        messages = self._messages
        if messages.ahead and messages.ahead[0].doubt:
            messages.arrived.append(messages.ahead.popleft())
        unanswered(self, reason, now)

    return patched


def no_window(_: object) -> object:
    return lambda self, member: 1000


@pytest.mark.parametrize(
    ("owner", "name", "fault"),
    [
        (_Entering, "rows", digests_first),
        (OutgoingMessages, "_packet", new_stamps),
        (Sender, "unanswered", deleted_early),
        (Window, "room", no_window),
    ],
    ids=[
        "a digest is entered before the put is stored",
        "a repeat has a new stamp",
        "deleted before SUCCESS",
        "no window",
    ],
)
def test_planted_faults_are_found(monkeypatch, owner, name, fault):
    monkeypatch.setattr(owner, name, fault(getattr(owner, name)))
    assert found()
