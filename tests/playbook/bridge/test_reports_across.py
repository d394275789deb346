"""Reports between two queue managers: who makes them, where they arrive, what they say (channels.md 9)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import GetOptions
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFB, MQMT, MQRC, MQRO, ControlFlags1, SegmentType
from support.gateway.stage import RECEIVER, SENDER, Stage, Station

BODY = bytes(range(256))
FORMS = pytest.mark.parametrize(("form", "length"), [(0, 0), (1, 100), (2, 256)], ids=["no data", "data", "full data"])
OPTIONS = {
    "COA": (MQRO.COA, MQRO.COA_WITH_DATA, MQRO.COA_WITH_FULL_DATA),
    "COD": (MQRO.COD, MQRO.COD_WITH_DATA, MQRO.COD_WITH_FULL_DATA),
    "EXCEPTION": (MQRO.EXCEPTION, MQRO.EXCEPTION_WITH_DATA, MQRO.EXCEPTION_WITH_FULL_DATA),
    "EXPIRATION": (MQRO.EXPIRATION, MQRO.EXPIRATION_WITH_DATA, MQRO.EXPIRATION_WITH_FULL_DATA),
}


def both_ways(*, fast: bool = True) -> tuple[Stage, Station, Station]:
    """A channel each way, queue REPLIES at EARTH."""
    stage = Stage()
    speed = f"NPMSPEED({'FAST' if fast else 'NORMAL'})"
    scripts = {}
    for own, to in (("EARTH", "SATURN"), ("SATURN", "EARTH")):
        scripts[own] = SENDER.format(own=own, to=to, channel=speed, queue="") + RECEIVER.format(
            own=own, other=to, channel=f"{speed} MRRTY(0)"
        )
    earth, saturn = (stage.station(name, script) for name, script in scripts.items())
    earth.types("DEFINE QLOCAL(REPLIES)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    saturn.types("START CHANNEL(SATURN.EARTH)")
    stage.wait(1)
    return stage, earth, saturn


def asks(earth: Station, report: int, **fields: object) -> Message:
    """EARTH sends the body to SATURN and wants reports."""
    return earth.put("FAR", BODY, report=int(report), reply_to_q="REPLIES", **fields)


def happens(kind: str, stage: Stage, earth: Station, saturn: Station, report: int, **fields: object) -> Message:
    """What makes SATURN send a report of a kind; the message that was sent."""
    if kind == "EXCEPTION":
        saturn.types("ALTER QLOCAL(TARGET) PUT(DISABLED)")
    if kind == "EXPIRATION":
        fields["expiry"] = 50
    sent = asks(earth, report, **fields)
    stage.wait(1)
    if kind == "COD":
        assert saturn.got("TARGET").data == BODY
    if kind == "EXPIRATION":
        stage.wait(10)
        assert saturn.get("TARGET") is None
    stage.wait(1)
    return sent


FEEDBACK = {
    "COA": MQFB.COA,
    "COD": MQFB.COD,
    "EXCEPTION": MQRC.PUT_INHIBITED,
    "EXPIRATION": MQFB.EXPIRATION,
}


@pytest.mark.spec("channels.md 20.13")
@pytest.mark.spec("channels.md 9.2")
@FORMS
@pytest.mark.parametrize("kind", list(OPTIONS))
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_report_comes_back_with_as_much_data_as_was_asked_for(
    kind: str, form: int, length: int, persistence: int
) -> None:
    stage, earth, saturn = both_ways()
    sent = happens(kind, stage, earth, saturn, OPTIONS[kind][form], persistence=persistence, priority=4)
    report = earth.got("REPLIES")
    assert report.data == BODY[:length]
    md = report.md
    assert (md.msg_type, md.feedback) == (MQMT.REPORT, FEEDBACK[kind])
    assert (md.persistence, md.priority, md.backout_count) == (persistence, 4, 0)
    assert (md.report, md.expiry) == (MQRO.NONE, -1)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("", "SATURN")
    assert md.format == ("MQSTR" if length else "")
    assert md.msg_id not in (bytes(24), sent.md.msg_id)
    assert md.correl_id == sent.md.msg_id
    assert md.put_appl_name == "SATURN"
    assert earth.depth("REPLIES") == 0


@pytest.mark.spec("channels.md 20.13")
@pytest.mark.parametrize("kind", list(OPTIONS))
@pytest.mark.parametrize(
    ("options", "same_msg_id", "correl"),
    [
        (MQRO.NEW_MSG_ID | MQRO.COPY_MSG_ID_TO_CORREL_ID, False, "msg_id"),
        (MQRO.PASS_MSG_ID, True, "msg_id"),
        (MQRO.PASS_CORREL_ID, False, "correl_id"),
        (MQRO.PASS_MSG_ID | MQRO.PASS_CORREL_ID, True, "correl_id"),
    ],
)
def test_ids_of_a_report(kind: str, options: int, same_msg_id: bool, correl: str) -> None:
    stage, earth, saturn = both_ways()
    sent = happens(kind, stage, earth, saturn, OPTIONS[kind][0] | options, correl_id=b"c" * 24)
    md = earth.got("REPLIES").md
    assert (md.msg_id == sent.md.msg_id) is same_msg_id
    assert md.correl_id == getattr(sent.md, correl)


@pytest.mark.spec("channels.md 9.3")
def test_a_report_may_inherit_discard_and_expiry() -> None:
    stage, earth, saturn = both_ways()
    options = MQRO.COA | MQRO.PASS_DISCARD_AND_EXPIRY | MQRO.DISCARD_MSG
    happens("COA", stage, earth, saturn, options, expiry=6000)
    md = earth.got("REPLIES").md
    assert md.report == MQRO.DISCARD_MSG
    assert 5900 < md.expiry <= 6000


@pytest.mark.spec("channels.md 9.2")
def test_arrival_and_delivery_are_both_told() -> None:
    stage, earth, saturn = both_ways()
    asks(earth, MQRO.COA | MQRO.COD)
    stage.wait(1)
    assert earth.got("REPLIES").md.feedback == MQFB.COA
    saturn.got("TARGET")
    stage.wait(1)
    assert earth.got("REPLIES").md.feedback == MQFB.COD


@pytest.mark.spec("channels.md 9.2")
def test_arrival_is_told_once_by_the_last_queue_manager_only() -> None:
    stage, earth, saturn = both_ways()
    saturn.types("STOP CHANNEL(EARTH.SATURN) MODE(FORCE)")
    stage.wait(1)
    asks(earth, MQRO.COA | MQRO.EXCEPTION)
    stage.wait(10)
    assert earth.depth("REPLIES") == 0  # it lies on a transmission queue: not arrived
    saturn.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(100)
    assert earth.depth("REPLIES") == 1


@pytest.mark.spec("channels.md 9.2")
def test_delivery_is_not_told_of_what_is_browsed_or_put_back() -> None:
    stage, earth, saturn = both_ways()
    asks(earth, MQRO.COD)
    stage.wait(1)
    assert saturn.contents("TARGET") == [BODY]
    unit = saturn.manager.begin()
    source = saturn.manager.local_queue("TARGET")
    saturn.call(lambda: saturn.manager.get(source, GetOptions(), unit, stage.clock.now))
    saturn.call(lambda: saturn.manager.backout(unit, stage.clock.now))
    stage.wait(1)
    assert earth.depth("REPLIES") == 0
    unit = saturn.manager.begin()
    saturn.call(lambda: saturn.manager.get(source, GetOptions(), unit, stage.clock.now))
    stage.wait(1)
    assert earth.depth("REPLIES") == 0
    saturn.call(lambda: saturn.manager.commit(unit, stage.clock.now))
    stage.wait(1)
    assert earth.got("REPLIES").md.feedback == MQFB.COD


@pytest.mark.spec("channels.md 9.2")
def test_a_batch_that_is_sent_again_has_its_arrival_told_once() -> None:
    stage, earth, saturn = both_ways()
    asks_confirmation = int(ControlFlags1.CONFIRM_REQUEST)
    stage.cut_when(SegmentType.STATUS_DATA, sender=True, flags=asks_confirmation, after=False)
    asks(earth, MQRO.COA)
    stage.wait(100)
    assert saturn.contents("TARGET") == [BODY]
    assert earth.depth("REPLIES") == 1


@pytest.mark.spec("channels.md 10")
def test_expiry_runs_on_the_transmission_queue_and_is_told_by_the_sending_queue_manager() -> None:
    stage, earth, saturn = both_ways()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait(1)
    asks(earth, MQRO.EXPIRATION_WITH_FULL_DATA, expiry=100)
    stage.wait(12)
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(10)
    assert saturn.depth("TARGET") == 0
    report = earth.got("REPLIES")
    assert (report.md.feedback, report.data) == (MQFB.EXPIRATION, BODY)
    assert report.md.reply_to_q_mgr == "EARTH"


@pytest.mark.spec("channels.md 10")
def test_a_message_takes_what_is_left_of_its_life_along() -> None:
    stage, earth, saturn = both_ways()
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait(1)
    earth.put("FAR", b"short-lived", expiry=300)
    stage.wait(10)
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(5)
    assert 140 < saturn.got("TARGET").md.expiry <= 152  # tenths are rounded up at each end
    earth.put("FAR", b"shorter-lived", expiry=50)
    stage.wait(20)
    assert saturn.contents("TARGET") == []


@pytest.mark.spec("channels.md 9.1")
def test_unknown_report_options_travel_where_the_other_end_may_know_them() -> None:
    stage, earth, saturn = both_ways()
    earth.put("FAR", b"one", report=0x00010000, reply_to_q="REPLIES")
    stage.wait(1)
    assert saturn.got("TARGET").md.report == 0x00010000
