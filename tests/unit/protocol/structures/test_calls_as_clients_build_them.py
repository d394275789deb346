"""The makers of structures give the bytes that real clients and a real queue manager send for the same call."""

from __future__ import annotations

import pytest

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.structures import (
    API,
    CONN,
    CSH,
    FCNO,
    FCNO_3,
    FCNO_4,
    LSD,
    OPEN_OPTIONS,
    OR,
    RR,
    SPBI,
    SPI,
    SPOI,
    SPRI,
    SUB,
    XA,
    fcno_form,
    make_inq,
    make_lpoo,
    make_od,
    make_sd,
    make_spqo,
    make_xid,
    parse_fcno,
    parse_lpoo,
    parse_od,
    parse_sppi,
    parse_xid,
    spi_base,
)
from support.captures.vectors import VECTORS
from support.transcripts.client_transcripts import transcript

HEADER = 36


def sent(name: str, segment_type: int, verb: int | None = None, number: int = 0) -> bytes:
    """Body of a segment of a client in a transcript, by its type and SPI verb."""
    bodies = [
        recorded.data[HEADER:]
        for recorded in transcript(name).segments
        if recorded.side == "client" and recorded.data[3:4] == b"M" and recorded.data[17] == segment_type
    ]
    if verb is not None:
        bodies = [body for body in bodies if body[16] == verb]
    return bodies[number]


@pytest.mark.spec("client-observed.md 6.2")
def test_an_open_with_a_topic_string() -> None:
    body = next(body for number in range(9) if b"news/" in (body := sent("jms-topic", 0x8C, 12, number)))
    od = parse_od(body, 140, ByteOrder.LITTLE)
    topic = od.string("object_string")
    assert topic is not None
    made = make_od(
        ByteOrder.LITTLE,
        4,
        strings={"object_string": topic, "selection_string": b"", "res_object_string": b""},
        object_type=8,
        dynamic_q_name=b"AMQ.*".ljust(48),
        resolved_q_name=bytes(48),
        resolved_q_mgr_name=bytes(48),
        object_string_vs_buf_size=0x2800,
    )
    lpoo = make_lpoo(ByteOrder.LITTLE, open_options=0x2010, lpi_options=0x20, property_control=-1, extra_length=0x2800)
    behind = lpoo.build() + made.build()
    head = SPOI.codec(ByteOrder.LITTLE)(version=2, length=SPOI.size + len(behind)).build()
    assert head + behind == body[40:]
    assert parse_lpoo(body, 52, ByteOrder.LITTLE) == lpoo


@pytest.mark.spec("mq-wire.md 1.4")
def test_an_open_of_a_distribution_list() -> None:
    body = sent("mqi-report", 0x8C, 12, -1)
    od = parse_od(body, 140, ByteOrder.LITTLE)
    assert [record.object_name.rstrip() for record in od.object_records] == [b"DEV.QUEUE.1", b"DEV.QUEUE.2"]
    made = make_od(
        ByteOrder.LITTLE,
        2,
        object_records=[OR.codec(ByteOrder.LITTLE)(**record.as_dict()) for record in od.object_records],
        response_records=[RR.codec(ByteOrder.LITTLE)(), RR.codec(ByteOrder.LITTLE)()],
        dynamic_q_name=od.record.dynamic_q_name,
    )
    assert made.build() == od.build() == body[140:]


@pytest.mark.spec("client-observed.md 4")
def test_a_subscription() -> None:
    body = sent("mqi-topic", 0x8E)
    names = ("object_string", "sub_name", "sub_user_data", "selection_string", "res_object_string")
    strings = {name: b"a/b" if name == "object_string" else b"" for name in names}
    made = make_sd(
        ByteOrder.LITTLE,
        strings=strings,
        options=0x2022,
        alternate_security_id=b" " * 40,
    )
    assert body[16:24] == SUB.codec(ByteOrder.LITTLE)().build()
    for name in names[3:]:
        setattr(made.record, f"{name}_vs_buf_size", 0x2800)
    assert made.build() == body[24:]


@pytest.mark.spec("client-observed.md 6.2")
def test_what_jms_puts_in_front_of_a_subscription() -> None:
    body = sent("jms-topic", 0x8C, 7)
    assert SPI.codec(ByteOrder.LITTLE).parse(body, 16).verb == 7
    assert SPBI.codec(ByteOrder.LITTLE).parse(body, 40).length == len(body) - 40
    lsd = LSD.codec(ByteOrder.LITTLE).parse(body, 56)
    assert (lsd.open_options, lsd.unknown4, lsd.unknown5, lsd.unknown6) == (0x2029, 3, 0, 1)
    assert (lsd.sub_id, lsd.q_name, lsd.unknown2, lsd.unknown3) == (bytes(24), b" " * 48, b" " * 48, bytes(24))


