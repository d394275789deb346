"""The real thing beside ours: a captured session of IBM's client with IBM's queue managers, played to our server.

Our server is told what the client said, with our handles, ids and tags in place of theirs, and must answer as the real
one did: the same segments in the same order, and every field of each of them the same, headers and filling included,
but for what the table allows.
"""

from __future__ import annotations

from functools import cache

import pytest

from mqbridge.captures.differential.known_masks import REAL_SERVER
from mqbridge.protocol.constants import MQRC
from support.transcripts.agent_transcripts import Replay
from support.transcripts.real_session import RealConnection, connections, play

CONNECTIONS = connections()


@cache
def replayed(connection: RealConnection) -> Replay:
    with pytest.MonkeyPatch.context() as patch:
        return play(connection, patch)


def differences(connection: RealConnection) -> list[tuple[str, set[int]]]:
    """Each difference in words, with the places of the entries that allow it."""
    replay = replayed(connection)
    return [
        (str(one), {place for place, entry in enumerate(REAL_SERVER) if entry.covers(one)})
        for one in [*replay.order(), *replay.differences]
    ]


@pytest.mark.spec("mq-wire.md 5.4", "mq-wire.md 5.5", "mq-wire.md 5.6", "mq-wire.md 5.8", "mq-wire.md 5.12")
@pytest.mark.parametrize("connection", CONNECTIONS, ids=lambda one: f"{one.number}-{one.queue_manager}")
def test_we_answer_as_the_real_one(connection: RealConnection) -> None:
    assert [text for text, allowed in differences(connection) if not allowed] == []
    reasons = {answer.body[8:12] for answer in replayed(connection).lines[connection.number].got if answer.type == 0x91}
    assert reasons == {(int(MQRC.NOT_AUTHORIZED) if connection.refused else 0).to_bytes(4, "little")}


def test_every_allowed_difference_is_there() -> None:
    used = {place for connection in CONNECTIONS for _, allowed in differences(connection) for place in allowed}
    assert [REAL_SERVER[place] for place in range(len(REAL_SERVER)) if place not in used] == []


def test_everything_is_compared() -> None:
    counts = [replayed(connection).compared for connection in CONNECTIONS]
    server = [one for connection in CONNECTIONS for one in connection.segments if one.side == "server"]
    assert sum(count["TSHM.SegLength"] + count["TSH.SegLength"] for count in counts) == len(server)
    assert sum(count["API.Reason"] for count in counts) > 150
    assert sum(sum(count.values()) for count in counts) > 7900
