"""Messages that cannot be delivered, at a queue manager elsewhere: MQDLH, and the exception report asked for."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.mq.client_program import APPLICATION
from mqbridge.bridge.agents.everyplace.mq.program import DONE, MqDone, MqFailure
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFMT, MQMT, MQRC, MQRO
from support.everyplace_client import BridgeClient, saturn_with_client
from support.gateway.stage import Station

pytestmark = pytest.mark.spec("E-421", "E-423", "channels.md 7.2", "channels.md 9")
DISCARD = int(MQRO.DISCARD_MSG)
SCRIPT = """
    DEFINE QLOCAL(DLQ)
    DEFINE QLOCAL(REPLIES)
    DEFINE QLOCAL(SMALL) MAXDEPTH(1)
"""


def disposes(client: BridgeClient, report: int, reply_to: str = "REPLIES", queue: str = "DLQ", **fields: Any) -> Any:
    message = Message.build(
        bytes(range(200)), report=report, reply_to_q=reply_to, format="MQSTR", msg_id=b"m" * 24, **fields
    )
    return client.ends(
        lambda then: client.program.dispose(message, int(MQRC.UNKNOWN_OBJECT_NAME), ("NOQ", ""), queue, then)
    )


Both = tuple[Station, BridgeClient]


@pytest.fixture
def both() -> Both:
    return saturn_with_client(SCRIPT)


@pytest.mark.parametrize(
    ("asked", "length"),
    [(MQRO.EXCEPTION, 0), (MQRO.EXCEPTION_WITH_DATA, 100), (MQRO.EXCEPTION_WITH_FULL_DATA, 200)],
)
def test_a_dead_letter_and_its_report_are_one_unit_of_work(both: Both, asked: MQRO, length: int) -> None:
    saturn, client = both
    assert disposes(client, int(asked)) == DONE
    assert client.commits() == DONE
    dead, report = saturn.got("DLQ"), saturn.got("REPLIES")
    assert dead.md.format == MQFMT.DEAD_LETTER_HEADER.strip()
    assert dead.data[12:60].rstrip() == b"NOQ"
    assert dead.data[60:108].rstrip() == b"SATURN"
    md = report.md
    assert (md.msg_type, md.feedback) == (MQMT.REPORT, MQRC.UNKNOWN_OBJECT_NAME)
    assert report.data == bytes(range(length))
    assert md.correl_id == b"m" * 24
    assert md.msg_id not in (bytes(24), b"m" * 24)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("", "SATURN")


def test_ids_pass_where_the_message_asks_for_it(both: Both) -> None:
    saturn, client = both
    asked = MQRO.EXCEPTION | MQRO.PASS_MSG_ID | MQRO.PASS_CORREL_ID
    assert disposes(client, int(asked), correl_id=b"c" * 24) == DONE
    assert client.commits() == DONE
    report = saturn.got("REPLIES")
    assert (report.md.msg_id, report.md.correl_id) == (b"m" * 24, b"c" * 24)


@pytest.mark.parametrize("report", [MQRO.NONE, MQRO.COA, MQRO.EXPIRATION])
def test_there_is_no_report_that_nobody_has_asked_for(both: Both, report: MQRO) -> None:
    saturn, client = both
    assert disposes(client, int(report)) == DONE
    assert client.commits() == DONE
    assert (saturn.depth("DLQ"), saturn.depth("REPLIES")) == (1, 0)


def test_what_is_discarded_may_come_back_as_a_report(both: Both) -> None:
    saturn, client = both
    assert disposes(client, DISCARD) == DONE
    assert disposes(client, DISCARD | int(MQRO.EXCEPTION_WITH_FULL_DATA)) == DONE
    assert client.commits() == DONE
    assert saturn.depth("DLQ") == 0
    assert saturn.got("REPLIES").data == bytes(range(200))
    assert saturn.depth("REPLIES") == 0


def test_a_report_that_cannot_be_put_goes_to_the_dead_letter_queue(both: Both) -> None:
    saturn, client = both
    assert disposes(client, int(MQRO.EXCEPTION), "NO.REPLIES") == DONE
    assert client.commits() == DONE
    dead, report = saturn.got("DLQ"), saturn.got("DLQ")
    assert dead.data[12:60].rstrip() == b"NOQ"
    assert report.data[12:60].rstrip() == b"NO.REPLIES"
    assert report.md.msg_type == MQMT.REPORT
    assert APPLICATION.encode() in report.data


def test_a_report_that_nobody_takes_is_told_and_the_dead_letter_stays(both: Both) -> None:
    saturn, client = both
    outcome = disposes(client, int(MQRO.EXCEPTION), "NO.REPLIES", "SMALL")
    assert isinstance(outcome, MqDone)
    assert "report for NO.REPLIES" in outcome.but
    assert client.commits() == DONE
    assert saturn.got("SMALL").data[12:60].rstrip() == b"NOQ"


def test_what_would_be_discarded_stays_if_nobody_takes_its_report(both: Both) -> None:
    saturn, client = both
    saturn.put("SMALL")
    outcome = disposes(client, DISCARD | int(MQRO.EXCEPTION), "NO.REPLIES", "SMALL")
    assert isinstance(outcome, MqFailure)
    assert outcome.reason == MQRC.Q_FULL


def test_without_dead_letter_queue_there_is_no_report_either(both: Both) -> None:
    saturn, client = both
    outcome = disposes(client, int(MQRO.EXCEPTION), queue="NO.DLQ")
    assert isinstance(outcome, MqFailure)
    assert outcome.reason == MQRC.UNKNOWN_OBJECT_NAME
    assert client.commits() == DONE
    assert saturn.depth("REPLIES") == 0


def test_a_connection_that_breaks_in_between_leaves_nothing(both: Both) -> None:
    saturn, client = both
    puts = 0

    def cut_second(*_: Any) -> bool:
        nonlocal puts
        puts += 1
        return puts == 3  # the reply to the first put, the second one

    client.stage.network.scissors = cut_second
    outcome = disposes(client, int(MQRO.EXCEPTION))
    assert isinstance(outcome, MqFailure)
    client.stage.wait(5)
    assert (saturn.depth("DLQ"), saturn.depth("REPLIES")) == (0, 0)


@pytest.mark.parametrize(
    ("asked", "kind"), [(MQRO.EXCEPTION, MQMT.DATAGRAM), (MQRO.COA, MQMT.DATAGRAM), (MQRO.NONE, MQMT.REQUEST)]
)
def test_what_asks_for_an_answer_without_a_place_for_it_is_a_dead_letter(both: Both, asked: MQRO, kind: MQMT) -> None:
    """MQ takes no such message (2027), not even with an MQDLH; nobody can be told."""
    saturn, client = both
    message = Message.build(b"1", report=int(asked), msg_type=int(kind))
    assert client.ends(lambda then: client.program.put("DLQ", "", message, then)) == MqFailure(
        int(MQRC.MISSING_REPLY_TO_Q)
    )
    assert disposes(client, int(asked), "", msg_type=int(kind)) == DONE
    assert client.commits() == DONE
    dead = saturn.got("DLQ")
    assert dead.data[12:60].rstrip() == b"NOQ"
    assert (dead.md.report, dead.md.msg_type) == (MQRO.NONE, MQMT.DATAGRAM)
