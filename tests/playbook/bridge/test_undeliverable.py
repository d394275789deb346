"""The failure ladder: what becomes of a message that cannot be put at the receiving end (channels.md 7.2, 7.3, 8)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQAT, MQMT, MQOO, MQRC, MQRO, ControlFlags1, StatusCode
from support.channels.partner import calls_as_sender
from support.channels.playbook import L1, L2, end_of_batch, message
from support.gateway.stage import Stage, earth_and_saturn
from support.gateway.undeliverable_pair import HEADER, broken, dead_letter

CHANNEL = "EARTH.SATURN"
PERSISTENCES = pytest.mark.parametrize("persistence", [1, 0], ids=["persistent", "non-persistent"])


# Step 1: message retry


@pytest.mark.spec("channels.md 20.11")
@PERSISTENCES
@pytest.mark.parametrize(
    ("trouble", "cure"),
    [
        ("ALTER QLOCAL(TARGET) PUT(DISABLED)", "ALTER QLOCAL(TARGET) PUT(ENABLED)"),
        ("ALTER QLOCAL(TARGET) MAXDEPTH(0)", "ALTER QLOCAL(TARGET) MAXDEPTH(5)"),
    ],
    ids=["put inhibited", "queue full"],
)
def test_the_channel_pauses_and_tries_again(persistence: int, trouble: str, cure: str) -> None:
    stage, earth, saturn = broken(trouble, receiver="MRRTY(5) MRTMR(2000)")
    earth.put("FAR", b"patience", persistence=persistence)
    stage.wait(5)
    assert saturn.status(CHANNEL) == "PAUSED"
    earth.put("FAR", b"waits behind", persistence=persistence)
    saturn.types(cure)
    stage.wait(3)
    assert saturn.contents("TARGET") == [b"patience", b"waits behind"]
    assert saturn.status(CHANNEL) == "RUNNING"
    assert (saturn.depth("DLQ"), earth.depth("SATURN")) == (0, 0)


@pytest.mark.spec("channels.md 7.2")
@pytest.mark.parametrize(("count", "interval"), [(3, 2000), (0, 1000), (1, 0)])
def test_it_tries_so_many_times_so_far_apart(count: int, interval: int) -> None:
    stage, earth, saturn = broken(receiver=f"MRRTY({count}) MRTMR({interval})")
    earth.put("FAR", b"one")
    stage.wait(count * interval / 1000 - 0.2 if count * interval else 0)
    assert saturn.depth("DLQ") == 0
    stage.wait(0.5)
    assert saturn.depth("DLQ") == 1
    assert saturn.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 7.2")
def test_each_message_has_retries_of_its_own() -> None:
    stage, earth, saturn = broken(receiver="MRRTY(2) MRTMR(1000)")
    earth.put_many("FAR", b"one", b"two", b"three")
    stage.wait(1.5)
    assert saturn.depth("DLQ") == 0
    stage.wait(5)
    assert saturn.depth("DLQ") == 3


@pytest.mark.spec("channels.md 7.2")
def test_messages_that_come_together_keep_their_order_round_one_that_is_tried_again() -> None:
    stage = Stage()
    script = "DEFINE QLOCAL(TARGET)\nDEFINE QLOCAL(OTHER) MAXDEPTH(1)\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)"
    channel = "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) MRRTY(10) MRTMR(1000)"
    mars = stage.station("MARS", f"{script}\n{channel}")
    partner = calls_as_sender(stage)
    target, other = b"TARGET", b"OTHER"
    names = [(target, 1), (target, 1), (other, 1), (other, 1), (target, 0), (target, 1), (other, 0)]
    messages = [
        message(number, b"%d" % number, persistence=persistence, xqh_remote_q_name=name.ljust(48))
        for number, (name, persistence) in enumerate(names, start=1)
    ]
    partner.sends(*messages, end_of_batch(L1))
    stage.wait(0.5)
    assert mars.status("VENUS.TO.MARS") == "PAUSED"
    assert [mars.depth(name) for name in ("TARGET", "OTHER")] == [2, 1]
    mars.types("ALTER QLOCAL(OTHER) MAXDEPTH(9)")
    stage.wait(3)
    # Fast messages are part of no batch, and stand before its messages.
    assert mars.contents("TARGET") == [b"5", b"1", b"2", b"6"]
    assert mars.contents("OTHER") == [b"7", b"3", b"4"]
    assert mars.depth("DLQ") == 0


@pytest.mark.spec("channels.md 7.2")
def test_a_queue_that_does_not_exist_is_not_tried_again() -> None:
    stage, earth, saturn = broken("DELETE QLOCAL(TARGET)", receiver="MRRTY(10) MRTMR(10000)")
    earth.put("FAR", b"one")
    stage.wait(0.5)
    assert saturn.depth("DLQ") == 1


@pytest.mark.spec("channels.md 7.2")
def test_the_wait_is_not_taken_for_silence_of_the_partner() -> None:
    stage, earth, saturn = earth_and_saturn("HBINT(5)", "HBINT(5) MRRTY(100) MRTMR(2000)")
    saturn.types("ALTER QLOCAL(TARGET) PUT(DISABLED)")
    stage.wait(0.5)
    earth.put("FAR", b"fast", persistence=0)
    stage.wait(4)
    assert saturn.status(CHANNEL) == "PAUSED"
    assert earth.status(CHANNEL) == "RUNNING"
    saturn.types("ALTER QLOCAL(TARGET) PUT(ENABLED)")
    stage.wait(30)
    assert saturn.contents("TARGET") == [b"fast"]
    assert saturn.status(CHANNEL) == "RUNNING"


# Steps 2 and 3: the message says what it wants


@pytest.mark.spec("channels.md 20.11")
@PERSISTENCES
def test_a_message_returns_to_its_sender(persistence: int) -> None:
    stage, earth, saturn = broken()
    wanted = MQRO.EXCEPTION_WITH_FULL_DATA | MQRO.DISCARD_MSG
    sent = earth.put("FAR", b"x" * 300, report=int(wanted), reply_to_q="REPLIES", persistence=persistence)
    stage.wait(1)
    report = earth.got("REPLIES")
    assert report.data == b"x" * 300
    assert (report.md.msg_type, report.md.feedback) == (MQMT.REPORT, MQRC.PUT_INHIBITED)
    assert (report.md.correl_id, report.md.format) == (sent.md.msg_id, "MQSTR")
    assert (saturn.depth("TARGET"), saturn.depth("DLQ")) == (0, 0)
    assert saturn.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 20.11")
@PERSISTENCES
@pytest.mark.parametrize(("report", "length"), [(0, None), (MQRO.EXCEPTION, 0), (MQRO.EXCEPTION_WITH_DATA, 100)])
def test_a_message_that_asks_for_it_is_discarded(persistence: int, report: int, length: int | None) -> None:
    stage, earth, saturn = broken()
    earth.put("FAR", b"x" * 300, report=int(MQRO.DISCARD_MSG | report), reply_to_q="REPLIES", persistence=persistence)
    stage.wait(1)
    assert (saturn.depth("TARGET"), saturn.depth("DLQ"), earth.depth("SATURN")) == (0, 0, 0)
    found = earth.get("REPLIES")
    assert (None if found is None else len(found)) == length


# Step 4: the dead-letter queue


@pytest.mark.spec("channels.md 20.11")
@pytest.mark.spec("channels.md 20.12")
@PERSISTENCES
def test_a_message_goes_to_the_dead_letter_queue(persistence: int) -> None:
    stage, earth, saturn = broken()
    report = int(MQRO.EXCEPTION_WITH_DATA)
    sent = earth.put(
        "FAR",
        b"dead",
        persistence=persistence,
        priority=7,
        expiry=36000,
        correl_id=b"c" * 24,
        report=report,
        reply_to_q="REPLIES",
        coded_char_set_id=819,
        encoding=273,
    )
    stage.wait(1)
    found = saturn.got("DLQ")
    header = dead_letter(found)
    assert header.struc_id == b"DLH "
    assert (header.version, header.reason) == (1, MQRC.PUT_INHIBITED)
    assert (header.dest_q_name.rstrip(), header.dest_q_mgr_name.rstrip()) == (b"TARGET", b"SATURN")
    assert (header.format, header.coded_char_set_id, header.encoding) == (b"MQSTR   ", 819, 273)
    assert (header.put_appl_type, header.put_appl_name.rstrip()) == (MQAT.QMGR, b"SATURN")
    assert header.put_date.isdigit()
    assert header.put_time.isdigit()
    assert found.data[HEADER:] == b"dead"
    md = found.md
    assert (md.msg_id, md.correl_id, md.report) == (sent.md.msg_id, b"c" * 24, report)
    assert (md.put_appl_type, md.put_appl_name) == (sent.md.put_appl_type, sent.md.put_appl_name)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("REPLIES", "EARTH")
    assert (md.persistence, md.priority) == (persistence, 7)
    assert 35_000 < md.expiry <= 36_000
    assert (md.put_date, md.put_time) == (sent.md.put_date, sent.md.put_time)
    exception = earth.got("REPLIES")
    assert (exception.md.feedback, exception.data) == (MQRC.PUT_INHIBITED, b"dead")
    assert saturn.logged("AMQ9548")


@pytest.mark.spec("channels.md 20.12")
def test_headers_of_the_message_stay_behind_the_dead_letter_header() -> None:
    stage, earth, saturn = broken()
    chain = b"RFH \x02\0\0\0" + (36).to_bytes(4, "little") + bytes(24) + b"body"
    earth.put("FAR", chain, format="MQHRF2")
    stage.wait(1)
    found = saturn.got("DLQ")
    assert dead_letter(found).format == b"MQHRF2  "
    assert found.data[HEADER:] == chain


@pytest.mark.spec("channels.md 20.12")
def test_a_dead_letter_that_travels_on_and_dies_again_has_two_headers() -> None:
    stage, earth, saturn = broken()
    first = b"DLH \x01\0\0\0".ljust(HEADER, b"\0") + b"body"
    earth.put("FAR", first, format="MQDEAD")
    stage.wait(1)
    found = saturn.got("DLQ")
    assert dead_letter(found).format == b"MQDEAD  "
    assert found.data[HEADER:] == first


@pytest.mark.spec("channels.md 5.2")
def test_the_sender_is_told_that_a_message_was_dead_lettered() -> None:
    stage = Stage()
    script = "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)"
    mars = stage.station("MARS", script)
    partner = calls_as_sender(stage)
    assert partner.sends_batch(1, luwid=L1).flags == ControlFlags1.DLQ_USED
    mars.types("DEFINE QLOCAL(TARGET)")
    assert partner.sends_batch(2, luwid=L2).flags == 0


@pytest.mark.spec("channels.md 7.3")
@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ("ALTER QLOCAL(TARGET) PUT(DISABLED)", MQRC.PUT_INHIBITED),
        ("ALTER QLOCAL(TARGET) MAXDEPTH(0)", MQRC.Q_FULL),
        ("DELETE QLOCAL(TARGET)", MQRC.UNKNOWN_OBJECT_NAME),
        ("ALTER QLOCAL(TARGET) MAXMSGL(3)", MQRC.MSG_TOO_BIG_FOR_Q),
        ("ALTER QLOCAL(TARGET) USAGE(XMITQ)", MQRC.NOT_AUTHORIZED),
        ("ALTER QLOCAL(TARGET) USAGE(XMITQ)", MQRC.XQH_ERROR),
    ],
)
def test_the_header_says_why(trouble: str, reason: int) -> None:
    stage, earth, saturn = broken(trouble)
    if reason == MQRC.XQH_ERROR:  # told to whoever may put transmission messages
        saturn.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('mca') AUTHADD(SETID)")
        saturn.types("SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('mca') AUTHADD(SETID)")
    earth.put("FAR", b"four")
    stage.wait(1)
    assert dead_letter(saturn.got("DLQ")).reason == reason


@pytest.mark.spec("channels.md 10")
def test_a_temporary_queue_takes_no_persistent_messages() -> None:
    stage, earth, saturn = broken("DELETE QLOCAL(TARGET)")
    saturn.types("DEFINE QMODEL(TEMPORARY) DEFTYPE(TEMPDYN)")
    saturn.call(
        lambda: saturn.manager.open("TEMPORARY", options=MQOO.INPUT_SHARED, now=stage.clock.now, dynamic_name="TARGET")
    )
    earth.put("FAR", b"persistent")
    earth.put("FAR", b"not", persistence=0)
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"not"]
    assert dead_letter(saturn.got("DLQ")).reason == MQRC.PERSISTENT_NOT_ALLOWED


# Steps 5 and 6: no dead-letter queue helps


NO_DEAD_LETTERS = pytest.mark.parametrize(
    ("receiver", "dead_letter_queue", "more"),
    [
        ("MRRTY(0)", False, ""),
        ("MRRTY(0) USEDLQ(NO)", True, ""),
        ("MRRTY(0)", True, "ALTER QLOCAL(DLQ) PUT(DISABLED)"),
        ("MRRTY(0)", True, "ALTER QLOCAL(DLQ) MAXDEPTH(0)"),
        ("MRRTY(0)", True, "DELETE QLOCAL(DLQ)"),
    ],
    ids=["none defined", "USEDLQ(NO)", "put inhibited", "full", "missing"],
)


@pytest.mark.spec("channels.md 20.11")
@pytest.mark.spec("channels.md 8")
@NO_DEAD_LETTERS
@pytest.mark.parametrize(("persistence", "speed"), [(1, "FAST"), (1, "NORMAL"), (0, "NORMAL")])
def test_the_batch_is_backed_out_and_the_channel_ends(
    receiver: str, dead_letter_queue: bool, more: str, persistence: int, speed: str
) -> None:
    stage, earth, saturn = broken(receiver=receiver, dead_letter_queue=dead_letter_queue, speed=speed)
    if more:
        saturn.types(more)
    saturn.types("DEFINE QLOCAL(GOOD)")
    earth.types("DEFINE QREMOTE(FAR.GOOD) RNAME(GOOD) RQMNAME(SATURN)")
    earth.put("FAR.GOOD", b"before", persistence=persistence)
    stage.wait(0.5)
    unit = [("FAR.GOOD", b"in the batch"), ("FAR", b"bad"), ("FAR.GOOD", b"behind")]
    for queue, data in unit:
        earth.put(queue, data, persistence=persistence)
    stage.wait(0.5)
    assert earth.status(CHANNEL) == "RETRYING"
    assert saturn.status(CHANNEL) == "INACTIVE"
    assert b"behind" not in saturn.contents("GOOD")
    assert earth.row(CHANNEL)["INDOUBT"] == "NO"
    assert earth.depth("SATURN") >= 2
    assert saturn.logged("AMQ9544")
    saturn.types("ALTER QLOCAL(TARGET) PUT(ENABLED)")
    stage.wait(6)
    assert earth.status(CHANNEL) == "RUNNING"
    assert saturn.contents("GOOD") == [b"before", b"in the batch", b"behind"]
    assert saturn.contents("TARGET") == [b"bad"]


@pytest.mark.spec("channels.md 20.11")
@NO_DEAD_LETTERS
def test_a_fast_message_is_lost_and_the_channel_goes_on(receiver: str, dead_letter_queue: bool, more: str) -> None:
    stage, earth, saturn = broken(receiver=receiver, dead_letter_queue=dead_letter_queue)
    if more:
        saturn.types(more)
    earth.put("FAR", b"lost", persistence=0, report=int(MQRO.EXCEPTION), reply_to_q="REPLIES")
    stage.wait(0.5)
    assert (earth.status(CHANNEL), saturn.status(CHANNEL)) == ("RUNNING", "RUNNING")
    saturn.types("ALTER QLOCAL(TARGET) PUT(ENABLED)")
    earth.put("FAR", b"next", persistence=0)
    stage.wait(0.5)
    assert saturn.contents("TARGET") == [b"next"]
    assert earth.got("REPLIES").md.feedback == MQRC.PUT_INHIBITED


@pytest.mark.spec("channels.md 7.2")
@pytest.mark.parametrize(
    ("target", "code"), [("NO.SUCH", StatusCode.TARGET_Q_UNKNOWN), ("SHUT", StatusCode.CAN_NOT_STORE)]
)
def test_the_partner_is_told_why_nothing_was_stored(target: str, code: StatusCode) -> None:
    stage = Stage()
    mars = stage.station(
        "MARS", "DEFINE QLOCAL(SHUT) PUT(DISABLED)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) MRRTY(0)"
    )
    partner = calls_as_sender(stage)
    partner.sends(message(1, xqh_remote_q_name=target.encode().ljust(48)), end_of_batch(L1))
    partner.is_refused(code)
    assert mars.logged("AMQ9544")


@pytest.mark.spec("channels.md 9.2")
def test_an_exception_report_of_a_batch_that_failed_is_not_sent() -> None:
    stage, earth, saturn = broken(dead_letter_queue=False)
    earth.put("FAR", b"bad", report=int(MQRO.EXCEPTION), reply_to_q="REPLIES")
    stage.wait(20)
    assert earth.depth("REPLIES") == 0
    saturn.types("ALTER QMGR DEADQ(DLQ)")
    stage.wait(6)
    assert earth.depth("REPLIES") == 1
    assert saturn.depth("DLQ") == 1


@pytest.mark.spec("channels.md 9.2")
def test_a_report_that_cannot_return_goes_to_the_dead_letter_queue() -> None:
    stage, earth, saturn = broken()
    earth.put("FAR", b"bad", report=int(MQRO.EXCEPTION), reply_to_q="REPLIES", reply_to_q_mgr="NOWHERE")
    stage.wait(1)
    letters = [saturn.got("DLQ"), saturn.got("DLQ")]
    assert sorted(dead_letter(each).reason for each in letters) == [MQRC.PUT_INHIBITED, MQRC.UNKNOWN_REMOTE_Q_MGR]