@pytest.mark.spec("client-observed.md 4")
def test_a_reservation_of_ids() -> None:
    body = sent("mqi-async", 0x8C, 6)
    made = (
        API.codec(ByteOrder.LITTLE)(reply_length=0x78).build()
        + SPI.codec(ByteOrder.LITTLE)(verb=6, version=1, max_reply_size=44).build()
        + spi_base("SPRU").codec(ByteOrder.LITTLE)().build()
        + SPRI.codec(ByteOrder.LITTLE)(count=0x00FFFFFF).build()
    )
    assert made == body


@pytest.mark.spec("mq-wire.md 5.10")
def test_an_inquiry_and_the_verbs_of_a_queue_manager() -> None:
    asked = make_inq(ByteOrder.LITTLE, [31, 32, 2, 2015, 2032, 273], int_attr_count=4, char_attr_length=100)
    assert asked.build() == sent("connect-basic", 0x89)[16:]
    replies = [
        found.segment.body[16:]
        for found in read_segments(VECTORS / "jms-client" / "jms-put-sessions.pcap.gz")
        if isinstance(found, CapturedSegment) and found.segment.type == 0x9C and found.segment.body[16] == 1
    ]
    versions = ((2, 2, 2), (1, 3, 1), (2, 2, 3), *5 * ((1, 1, 1),))
    verbs = [(number, *three, 1) for number, three in enumerate(versions, 1)]
    verbs += [(0, 0, 0, 0, 0)] * 2 + [(11, 1, 1, 1, 1), (12, 1, 2, 2, 1)]
    assert {reply[24:] for reply in replies} == {make_spqo(ByteOrder.LITTLE, verbs).build()}


@pytest.mark.spec("mq-wire.md 5.13")
def test_a_branch_of_a_transaction() -> None:
    body = sent("jms-xa", 0xA1)
    assert XA.codec(ByteOrder.LITTLE).parse(body).length == HEADER + len(body)
    theirs = parse_xid(body, 16, ByteOrder.LITTLE)
    ours = make_xid(ByteOrder.LITTLE, *theirs.key)
    assert ours.key == theirs.key
    assert len(ours.build()) == len(theirs.build()) == len(body) - 16
    with pytest.raises(LocalProtocolError, match="65 and 0 bytes"):
        make_xid(ByteOrder.LITTLE, 1, bytes(65), b"")
    with pytest.raises(StructureError, match="BqualLength is 65"):
        parse_xid(b"\1\0\0\0\1\x41" + bytes(80), 0, ByteOrder.LITTLE)


@pytest.mark.spec("client-observed.md 1.1")
@pytest.mark.parametrize(
    ("level", "version", "length", "form"),
    [(9, 1, 140, FCNO), (10, 1, 212, FCNO), (12, 2, 212, FCNO), (14, 3, 340, FCNO_3), (16, 4, 352, FCNO_4)],
)
def test_connect_options_by_level(level: int, version: int, length: int, form: object) -> None:
    body = sent(f"connect-fap-{level}", 0x81)
    assert CONN.codec(ByteOrder.LITTLE).parse(body, 16).options == (3 if level < 10 else 7)
    fcno = parse_fcno(body, 16 + CONN.size, ByteOrder.LITTLE)
    assert (fcno.record.version, len(fcno.build()), fcno.rest) == (version, length, b"")
    assert fcno_form(length) is form


@pytest.mark.spec("client-observed.md 6.2")
def test_a_put_with_a_delay() -> None:
    body = sent("jms-delay", 0x8C, 2)
    sppi = parse_sppi(body, body.index(b"SPPI"), ByteOrder.LITTLE)
    assert (sppi.record.version, sppi.record.delivery_delay, sppi.record.data_length) == (
        3,
        2000,
        sppi.record.length - 32,
    )
    first = body[: body.index(b"SPPI") + 40]
    assert parse_sppi(first, body.index(b"SPPI"), ByteOrder.LITTLE) == sppi, "data may go on in the next segment"


def test_options_of_an_open_are_words_of_their_own() -> None:
    body = sent("connect-basic", 0x83)
    assert OPEN_OPTIONS.codec(ByteOrder.LITTLE).parse(body, 216).options == 0x2020
    assert CSH.size == 4
