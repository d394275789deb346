"""Rows of channels.md 9.2 and 9.3: who produces no report, and every field of the descriptor of one."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQAT, MQFB, MQMT, MQRO
from support.queue_manager.host import NOW, Host

DATA = bytes(range(200))


@pytest.fixture
def queues(host: Host) -> Host:
    host.local("Q")
    host.local("REPLIES")
    return host


ORIGINAL: dict[str, Any] = {
    "format": "MQSTR", "encoding": 273, "coded_char_set_id": 850, "priority": 7, "persistence": 1, "expiry": 5000,
    "msg_id": b"m" * 24, "correl_id": b"c" * 24, "reply_to_q": "REPLIES", "report": MQRO.COA_WITH_DATA,
}  # fmt: skip
SECOND: dict[str, Any] = {"group_id": b"g" * 24, "msg_seq_number": 3, "offset": 40, "msg_flags": 0x0A}


def reported(host: Host, **fields: Any) -> tuple[Message, Message]:
    """A message as it was stored and its confirmation of arrival."""
    message = host.put("Q", DATA, **{**ORIGINAL, **fields})
    return message, host.got("REPLIES")


@pytest.mark.spec("channels.md 9.2")
@pytest.mark.parametrize("report", [MQRO.PAN, MQRO.NAN, MQRO.PAN | MQRO.NAN, MQRO.ACTIVITY])
def test_what_only_applications_tell_is_not_told_by_the_queue_manager(queues: Host, report: int) -> None:
    queues.put("Q", report=report, reply_to_q="REPLIES")
    queues.got("Q")
    assert queues.depth("REPLIES") == 0


@pytest.mark.spec("channels.md 9.2")
@pytest.mark.parametrize(
    ("format_name", "kinds"), [("MQXMIT", {MQFB.COD}), ("MQDEAD", set()), ("MQSTR", {MQFB.COA, MQFB.COD})]
)
def test_formats_of_which_arrival_or_delivery_is_not_told(queues: Host, format_name: str, kinds: set[int]) -> None:
    queues.put("Q", DATA, format=format_name, report=MQRO.COA | MQRO.COD, reply_to_q="REPLIES")
    queues.got("Q")
    found = set()
    while (got := queues.get("REPLIES")) is not None:
        found.add(got.message.md.feedback)
    assert found == kinds


@pytest.mark.spec("channels.md 9.2")
def test_an_exception_is_not_reported_to_who_is_told_by_the_put(queues: Host) -> None:
    queues.alter(Kind.QLOCAL, "Q", MAXDEPTH=0)
    with pytest.raises(MQError):
        queues.put("Q", report=MQRO.EXCEPTION, reply_to_q="REPLIES")
    assert queues.depth("REPLIES") == 0


@pytest.mark.spec("channels.md 9.3")
@pytest.mark.parametrize(("fields", "version"), [({}, 1), (SECOND, 2)])
def test_the_version_is_the_originals(queues: Host, fields: dict[str, Any], version: int) -> None:
    message, report = reported(queues, **fields)
    assert message.md.version == report.md.version == version


@pytest.mark.spec("channels.md 9.3")
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (MQRO.NONE, MQRO.NONE),
        (MQRO.DISCARD_MSG, MQRO.NONE),
        (MQRO.PASS_DISCARD_AND_EXPIRY, MQRO.NONE),
        (MQRO.PASS_DISCARD_AND_EXPIRY | MQRO.DISCARD_MSG, MQRO.DISCARD_MSG),
    ],
)
def test_report_options_of_a_report(queues: Host, more: int, expected: int) -> None:
    _, report = reported(queues, report=MQRO.COA | more)
    assert report.md.report == expected


@pytest.mark.spec("channels.md 9.3")
@pytest.mark.parametrize(("more", "expected"), [(MQRO.NONE, -1), (MQRO.PASS_DISCARD_AND_EXPIRY, 5000)])
def test_the_expiry_is_passed_on_where_it_was_asked_for(queues: Host, more: int, expected: int) -> None:
    _, report = reported(queues, report=MQRO.COA | more)
    assert report.md.expiry == expected


@pytest.mark.spec("channels.md 9.3")
def test_what_is_left_of_the_expiry_is_passed_on(queues: Host) -> None:
    queues.put("Q", **{**ORIGINAL, "report": MQRO.COD | MQRO.PASS_DISCARD_AND_EXPIRY})
    queues.now += 100
    queues.got("Q")
    assert queues.got("REPLIES").md.expiry == 4000


@pytest.mark.spec("channels.md 9.3")
def test_encoding_code_page_and_format_describe_the_data_of_the_original(queues: Host) -> None:
    _, report = reported(queues)
    md = report.md
    assert (md.encoding, md.coded_char_set_id, md.format) == (273, 850, "MQSTR")
    _, report = reported(queues, report=MQRO.COA)
    md = report.md
    assert (md.encoding, md.coded_char_set_id, md.format, report.data) == (546, 1208, "", b"")


@pytest.mark.spec("channels.md 9.3")
def test_priority_and_persistence_are_the_originals(queues: Host) -> None:
    for priority, persistence in ((7, 1), (2, 0)):
        _, report = reported(queues, priority=priority, persistence=persistence)
        assert (report.md.priority, report.md.persistence) == (priority, persistence)


@pytest.mark.spec("channels.md 9.3")
def test_fields_that_every_report_has(queues: Host) -> None:
    md = reported(queues)[1].md
    assert (md.msg_type, md.feedback, md.backout_count) == (MQMT.REPORT, MQFB.COA, 0)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("", "EARTH")
    assert (md.put_appl_type, md.put_appl_name, md.appl_origin_data) == (MQAT.QMGR, "EARTH", "")
    assert queues.now == NOW
    assert (md.put_date, md.put_time) == ("20270115", "08000000")


@pytest.mark.spec("channels.md 9.3")
def test_group_and_segment_are_the_originals(queues: Host) -> None:
    message, report = reported(queues, **SECOND)
    for key in SECOND:
        assert getattr(report.md, key) == getattr(message.md, key), key
    assert (message.md.original_length, report.md.original_length) == (-1, len(DATA))


@pytest.mark.spec("channels.md 9.3")
@pytest.mark.parametrize(("length", "expected"), [(0, 0), (99, 99), (100, 100), (101, 100)])
def test_some_data_are_a_hundred_bytes_at_most(queues: Host, length: int, expected: int) -> None:
    queues.put("Q", DATA[:length], **ORIGINAL)
    assert queues.got("REPLIES").data == DATA[:expected]
