"""Messages that a sender cannot send, or converts, and channels that must not run (channels.md 3, 4, 7.2, 10)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFB, MQMF, MQRC, MQRO, CapFlags1, SegmentType, StatusCode
from mqbridge.protocol.structures.dlh import DLH
from support.channels.partner import calls, to_venus
from support.channels.playbook import initial_data
from support.gateway.stage import RECEIVER, SENDER, TRIGGERED, Stage, Station, earth_and_saturn

CHANNEL = "EARTH.SATURN"
GROUP = b"group".ljust(24, b"\1")
UNSAFE = [
    ("SCYEXIT('lib(func)')", StatusCode.CLOSED_BY_EXIT, "AMQ9536"),
    ("MSGEXIT('lib(func)')", StatusCode.CLOSED_BY_EXIT, "AMQ9536"),
    ("SENDEXIT('lib(func)')", StatusCode.CLOSED_BY_EXIT, "AMQ9536"),
    ("RCVEXIT('lib(func)')", StatusCode.CLOSED_BY_EXIT, "AMQ9536"),
]
NEEDS_TLS = ("SSLCIPH(TLS_AES_128_GCM_SHA256)", StatusCode.CIPHER_SPEC, "AMQ9639")
MESSAGE_RETRY_EXIT = ("MREXIT('lib(func)')", StatusCode.CLOSED_BY_EXIT, "AMQ9536")


def with_dead_letters(sender: str = "", receiver: str = "") -> tuple[Stage, Station, Station]:
    """A running pair; EARTH has a dead-letter queue too."""
    stage, earth, saturn = earth_and_saturn(sender, receiver)
    earth.types_all("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\nDEFINE QLOCAL(REPLIES)")
    return stage, earth, saturn


def dead(station: Station) -> tuple[int, bytes, bytes]:
    """Reason, intended queue and data of the next dead letter."""
    found = station.got("DLQ")
    header = DLH.codec(found.order).parse(found.data[:172])
    return header.reason, header.dest_q_name.rstrip(), found.data[172:]


# Too long


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize(("sender", "receiver"), [("MAXMSGL(1000)", ""), ("", "MAXMSGL(1000)")])
def test_a_message_longer_than_the_channel_carries_is_dead_lettered_at_the_sender(
    sender: str, receiver: str, persistence: int
) -> None:
    stage, earth, saturn = with_dead_letters(sender, receiver)
    earth.put_many("FAR", b"before", b"x" * 1001, b"y" * 1000, b"behind", persistence=persistence)
    stage.wait()
    assert saturn.contents("TARGET") == [b"before", b"y" * 1000, b"behind"]  # MQXQH does not count
    assert dead(earth) == (MQRC.MSG_TOO_BIG_FOR_CHANNEL, b"TARGET", b"x" * 1001)
    assert earth.status(CHANNEL) == "RUNNING"
    assert earth.depth("SATURN") == 0
    earth.restart()
    assert earth.depth("SATURN") == 0


@pytest.mark.spec("channels.md 4")
def test_its_sender_is_told_when_it_asked() -> None:
    stage, earth, _ = with_dead_letters("MAXMSGL(1000)")
    report = int(MQRO.EXCEPTION_WITH_DATA | MQRO.DISCARD_MSG)
    earth.put("FAR", b"x" * 2000, report=report, reply_to_q="REPLIES")
    stage.wait()
    found = earth.got("REPLIES")
    assert (found.md.feedback, found.data) == (MQRC.MSG_TOO_BIG_FOR_CHANNEL, b"x" * 100)
    assert earth.depth("DLQ") == 0


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize("more", ["ALTER QMGR DEADQ(' ')", "ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) USEDLQ(NO)"])
def test_without_a_dead_letter_queue_the_channel_stops_and_the_message_stays(more: str) -> None:
    stage, earth, saturn = with_dead_letters("MAXMSGL(1000)")
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.types(more)
    earth.put_many("FAR", b"before", b"x" * 1001, b"behind")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait(100)
    assert earth.status(CHANNEL) == "STOPPED"
    assert earth.logged("AMQ9527")
    assert b"behind" not in saturn.contents("TARGET")
    assert earth.depth("SATURN") >= 2
    earth.types("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) MAXMSGL(2000)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert saturn.contents("TARGET") == [b"before", b"x" * 1001, b"behind"]


@pytest.mark.spec("channels.md 4")
def test_a_fast_message_that_is_too_long_is_lost_without_a_dead_letter_queue() -> None:
    stage, earth, saturn = earth_and_saturn("MAXMSGL(1000)")
    earth.put_many("FAR", b"x" * 1001, b"behind", persistence=0)
    stage.wait()
    assert saturn.contents("TARGET") == [b"behind"]
    assert earth.status(CHANNEL) == "RUNNING"


# Not a message for a channel


def put_raw(station: Station, data: bytes, **fields: object) -> None:
    """A program writes on the transmission queue itself."""
    message = Message.build(data, **{"format": "MQXMIT", "persistence": 1, "expiry": -1, **fields})
    target = station.manager.resolve("SATURN")
    station.call(lambda: station.manager.put(target, message, PutOptions(), None, station.clock.now))
    station.stage.wait(1)


BAD_VERSION = b"XQH \7\0\0\0".ljust(500, b"x")
NO_DESCRIPTOR = b"XQH \1\0\0\0".ljust(500, b"x")


@pytest.mark.spec("channels.md 7.2")
@pytest.mark.parametrize("data", [BAD_VERSION, NO_DESCRIPTOR])
@pytest.mark.parametrize("persistence", [0, 1])
def test_what_has_no_good_transmission_header_is_dead_lettered_with_271(data: bytes, persistence: int) -> None:
    stage, earth, saturn = with_dead_letters()
    put_raw(earth, data, persistence=persistence)
    earth.put("FAR", b"good")
    stage.wait()
    assert saturn.contents("TARGET") == [b"good"]
    assert dead(earth) == (MQFB.XMIT_Q_MSG_ERROR, b"", data)


@pytest.mark.spec("channels.md 7.2")
def test_plain_messages_on_what_became_a_transmission_queue_are_dead_letters() -> None:
    stage = Stage()
    earth = stage.station("EARTH", "DEFINE QLOCAL(SATURN)\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    earth.put_many("SATURN", b"", b"plain")
    earth.types("ALTER QLOCAL(SATURN) USAGE(XMITQ)")
    earth.types("DEFINE CHANNEL(EARTH.SATURN) CHLTYPE(SDR) XMITQ(SATURN) CONNAME(SATURN)")
    stage.station("SATURN", RECEIVER.format(own="SATURN", other="EARTH", channel=""))
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert [dead(earth), dead(earth)] == [(MQFB.XMIT_Q_MSG_ERROR, b"", b""), (MQFB.XMIT_Q_MSG_ERROR, b"", b"plain")]
    assert earth.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 7.2")
def test_a_header_that_contradicts_its_descriptor_does_no_harm() -> None:
    stage, earth, _ = with_dead_letters("MAXMSGL(1000)")
    earth.types("STOP CHANNEL(EARTH.SATURN)")
    stage.wait()
    earth.put("FAR", b"x" * 2000)
    (whole,) = earth.contents("SATURN")
    assert earth.got("SATURN").data == whole
    put_raw(earth, whole, encoding=273)  # says big-endian, is little-endian
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    assert dead(earth) == (MQFB.XMIT_Q_MSG_ERROR, b"", whole)
    assert earth.status(CHANNEL) == "RUNNING"


# Conversion


@pytest.mark.spec("channels.md 3")
@pytest.mark.spec("channels.md 7.2")
def test_what_convert_yes_cannot_convert_is_a_dead_letter() -> None:
    stage, earth, saturn = with_dead_letters("CONVERT(YES)")
    stage.wait()
    earth.put("FAR", b"text", format="MINE", encoding=273, report=int(MQRO.EXCEPTION), reply_to_q="REPLIES")
    stage.wait()
    assert saturn.depth("TARGET") == 0
    assert dead(earth) == (MQRC.FORMAT_ERROR, b"TARGET", b"text")
    assert earth.got("REPLIES").md.feedback == MQRC.FORMAT_ERROR
    assert earth.status(CHANNEL) == "RUNNING"


@pytest.mark.spec("channels.md 3")
@pytest.mark.spec("channels.md 4")
def test_convert_yes_converts_into_what_the_partner_states() -> None:
    stage, earth, saturn = with_dead_letters("CONVERT(YES)")
    stage.wait()
    grouped = {"msg_seq_number": 3, "group_id": GROUP, "msg_flags": int(MQMF.MSG_IN_GROUP)}
    earth.put("FAR", "Größe".encode("cp500"), coded_char_set_id=500, **grouped)
    earth.put("FAR", b"raw \xff", format="", coded_char_set_id=500)
    stage.wait()
    text, raw = saturn.got("TARGET"), saturn.got("TARGET")
    assert (text.data, text.md.coded_char_set_id) == ("Größe".encode("latin-1"), 819)  # of SATURN's segments
    assert (text.md.group_id, text.md.msg_seq_number, text.md.format) == (GROUP, 3, "MQSTR")
    assert (raw.data, raw.md.coded_char_set_id) == (b"raw \xff", 500)


# What would be left undone


@pytest.mark.spec("channels.md 3")
@pytest.mark.parametrize(("attribute", "code", "amq"), [*UNSAFE, MESSAGE_RETRY_EXIT, NEEDS_TLS])
def test_an_unsafe_receiver_refuses(attribute: str, code: StatusCode, amq: str) -> None:
    stage = Stage()
    mars = stage.station("MARS", f"DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) {attribute}")
    calls(stage, "MARS", initial_data()).is_refused(code)
    assert mars.logged(amq)
    assert mars.status("VENUS.TO.MARS") == "INACTIVE"


@pytest.mark.spec("channels.md 3")
@pytest.mark.parametrize(("attribute", "code", "amq"), UNSAFE)
def test_an_unsafe_sender_does_not_start_nor_calls_back(attribute: str, code: StatusCode, amq: str) -> None:
    stage, earth, saturn = earth_and_saturn(sender=attribute, queue=TRIGGERED, start=False)
    earth.is_refused("START CHANNEL(EARTH.SATURN)", amq)
    earth.is_refused("PING CHANNEL(EARTH.SATURN)", amq)
    earth.put("FAR", b"waits")
    stage.wait()
    assert (earth.status(CHANNEL), saturn.depth("TARGET")) == ("INACTIVE", 0)
    wants = initial_data(channel_name=CHANNEL, cap_flags1=int(CapFlags1.REQUEST_INITIATION))
    calls(stage, "EARTH", wants).is_refused(code)


@pytest.mark.spec("tls.md T-06")
def test_a_sender_that_needs_tls_calls_nobody_back_without_it() -> None:
    stage, earth, saturn = earth_and_saturn(sender=NEEDS_TLS[0], queue=TRIGGERED, start=False)
    wants = initial_data(channel_name=CHANNEL, cap_flags1=int(CapFlags1.REQUEST_INITIATION))
    calls(stage, "EARTH", wants).is_refused(StatusCode.CIPHER_SPEC)
    assert earth.logged("AMQ9639")
    assert (earth.status(CHANNEL), saturn.depth("TARGET")) == ("INACTIVE", 0)


@pytest.mark.spec("tls.md T-06")
@pytest.mark.parametrize(
    "attribute", ["SSLCRLNL(REVOKED)", "SSLCRYP('GSK_PKCS11')", "SSLFIPS(YES)", "SUITEB(128_BIT)", "SSLRKEYC(32768)"]
)
def test_what_is_not_built_of_tls_keeps_channels_with_tls_from_running(attribute: str) -> None:
    stage, earth, _ = earth_and_saturn(sender=NEEDS_TLS[0], start=False)
    mars = stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)")
    earth.types(f"ALTER QMGR {attribute}")
    mars.types(f"ALTER QMGR {attribute}")
    earth.is_refused("START CHANNEL(EARTH.SATURN)", "AMQ5546")
    earth.is_refused("PING CHANNEL(EARTH.SATURN)", "AMQ5546")
    assert not calls(stage, "MARS", initial_data()).gone
    mars.types(f"ALTER CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) {NEEDS_TLS[0]}")
    calls(stage, "MARS", initial_data()).is_refused(StatusCode.CIPHER_SPEC)
    assert mars.logged("AMQ5546")


@pytest.mark.spec("channels.md 3")
def test_a_channel_made_unsafe_while_it_retries_stops() -> None:
    stage, earth, _ = earth_and_saturn()
    stage.network.down = True
    stage.cut_lines()
    earth.types("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) SCYEXIT('lib(func)')")
    stage.network.down = False
    stage.wait(10)
    assert earth.status(CHANNEL) == "STOPPED"
    assert earth.logged("AMQ9536")


@pytest.mark.spec("channels.md 3")
def test_a_channel_made_unsafe_does_not_come_back_after_a_restart() -> None:
    stage, earth, _ = earth_and_saturn()
    earth.types("ALTER CHANNEL(EARTH.SATURN) CHLTYPE(SDR) SCYEXIT('lib(func)')")
    earth.restart()
    stage.wait(10)
    assert earth.status(CHANNEL) == "INACTIVE"
    assert earth.logged("AMQ9536")


@pytest.mark.spec("channels.md 3")
def test_compression_is_never_agreed() -> None:
    stage = Stage()
    stage.station("MARS", "DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) COMPMSG(ZLIBFAST) COMPHDR(SYSTEM)")
    partner = calls(stage, "MARS", initial_data(fap_level=9, msg_comp_list=b"\x02\x00" + b"\xff" * 14))
    (answer,) = partner.hears()
    assert answer.type == SegmentType.INITIAL_DATA
    assert answer.id.record.init_err_flags2 == 0x03


# Order


@pytest.mark.spec("channels.md 10")
def test_fast_messages_may_overtake_and_each_class_keeps_its_order() -> None:
    stage, earth, saturn = earth_and_saturn("BATCHINT(2000)")
    for number in range(10):
        earth.put("FAR", b"%d" % number, persistence=number % 2)
    stage.wait(1)
    assert saturn.contents("TARGET") == [b"0", b"2", b"4", b"6", b"8"]  # visible before the batch is committed
    stage.wait(3)
    assert saturn.contents("TARGET") == [b"0", b"2", b"4", b"6", b"8", b"1", b"3", b"5", b"7", b"9"]


@pytest.mark.spec("channels.md 10")
def test_on_a_normal_channel_nothing_overtakes() -> None:
    stage, earth, saturn = earth_and_saturn("BATCHINT(2000) NPMSPEED(NORMAL)")
    for number in range(10):
        earth.put("FAR", b"%d" % number, persistence=number % 2)
    stage.wait(1)
    assert saturn.contents("TARGET") == []
    stage.wait(3)
    assert saturn.contents("TARGET") == [b"%d" % number for number in range(10)]


@pytest.mark.spec("channels.md 10")
@pytest.mark.parametrize(("order", "first"), [("PRIORITY", b"9"), ("FIFO", b"0")])
def test_the_transmission_queue_is_served_in_its_order(order: str, first: bytes) -> None:
    stage = Stage()
    script = SENDER.format(own="EARTH", to="SATURN", channel="", queue=f"MSGDLVSQ({order})")
    earth = stage.station("EARTH", script)
    saturn = stage.station("SATURN", RECEIVER.format(own="SATURN", other="EARTH", channel=""))
    saturn.types("ALTER QLOCAL(TARGET) MSGDLVSQ(FIFO)")
    for number in range(10):
        earth.put("FAR", b"%d" % number, priority=number)
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait()
    contents = saturn.contents("TARGET")
    assert contents[0] == first
    assert contents == sorted(contents, reverse=first == b"9")


@pytest.mark.spec("channels.md 10")
def test_a_message_that_waits_too_long_in_a_batch_of_doubt_keeps_its_place() -> None:
    stage, mars, venus = to_venus()
    mars.put("FAR", b"one", expiry=300)
    mars.put("FAR", b"two")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees()
    heard = partner.hears()
    partner.hangs_up()
    stage.wait(59)
    partner = venus.agrees(2)
    question = partner.hears_one(SegmentType.RESYNC_DATA)
    assert question.luwid == heard[-1].luwid  # a batch in doubt is not touched by expiry
