"""The report matrix of channels.md 9: producers, data forms, ids, descriptors."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Application, Disposal, MQError, PutOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.store.interface import StoreDamaged
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQAT, MQFB, MQGMO, MQMT, MQRC, MQRO, ByteOrder
from support.queue_manager.direct_calls import dispose_undelivered
from support.queue_manager.host import Host

DATA = bytes(range(250))
CHANNEL = PutOptions(0x800, Application(appl_type=MQAT.QMGR, appl_name="a channel"), direct=True)


@pytest.fixture
def queues(host: Host) -> Host:
    host.local("Q")
    host.local("REPLIES")
    host.local("DLQ")
    host.alter_manager(DEADQ="DLQ")
    return host


def produce(host: Host, kind: str, report: int, **fields: Any) -> tuple[Message, Message | None]:
    """A message that asks for a report, and the report if there is one."""
    fields = {"reply_to_q": "REPLIES", "msg_id": b"mine", "correl_id": b"theirs", "format": "MQSTR", **fields}
    if kind == "EXPIRATION":
        message = host.put("Q", DATA, report=report, **{"expiry": 10, **fields})
        host.now += 60
        assert host.get("Q") is None
    elif kind == "EXCEPTION":
        message = Message.build(DATA, report=report, **fields)
        unit = host.begin()
        dispose_undelivered(
            host.queue_manager,
            message,
            "Q",
            "EARTH",
            MQRC.Q_FULL,
            CHANNEL,
            unit,
            host.now,
            use_dead_letter_queue=True,
            fast=False,
        )
        host.commit(unit)
    else:
        message = host.put("Q", DATA, report=report, **fields)
        if kind == "COD":
            assert host.get("REPLIES") is None
            host.got("Q")
    found = host.get("REPLIES")
    assert host.get("REPLIES") is None
    return message, found and found.message


FEEDBACK = {"COA": MQFB.COA, "COD": MQFB.COD, "EXPIRATION": MQFB.EXPIRATION, "EXCEPTION": MQRC.Q_FULL}
BITS = {"COA": MQRO.COA, "COD": MQRO.COD, "EXPIRATION": MQRO.EXPIRATION, "EXCEPTION": MQRO.EXCEPTION}
KINDS = pytest.mark.parametrize("kind", list(BITS))


@pytest.mark.spec("channels.md 9.2")
@pytest.mark.spec("channels.md 20.13")
@KINDS
@pytest.mark.parametrize(("form", "length"), [(1, 0), (3, 100), (7, 250)])
def test_each_kind_with_each_form_of_data(queues: Host, kind: str, form: int, length: int) -> None:
    message, report = produce(queues, kind, BITS[kind] * form)
    assert report is not None
    assert report.data == DATA[:length]
    assert report.md.feedback == FEEDBACK[kind]
    assert report.md.format == ("MQSTR" if length else "")
    assert message.md.report == BITS[kind] * form


@pytest.mark.spec("channels.md 9.3")
@KINDS
@pytest.mark.parametrize("pass_msg_id", [False, True])
@pytest.mark.parametrize("pass_correl_id", [False, True])
def test_ids(queues: Host, kind: str, pass_msg_id: bool, pass_correl_id: bool) -> None:
    options = BITS[kind] | (MQRO.PASS_MSG_ID * pass_msg_id) | (MQRO.PASS_CORREL_ID * pass_correl_id)
    message, report = produce(queues, kind, options)
    assert report is not None
    assert (report.md.msg_id == message.md.msg_id) is pass_msg_id
    assert report.md.correl_id == (message.md.correl_id if pass_correl_id else message.md.msg_id)
    assert pass_msg_id or report.md.msg_id.startswith(b"AMQ EARTH")


@pytest.mark.spec("channels.md 9.3")
@KINDS
@pytest.mark.parametrize("persistence", [0, 1])
def test_the_descriptor_of_a_report(queues: Host, kind: str, persistence: int) -> None:
    identity = {"user_identifier": "carlos", "accounting_token": b"\1" * 32, "appl_identity_data": "identity"}
    message = Message.build(b"", **identity)
    fields = {key: getattr(message.md, key) for key in identity}
    queues.alter(Kind.QLOCAL, "Q", DEFPSIST="YES" if persistence else "NO")
    _, report = produce(queues, kind, BITS[kind] * 3, priority=5, persistence=persistence)
    assert report is not None
    md = report.md
    assert (md.msg_type, md.report, md.expiry, md.backout_count) == (MQMT.REPORT, MQRO.NONE, -1, 0)
    assert (md.priority, md.persistence) == (5, persistence)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("", "EARTH")
    assert md.put_appl_type == MQAT.QMGR
    assert md.put_appl_name == ("a channel" if kind == "EXCEPTION" else "EARTH")
    assert len(md.put_date + md.put_time) == 16
    assert md.appl_origin_data == ""
    if kind != "EXCEPTION":
        original, again = produce(queues, kind, BITS[kind], options=PutOptions(0x800), **fields)
        assert again is not None
        for key in identity:
            assert getattr(again.md, key) == getattr(original.md, key)


@pytest.mark.spec("channels.md 9.3")
@KINDS
def test_passing_discard_and_expiry(queues: Host, kind: str) -> None:
    options = BITS[kind] * 7 | MQRO.PASS_DISCARD_AND_EXPIRY | MQRO.DISCARD_MSG
    _, report = produce(queues, kind, options, expiry=500)
    assert report is not None
    assert report.md.report == MQRO.DISCARD_MSG
    assert report.md.expiry == (-1 if kind == "EXPIRATION" else 500)


@pytest.mark.spec("channels.md 9.3")
def test_a_report_on_a_version_2_message_tells_its_length(queues: Host) -> None:
    _, report = produce(queues, "COA", MQRO.COA, msg_flags=8, group_id=b"g")
    assert report is not None
    assert (report.md.version, report.md.original_length, report.md.group_id[:1]) == (2, 250, b"g")


@pytest.mark.spec("channels.md 9.2")
@pytest.mark.parametrize("persistence", [0, 1])
def test_arrival_and_delivery_are_confirmed_when_the_unit_commits(queues: Host, persistence: int) -> None:
    unit = queues.begin()
    fields: dict[str, Any] = {"report": MQRO.COA | MQRO.COD, "reply_to_q": "REPLIES", "persistence": persistence}
    queues.put("Q", unit=unit, **fields)
    assert unit.count == 2
    assert queues.get("REPLIES") is None
    queues.commit(unit)
    assert queues.got("REPLIES").md.feedback == MQFB.COA
    unit = queues.begin()
    queues.got("Q", unit)
    queues.backout(unit)
    assert queues.get("REPLIES") is None
    unit = queues.begin()
    queues.got("Q", unit)
    queues.commit(unit)
    assert queues.got("REPLIES").md.feedback == MQFB.COD


@pytest.mark.spec("channels.md 9.2")
def test_browsing_clearing_and_cutting_produce_no_wrong_delivery_report(queues: Host) -> None:
    fields: dict[str, Any] = {"report": MQRO.COD_WITH_FULL_DATA, "reply_to_q": "REPLIES"}
    queues.put("Q", DATA, **fields)
    assert queues.contents("Q") == [DATA]
    queues.queue_manager.clear_queue("Q", queues.now)
    queues.pump()
    assert queues.get("REPLIES") is None
    queues.put("Q", DATA, **fields)
    queues.get("Q", max_length=5)
    assert queues.get("REPLIES") is None
    queues.get("Q", max_length=5, options=0x40)
    assert queues.got("REPLIES").data == DATA


@pytest.mark.spec("channels.md 9.2")
@pytest.mark.parametrize("in_unit", [True, False])
def test_a_message_is_taken_though_its_delivery_cannot_be_confirmed(
    queues: Host, monkeypatch: pytest.MonkeyPatch, in_unit: bool
) -> None:
    """A message that was cut is read once more for its report."""
    queues.put("Q", DATA, report=MQRO.COD, reply_to_q="REPLIES", persistence=1)
    read, reads = queues.store.read, 0

    def read_once(*place: int) -> bytes:
        nonlocal reads
        reads += 1
        if reads > 1:
            raise StoreDamaged("a bad block", "read")
        return read(*place)

    monkeypatch.setattr(queues.store, "read", read_once)
    unit = queues.begin() if in_unit else None
    got = queues.got("Q", unit, max_length=5, options=int(MQGMO.ACCEPT_TRUNCATED_MSG))
    if unit is not None:
        queues.commit(unit)
    assert (got.data, queues.depth("Q"), queues.get("REPLIES")) == (DATA[:5], 0, None)
    assert queues.logged() == ["AMQ7472", "AMQ7310"]


@pytest.mark.spec("channels.md 9.2")
def test_dead_letters_confirm_nothing_and_transmission_queues_neither(queues: Host) -> None:
    queues.transmission("SATURN")
    fields: dict[str, Any] = {"report": MQRO.COA | MQRO.COD, "reply_to_q": "REPLIES"}
    queues.put("Q", format="MQDEAD", **fields)
    queues.got("Q")
    queues.put("THERE", queue_manager="SATURN", **fields)
    queues.got("SATURN")
    assert queues.get("REPLIES") is None


@pytest.mark.spec("channels.md 9.2")
def test_a_report_that_cannot_be_put_goes_to_the_dead_letter_queue(queues: Host) -> None:
    queues.put("Q", report=MQRO.COA, reply_to_q="NOWHERE")
    dead = queues.got("DLQ")
    assert dead.md.msg_type == MQMT.REPORT
    assert dead.data[:4] == b"DLH "
    queues.alter_manager(DEADQ=" ")
    queues.put("Q", report=MQRO.COA, reply_to_q="NOWHERE")
    assert queues.depth("Q") == 2
    assert "AMQ7310" in queues.logged()


@pytest.mark.spec("channels.md 9.2")
def test_reports_travel_to_other_queue_managers(queues: Host) -> None:
    queues.transmission("SATURN")
    queues.put("Q", report=MQRO.COA, reply_to_q="THERE", reply_to_q_mgr="SATURN")
    assert queues.depth("SATURN") == 1


@pytest.mark.spec("channels.md 10")
def test_a_message_that_expires_on_a_transmission_queue_is_reported_on(queues: Host) -> None:
    queues.transmission("SATURN")
    report = MQRO.EXPIRATION_WITH_FULL_DATA
    queues.put("THERE", DATA, queue_manager="SATURN", report=report, reply_to_q="REPLIES", expiry=10, format="MQSTR")
    queues.now += 2
    assert queues.get("SATURN") is None
    found = queues.got("REPLIES")
    assert (found.data, found.md.feedback, found.md.format) == (DATA, MQFB.EXPIRATION, "MQSTR")


# What a channel does with what it cannot put


def dispose(host: Host, message: Message, *, use: bool = True, fast: bool = False) -> Disposal:
    unit = None if fast else host.begin()
    try:
        disposal = dispose_undelivered(
            host.queue_manager,
            message,
            "GONE",
            "EARTH",
            MQRC.UNKNOWN_OBJECT_NAME,
            CHANNEL,
            unit,
            host.now,
            use_dead_letter_queue=use,
            fast=fast,
        )
    except MQError:
        if unit is not None:
            host.backout(unit)
        host.pump()
        raise
    if unit is not None:
        host.commit(unit)
    host.pump()
    return disposal


@pytest.mark.spec("channels.md 7.2 step 2")
@pytest.mark.parametrize("fast", [False, True])
def test_returned_to_sender(queues: Host, fast: bool) -> None:
    options = MQRO.EXCEPTION_WITH_FULL_DATA | MQRO.DISCARD_MSG
    message = Message.build(DATA, report=options, reply_to_q="REPLIES", persistence=not fast)
    assert dispose(queues, message, fast=fast) is Disposal.RETURNED
    assert queues.depth("DLQ") == 0
    returned = queues.got("REPLIES")
    assert (returned.data, returned.md.feedback) == (DATA, MQRC.UNKNOWN_OBJECT_NAME)


@pytest.mark.spec("channels.md 7.2 step 3")
@pytest.mark.parametrize(("report", "reported"), [(0, 0), (MQRO.EXCEPTION, 1)])
def test_discarded(queues: Host, report: int, reported: int) -> None:
    message = Message.build(DATA, report=report | MQRO.DISCARD_MSG, reply_to_q="REPLIES", persistence=1)
    assert dispose(queues, message) is Disposal.DISCARDED
    assert (queues.depth("DLQ"), queues.depth("REPLIES")) == (0, reported)


@pytest.mark.spec("channels.md 7.2 step 4")
@pytest.mark.spec("channels.md 7.3")
@pytest.mark.spec("channels.md 20.12")
@pytest.mark.parametrize(("order", "ccsid"), [(ByteOrder.LITTLE, 1208), (ByteOrder.BIG, 500)])
def test_dead_lettered(queues: Host, order: Any, ccsid: int) -> None:
    from mqbridge.protocol.structures.dlh import DLH
    from mqbridge.protocol.text import decode_field

    fields: dict[str, Any] = {
        "format": "MQSTR", "encoding": 273, "coded_char_set_id": 37, "correl_id": b"c", "put_appl_name": "someone",
        "put_date": "20200101", "expiry": 300,
    }  # fmt: skip
    message = Message.build(
        DATA, order=order, ccsid=ccsid, report=MQRO.EXCEPTION, reply_to_q="REPLIES", priority=4, persistence=1, **fields
    )
    before = message.copy()
    assert dispose(queues, message) is Disposal.DEAD_LETTERED
    dead = queues.got("DLQ")
    header = DLH.codec(order).parse(dead.data)
    assert (header.reason, header.encoding, header.coded_char_set_id) == (MQRC.UNKNOWN_OBJECT_NAME, 273, 37)
    texts = {key: decode_field(getattr(header, key), ccsid) for key in ("dest_q_name", "dest_q_mgr_name", "format")}
    assert texts == {"dest_q_name": "GONE", "dest_q_mgr_name": "EARTH", "format": "MQSTR"}
    assert (header.put_appl_type, decode_field(header.put_appl_name, ccsid)) == (MQAT.QMGR, "a channel")
    assert decode_field(header.put_date, ccsid) == "20270115"
    assert dead.data[172:] == DATA
    assert (dead.md.format, dead.md.coded_char_set_id) == ("MQDEAD", ccsid)
    assert dead.md.encoding == (273 if order == ByteOrder.BIG else 546)
    kept = set(Message.build(b"").md.record.KEYS) - {"format", "encoding", "coded_char_set_id"}
    assert {key: getattr(dead.md.record, key) for key in kept} == {key: getattr(before.md.record, key) for key in kept}
    assert queues.got("REPLIES").md.feedback == MQRC.UNKNOWN_OBJECT_NAME


@pytest.mark.spec("channels.md 7.2 step 5")
@pytest.mark.spec("channels.md 8")
@pytest.mark.parametrize("why", ["no queue named", "queue gone", "queue full", "USEDLQ(NO)"])
def test_a_persistent_message_that_nobody_takes_ends_the_batch(queues: Host, why: str) -> None:
    if why == "no queue named":
        queues.alter_manager(DEADQ=" ")
    elif why == "queue gone":
        queues.alter_manager(DEADQ="GONE")
    elif why == "queue full":
        queues.alter(Kind.QLOCAL, "DLQ", MAXDEPTH=0)
    message = Message.build(DATA, report=MQRO.EXCEPTION, reply_to_q="REPLIES", persistence=1)
    with pytest.raises(MQError) as caught:
        dispose(queues, message, use=why != "USEDLQ(NO)")
    assert caught.value.reason == MQRC.UNKNOWN_OBJECT_NAME
    assert queues.depth("REPLIES") == 0


@pytest.mark.spec("channels.md 7.2 step 6")
@pytest.mark.spec("channels.md 9.2")
def test_a_fast_message_that_nobody_takes_is_lost_and_reported(queues: Host) -> None:
    message = Message.build(DATA, report=MQRO.EXCEPTION, reply_to_q="REPLIES", persistence=0, priority=0)
    assert dispose(queues, message, use=False, fast=True) is Disposal.LOST
    assert queues.depth("REPLIES") == 1
    silent = Message.build(DATA, persistence=0, priority=0)
    assert dispose(queues, silent, use=False, fast=True) is Disposal.LOST


def test_a_message_without_a_reply_queue_gets_no_report(queues: Host) -> None:
    message = Message.build(DATA, report=MQRO.EXCEPTION, persistence=1, priority=0)
    assert dispose(queues, message) is Disposal.DEAD_LETTERED
    assert queues.depth("DLQ") == 1
