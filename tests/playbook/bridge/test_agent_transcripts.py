"""Real clients with our whole server: each segment that IBM's clients sent gets the answer that it should.

The 137 recorded conversations are played to the agents of a queue manager in this process, on simulated time, with our
values where the recorded server had given its own (``agent_transcripts``). What it said wrong, on purpose or not, is
in ``transcripts.differences``, with the reason.
"""

from __future__ import annotations

from functools import cache

import pytest

from support.transcripts.agent_transcripts import Replay
from support.transcripts.client_transcripts import transcript, transcript_names
from support.transcripts.differences import ALLOWED, EVERYDAY, LOGGED, passed
from support.transcripts.scenes import play
from support.transcripts.sections import sections_of_transcripts

pytestmark = pytest.mark.faulty_traffic

NAMES = transcript_names()
SHOWN = sections_of_transcripts()


@cache
def replayed(name: str) -> Replay:
    with pytest.MonkeyPatch.context() as patch:
        return play(name, patch)


def differences(name: str) -> list[tuple[str, set[int]]]:
    """Each difference in words, with the places of the entries that allow it."""
    replay = replayed(name)
    return [
        (str(one), {place for place, entry in enumerate(ALLOWED) if entry.covers(name, one)})
        for one in [*replay.order(passed(name)), *replay.differences]
    ]


@pytest.mark.spec("mq-wire.md 5.4", "mq-wire.md 8.1", "mq-wire.md 8.2", "mq-wire.md 8.3", "client-observed.md O-080")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.spec(each) for each in SHOWN.get(name, ())]) for name in NAMES]
)
def test_a_real_client_is_answered_as_it_should_be(name: str) -> None:
    assert [text for text, allowed in differences(name) if not allowed] == []
    replay = replayed(name)
    assert replay.lines.keys() == {segment.socket for segment in transcript(name).segments if segment.side == "client"}
    told = {line.split(" ", 2)[1] for line in replay.scene.station.lines if " AMQ" in line}
    assert told - EVERYDAY == set(LOGGED.get(name, "").split())


def test_what_is_cited_is_recorded() -> None:
    assert set(SHOWN) <= set(NAMES)


def test_every_allowed_difference_is_there() -> None:
    used = {place for name in NAMES for _, allowed in differences(name) for place in allowed}
    assert [ALLOWED[place] for place in range(len(ALLOWED)) if place not in used] == []
    assert LOGGED.keys() <= set(NAMES)


def test_much_is_compared() -> None:
    counts = [replayed(name).compared for name in NAMES]
    assert len(counts) == 137
    assert sum(count["API.Reason"] for count in counts) > 3000
    assert sum(count["ASYNC.MessageIndex"] for count in counts) > 200
    assert sum(count["data.bytes"] for count in counts) > 250
