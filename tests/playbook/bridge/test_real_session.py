"""The real thing beside ours: a captured session of IBM's client with IBM's queue managers, played to our server.

Our server is told what the client said, with our handles, ids and tags in place of theirs, and must answer as the real
one did: the same segments in the same order, and every field of each of them the same, headers and filling included,
but for what the table allows.
"""

from __future__ import annotations

from functools import cache

import pytest
from agent_transcripts import Replay
from real_session import RealConnection, connections, play
from transcript_differences import Allowed, pair

from protocol import inferred
from protocol.constants import MQRC

CONNECTIONS = connections()

ALLOWED = (
    Allowed("*", "ID.ProcessId ID.ThreadId ID.TraceId", "which process and thread serves is nobody's business"),
    Allowed("*", "SOCKET.Parm?", "the same of a conversation", "SOCKET_ACTION"),
    Allowed("*", "ID.ProductId", "another product", when=pair(b"MQMM09040300", inferred.PRODUCT_ID.encode())),
    Allowed("*", "INQ.31", "another product's command level", when=pair(943, 920)),
    Allowed("*", "INQ.273", "message protection is another product (client-observed.md O-016)", when=pair(1, 0)),
    Allowed(
        "*",
        "ID.QMgrIdentifier INQ.2032",
        "made when the queue manager was",
        when=lambda real, ours: real[:4] == ours[:4],
    ),
    Allowed("*", "ID.R", "a nonce for passwords that are protected; no server of ours can undo that"),
    Allowed("*", "MD.PutDate MD.PutTime", "when it was put", "MQPUT_REPLY"),
    Allowed("*", "LPOO.QProtect", "message protection is another product", when=lambda _, ours: not ours.strip(b"\0 ")),
    Allowed(
        "*",
        "LPOO.ExtraOffset LPOO.ExtraLength SPOO.Length API.ReplyLength TSHM.SegLength extra.bytes",
        "clients do not need the PCF that a real one sends behind an SPI OPEN (client-observed.md O-053)",
        "SPI_REPLY",
        when=lambda _, ours: ours in (0, None, 300, 368, 376),
    ),
    Allowed(
        "*",
        "SPIVerb.*",
        "we offer the verbs that clients were seen to use, and the versions whose layout is known",
        "SPI_REPLY",
        when=lambda real, ours: ours <= real,
    ),
)


@cache
def replayed(connection: RealConnection) -> Replay:
    with pytest.MonkeyPatch.context() as patch:
        return play(connection, patch)


def differences(connection: RealConnection) -> list[tuple[str, set[int]]]:
    """Each difference in words, with the places of the entries that allow it."""
    replay = replayed(connection)
    return [
        (str(one), {place for place, entry in enumerate(ALLOWED) if entry.covers("", one)})
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
    assert [ALLOWED[place] for place in range(len(ALLOWED)) if place not in used] == []


def test_everything_is_compared() -> None:
    counts = [replayed(connection).compared for connection in CONNECTIONS]
    server = [one for connection in CONNECTIONS for one in connection.segments if one.side == "server"]
    assert sum(count["TSHM.SegLength"] + count["TSH.SegLength"] for count in counts) == len(server)
    assert sum(count["API.Reason"] for count in counts) > 150
    assert sum(sum(count.values()) for count in counts) > 7900
