"""Puts of the bridge at a queue manager elsewhere, ahead of their answers (client-observed.md O-063, O-067)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.everyplace.mq.program import DONE, MqFailure
from mqbridge.bridge.agents.everyplace.mq.puts_ahead import MOST_OPEN
from mqbridge.protocol.constants import MQRC, SegmentType
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures.sts import make_sts
from support.everyplace_client import BridgeClient, saturn_with_client

pytestmark = pytest.mark.spec("E-406", "O-063", "O-067")
MANY = tuple(b"%d" % number for number in range(50))


def new_segments(client: BridgeClient) -> list[SegmentType]:
    said = list(client.said)
    client.said.clear()
    return said


@pytest.mark.parametrize("conversations", [0, 10])
def test_a_unit_of_fifty_takes_a_round_trip_and_its_commit_another(conversations: int) -> None:
    saturn, client = saturn_with_client(conversations=conversations)
    assert client.puts(b"first", b"second") == DONE
    assert client.commits() == DONE
    new_segments(client), client.heard.clear()
    assert client.puts(*MANY) == DONE
    assert len(saturn.contents("TARGET")) == 2
    assert client.commits() == DONE
    assert new_segments(client) == [SegmentType.MQPUT] * 50 + [SegmentType.MQSTAT, SegmentType.MQCMIT]
    assert client.heard == [SegmentType.MQSTAT_REPLY, SegmentType.MQCMIT_REPLY]
    assert saturn.contents("TARGET") == [b"first", b"second", *MANY]


def test_a_put_that_fails_is_found_with_its_reason_and_the_unit_is_backed_out() -> None:
    saturn, client = saturn_with_client("DEFINE QLOCAL(SMALL) MAXDEPTH(2)")
    assert client.puts(b"good", b"too") == DONE
    assert client.puts(b"1", b"2", b"3", queue="SMALL") == MqFailure(int(MQRC.Q_FULL))
    assert client.commits() == MqFailure(int(MQRC.BACKED_OUT))
    assert (saturn.depth("TARGET"), saturn.depth("SMALL")) == (0, 0)
    assert client.puts(b"1", b"2", queue="SMALL") == DONE, "what was counted before does not count again"
    assert client.commits() == DONE
    assert saturn.contents("SMALL") == [b"1", b"2"]


def test_a_queue_that_was_altered_or_deleted_is_opened_anew() -> None:
    saturn, client = saturn_with_client()
    assert client.puts(b"1", b"2") == DONE
    saturn.types("ALTER QLOCAL(TARGET) PUT(DISABLED)")
    assert client.puts(b"3", b"4") == MqFailure(int(MQRC.PUT_INHIBITED))
    assert client.backs_out() == DONE
    saturn.types("DELETE QLOCAL(TARGET)")
    assert client.puts(b"5", b"6") == MqFailure(int(MQRC.UNKNOWN_OBJECT_NAME))
    saturn.types("DEFINE QLOCAL(TARGET)")
    assert client.puts(b"7", b"8") == DONE
    assert client.commits() == DONE
    assert saturn.contents("TARGET") == [b"7", b"8"]


def test_a_message_that_the_channel_does_not_take_is_not_sent_and_the_others_are_not_forgotten() -> None:
    saturn, client = saturn_with_client("ALTER CHANNEL(GATE.SVRCONN) CHLTYPE(SVRCONN) MAXMSGL(1000)")
    found = client.puts(b"good", bytes(1001), b"behind")
    assert isinstance(found, MqFailure)
    assert found.reason == MQRC.DATA_LENGTH_ERROR
    assert client.backs_out() == DONE
    assert client.puts(b"good", b"better") == DONE
    assert client.commits() == DONE
    assert saturn.contents("TARGET") == [b"good", b"better"]


def test_messages_go_on_in_parts_where_one_is_longer_than_a_segment() -> None:
    saturn, client = saturn_with_client()
    long = [bytes([65 + number]) * 100_000 for number in range(3)]
    assert client.puts(*long) == DONE
    assert client.commits() == DONE
    assert saturn.contents("TARGET") == long


def test_only_so_many_queues_stay_open() -> None:
    names = [f"Q{number}" for number in range(MOST_OPEN + 2)]
    saturn, client = saturn_with_client("\n".join(f"DEFINE QLOCAL({name})" for name in names))
    for name in names:
        assert client.puts(b"1", b"2", queue=name) == DONE
    assert client.commits() == DONE
    said = new_segments(client)
    assert (said.count(SegmentType.MQOPEN), said.count(SegmentType.MQCLOSE)) == (MOST_OPEN + 2, 2)
    assert client.puts(b"3", b"4", queue=names[-1]) == DONE
    assert client.puts(b"3", b"4", queue=names[0]) == DONE
    assert client.commits() == DONE
    said = new_segments(client)
    assert (said.count(SegmentType.MQOPEN), said.count(SegmentType.MQCLOSE)) == (1, 1)
    assert [saturn.depth(name) for name in names] == [4] + [2] * MOST_OPEN + [4]


def test_a_connection_that_breaks_fails_them_all() -> None:
    saturn, client = saturn_with_client()
    assert client.puts(b"1", b"2") == DONE
    client.stage.cut_when(SegmentType.MQSTAT, after=False)
    found = client.puts(b"3", b"4")
    assert isinstance(found, MqFailure)
    assert found.reason == MQRC.CONNECTION_BROKEN
    assert client.program.broken
    client.stage.wait(5)
    assert saturn.depth("TARGET") == 0


def test_a_queue_manager_that_ends_is_an_outage() -> None:
    saturn, client = saturn_with_client()
    assert client.puts(b"1", b"2") == DONE
    assert client.commits() == DONE
    client.stage.wait(1)
    saturn.call(saturn.manager.quiesce)
    client.stage.wait(1)
    found = client.puts(b"3", b"4")
    assert isinstance(found, MqFailure)
    assert found.reason in (MQRC.Q_MGR_QUIESCING, MQRC.CONNECTION_QUIESCING)


def test_a_level_without_them_waits_for_each_answer() -> None:
    _, client = saturn_with_client(fap_level=8)
    assert client.program.ahead is None


@pytest.mark.parametrize("lost", [1, 2])
def test_a_queue_manager_that_does_not_count_them_is_not_trusted_again(lost: int) -> None:
    """As a server that echoes MQSTAT with all counts 0, or counts fewer than there were."""
    _, client = saturn_with_client()

    def forgetful(segment: Segment, data: bytes) -> bytes:
        if segment.type != SegmentType.MQSTAT_REPLY:
            return data
        status = make_sts(segment.order, 1, put_success_count=2 - lost).build()
        at = data.index(b"STAT")
        return data[:at] + status + data[at + len(status) :]

    client.alter = forgetful
    found = client.puts(b"1", b"2")
    assert isinstance(found, MqFailure)
    assert found.reason == MQRC.UNEXPECTED_ERROR
    assert client.program.ahead is None
    assert client.backs_out() == DONE
