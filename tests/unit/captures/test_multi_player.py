"""Several players together: nobody says anything before what the recording had earlier on other connections."""

from __future__ import annotations

import pytest

from mqbridge.captures.against import MultiPlayer, Player, multi_player
from mqbridge.captures.differential.recorded_flows import RecordedFlow, Step, recorded_flows
from mqbridge.protocol.direction import Direction
from support.captures.files import JMS_CAPTURE


def moved(flow: RecordedFlow, start: float, *, stretch: float = 1.0, end: float | None = None) -> RecordedFlow:
    """The flow at another time."""
    steps = [Step(one.number, one.direction, one.time * stretch, one.segment) for one in flow.steps]
    last = start + steps[-1].time
    return RecordedFlow(flow.number, flow.initiator, flow.responder, start, last if end is None else end, steps)


@pytest.fixture
def refused() -> RecordedFlow:
    return recorded_flows(JMS_CAPTURE)[0][0]


def run(players: list[Player]) -> list[tuple[int, int]]:
    """Play with the recorded answers, one at a turn; (player, number of segments it has said) as it happens."""
    together = MultiPlayer(players)
    answers = {player: [one for one in player.flow.steps if one.direction is Direction.RESPONDER] for player in players}
    said: list[tuple[int, int]] = []

    def note() -> None:
        for number, player in enumerate(players):
            if player.data_to_send():
                said.append((number, player.played))

    for _ in range(200):
        while (player := together.next_to_connect()) is not None:
            player.start(0.0)
            note()
        together.advance(0.0)
        note()
        ready = [player for player in together.running if answers[player]]
        if not ready and not together.waits:
            break
        if ready:
            player = min(ready, key=lambda one: one.comes_next)
            player.receive_data(answers[player].pop(0).segment.data, 0.0)
            note()
    together.advance(0.0)
    assert not together.running
    assert not together.waits
    assert all(player.closed for player in players)
    assert all(player.result(()).different == [] for player in players)
    return said


def test_one_behind_the_other(refused: RecordedFlow) -> None:
    first, second = moved(refused, 0.0), moved(refused, 100.0)
    order = [number for number, _ in run([Player(second), Player(first)])]
    assert order == sorted(order, reverse=True)


def test_a_connection_waits_for_what_was_said_earlier_on_another(refused: RecordedFlow) -> None:
    slow, quick = moved(refused, 0.0, stretch=1000.0), moved(refused, 0.001, stretch=0.001)
    said = run([Player(slow), Player(quick)])
    ended = max(place for place, (number, _) in enumerate(said) if number == 1)
    assert [number for number, _ in said[ended + 1 :]].count(0) >= 2  # most of it is said when the quick one is over


def test_a_connection_stays_open_as_long_as_it_did(refused: RecordedFlow) -> None:
    long, later = Player(moved(refused, 0.0, end=1000.0)), Player(moved(refused, 500.0))
    together = MultiPlayer([long, later])
    assert together.next_to_connect() is long
    assert together.next_to_connect() is None
    long.start(0.0)
    for step in long.flow.steps:
        together.advance(0.0)
        long.data_to_send()
        if step.direction is Direction.RESPONDER:
            long.receive_data(step.segment.data, 0.0)
    assert together.advance(0.0) == []
    assert long.comes_next == 1000.0
    assert together.next_to_connect() is later
    later.start(0.0)
    later.receive_eof()
    assert together.advance(0.0) == [long, later]


def test_not_too_many_are_open_at_a_time(refused: RecordedFlow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multi_player, "MAX_TOGETHER", 2)
    together = MultiPlayer([Player(moved(refused, 0.0)) for _ in range(3)])
    first, second = together.next_to_connect(), together.next_to_connect()
    assert first is not None
    assert second is not None
    assert together.next_to_connect() is None
    for player in (first, second):
        player.start(0.0)
    first.receive_eof()
    together.advance(0.0)
    assert together.next_to_connect() is not None
