"""Partners that write big-endian, or EBCDIC: all that they say is understood, and answered so that they understand."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQPER, ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures.dlh import DLH
from mqbridge.protocol.text import is_ebcdic
from support.channels.partner import Partner, calls_as_sender, to_venus
from support.channels.playbook import L1, L2, Sent, heartbeat, message, ping, reset, resync
from support.gateway.stage import Stage, Station

BIG = SegmentWriter(ByteOrder.BIG, 819)
MAINFRAME = SegmentWriter(ByteOrder.BIG, 500)
OS400 = SegmentWriter(ByteOrder.BIG, 37)
LITTLE_EBCDIC = SegmentWriter(ByteOrder.LITTLE, 500)
KINDS = pytest.mark.parametrize(
    "writer",
    [BIG, MAINFRAME, OS400, LITTLE_EBCDIC],
    ids=["big-endian", "EBCDIC", "EBCDIC, other page", "EBCDIC, little-endian"],
)
CHANNEL = "VENUS.TO.MARS"


def mars_and_venus(writer: SegmentWriter) -> tuple[Stage, Station, Partner]:
    """MARS has a receiver, a target and a dead-letter queue; VENUS has started its sender."""
    stage = Stage()
    script = f"DEFINE QLOCAL(TARGET)\nDEFINE QLOCAL(DLQ)\nDEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR)"
    mars = stage.station("MARS", f"{script}\nALTER QMGR DEADQ(DLQ)")
    return stage, mars, calls_as_sender(stage, writer=writer)


def understands(writer: SegmentWriter, sent: Sent) -> bool:
    """We answer in the byte order of the caller, and in its CCSID unless that is EBCDIC, which we never write."""
    return sent.order == writer.order and (
        not is_ebcdic(sent.ccsid) if is_ebcdic(writer.ccsid) else sent.ccsid == writer.ccsid
    )


@KINDS
@pytest.mark.spec("mq-wire.md 1.3")
@pytest.mark.spec("mq-wire.md 4.3")
def test_its_messages_arrive(writer: SegmentWriter) -> None:
    _, mars, venus = mars_and_venus(writer)
    venus.sends(message(1, b"fast", persistence=0, luwid=L1, writer=writer))
    answer = venus.sends_batch(2, 3, luwid=L1)
    assert understands(writer, answer)
    assert (answer.luwid, answer.flags) == (L1, 0)
    assert mars.contents("TARGET") == [b"fast", b"message 2", b"message 3"]
    assert mars.row(CHANNEL)["RQMNAME"] == "VENUS"
    found = [mars.got("TARGET").md.persistence for _ in range(3)]
    assert found == [MQPER.NOT_PERSISTENT, MQPER.PERSISTENT, MQPER.PERSISTENT]


@KINDS
@pytest.mark.spec("channels.md 8")
def test_what_has_no_queue_is_a_dead_letter(writer: SegmentWriter) -> None:
    _, mars, venus = mars_and_venus(writer)
    answer = venus.sends_batch(1, luwid=L1, xqh_remote_q_name=b"NO.SUCH".ljust(48), md_format=b"MQSTR   ")
    assert answer.flags == ControlFlags1.DLQ_USED
    dead = mars.got("DLQ")
    header: Any = DLH.codec(dead.order).parse(dead.data[: DLH.size])
    assert dead.md.format == "MQDEAD"
    assert dead.data[DLH.size :] == b"message 1"
    codec = "cp500" if dead.md.coded_char_set_id in (500, 37) else "ascii"
    assert header.dest_q_name.decode(codec).rstrip() == "NO.SUCH"
    assert header.format.decode(codec).rstrip() == "MQSTR"


@KINDS
@pytest.mark.spec("mq-wire.md 7.6")
@pytest.mark.spec("mq-wire.md 7.8")
def test_it_asks_whether_we_are_there(writer: SegmentWriter) -> None:
    _, _, venus = mars_and_venus(writer)
    (beat,) = venus.says(heartbeat(writer=writer))
    assert (beat.type, beat.flags) == (SegmentType.HEARTBEAT, 0)
    assert understands(writer, beat)
    (back,) = venus.says(ping(b"are you there?", writer=writer))
    assert (back.type, back.flags, back.body[-14:]) == (SegmentType.PING_DATA, 0, b"are you there?")
    assert understands(writer, back)


@KINDS
@pytest.mark.spec("channels.md 5.4")
def test_it_asks_what_became_of_its_batch(writer: SegmentWriter) -> None:
    stage, mars, venus = mars_and_venus(writer)
    venus.sends_batch(1, 2, luwid=L1)
    venus.hangs_up()
    venus = calls_as_sender(stage, writer=writer)
    (answer,) = venus.says(resync(L1, 2, writer=writer))
    assert (answer.type, answer.luwid, answer.number) == (SegmentType.RESYNC_DATA, L1, 2)
    assert understands(writer, answer)
    assert venus.sends_batch(3, luwid=L2).flags == 0
    assert mars.contents("TARGET") == [b"message 1", b"message 2", b"message 3"]


@KINDS
@pytest.mark.spec("channels.md 5.6")
def test_it_begins_to_count_again(writer: SegmentWriter) -> None:
    stage, mars, venus = mars_and_venus(writer)
    venus.sends_batch(1, luwid=L1)
    venus.hangs_up()
    venus = calls_as_sender(stage, writer=writer)
    (done,) = venus.says(reset(7, writer=writer))
    assert (done.type, done.flags) == (SegmentType.STATUS_DATA, 0)
    assert understands(writer, done)
    assert venus.sends_batch(7, luwid=L2).flags == 0
    assert mars.contents("TARGET") == [b"message 1", b"message 7"]


@KINDS
@pytest.mark.spec("mq-wire.md 5.14")
def test_it_is_told_what_it_did_wrong(writer: SegmentWriter) -> None:
    _, _, venus = mars_and_venus(writer)
    venus.sends(message(5, writer=writer))
    (told,) = venus.hears()
    assert (told.code, told.value, told.flags) == (0x04, 1, 0x0A)
    assert understands(writer, told)


@KINDS
@pytest.mark.spec("channels.md 5.1")
def test_it_takes_our_messages(writer: SegmentWriter) -> None:
    stage, mars, venus = to_venus()
    mars.put("FAR", b"one")
    mars.types("START CHANNEL(MARS.VENUS)")
    partner = venus.agrees(writer=writer)
    assert mars.row("MARS.VENUS")["RQMNAME"] == "VENUS"
    first, *_, asked = partner.hears()
    assert first.body[-3:] == b"one"
    partner.confirms(asked.luwid)
    assert (mars.depth("VENUS"), mars.row("MARS.VENUS")["INDOUBT"]) == (0, "NO")
    mars.put("FAR", b"two")
    stage.wait()
    partner.hears()
    partner.hangs_up()
    stage.wait(70)
    again = venus.agrees(2, writer=writer)
    question = again.hears_one(SegmentType.RESYNC_DATA)
    again.sends(resync(question.luwid, question.number, flags=0, writer=writer))
    assert mars.depth("VENUS") == 0
