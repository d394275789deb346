"""Segments as plain data: the real packets, cut packets, and packets that say what is not so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.dissection import Findings, SegmentStream, dissect_segments
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import (
    CAUT_13,
    MD1,
    MSH,
    UID,
    XQH,
    initial_data,
    ping_data,
    reset_data,
    status_data,
)
from support.captures.vectors import thesis

MESSAGES = {3: ("MyHPQ", "hola"), 6: ("MyLocalQ", "Mensaje 0")}


def shown(data: bytes) -> tuple[list[dict[str, Any]], Findings]:
    findings = Findings()
    segments = list(dissect_segments(data, findings))
    json.dumps(segments)
    return segments, findings


def structures(data: bytes) -> list[dict[str, Any]]:
    segments, findings = shown(data)
    assert not findings.errors
    return [structure for segment in segments for structure in segment["structures"]]


@pytest.mark.spec("mq-wire.md 7.9")
@pytest.mark.parametrize("number", [1, 2, 5])
def test_initial_data_of_2003(number: int) -> None:
    header, body, left = structures(thesis(number))
    assert header["structure"] == "TSH"
    assert header["fields"] == {
        "StrucId": "TSH ",
        "SegLength": 132,
        "ByteOrder": 2,
        "SegmentType": 1,
        "ControlFlags1": 0 if number == 2 else 1,
        "ControlFlags2": 0,
        "LUWID": "0000000000000000",
        "Encoding": 546,
        "CCSID": 437,
        "Reserved": 0,
    }
    assert header["names"]["SegmentType"] == "INITIAL_DATA"
    assert body["structure"] == "ID"
    assert (body["offset"], body["length"]) == (28, 102)
    assert body["fields"]["StrucId"] == "ID  "
    assert body["fields"]["ChannelName"] in ("ch.clon.hp", "ch.myopenq.clon")
    assert body["fields"]["QMgrName"] in ("QM_cmolina", "QM_carlitosway", "MyOpenQ")
    assert body["names"]["CapFlags1"] == "MSG_SEQ | CONVERSION_CAPABLE | SPLIT_MESSAGE"
    assert list(body["fields"])[-1] == "EFLLength"
    assert left == {"structure": "left-over", "offset": 130, "length": 2, "hex": "7320"}


@pytest.mark.spec("mq-wire.md 7.9")
@pytest.mark.parametrize("number", MESSAGES)
def test_messages_of_2003(number: int) -> None:
    queue, text = MESSAGES[number]
    segments, findings = shown(thesis(number))
    assert not findings.errors
    parts = {part["structure"]: part for part in segments[0]["structures"]}
    assert list(parts) == ["TSH", "MSH", "XQH", "MD", "data"]
    assert parts["TSH"]["names"]["ControlFlags1"] == "FIRST | LAST"
    assert parts["XQH"]["fields"]["RemoteQName"] == queue
    descriptor = parts["MD"]
    assert (descriptor["offset"], descriptor["length"]) == (152, 324)
    assert descriptor["fields"]["PutApplName"] == "WebSphere MQ\\bin\\amqsput.exe"
    assert descriptor["fields"]["Expiry"] == -1
    assert descriptor["fields"]["ReplyToQ"] == ""
    assert descriptor["fields"]["MsgId"].startswith("414d5120514d5f636d6f6c696e61")
    assert descriptor["names"] == {
        "Report": "MQRO_NONE",
        "MsgType": "MQMT_DATAGRAM",
        "Feedback": "MQFB_NONE",
        "Encoding": descriptor["names"]["Encoding"],
        "Format": "MQFMT_STRING",
        "Persistence": "MQPER_NOT_PERSISTENT",
        "PutApplType": "MQAT_WINDOWS_NT",
    }
    assert parts["data"] == {
        "structure": "data",
        "offset": 476,
        "length": len(text),
        "format": "MQSTR",
        "ccsid": 437,
        "text": text,
        "hex": text.encode().hex(),
    }
    wrong = ["offset 44: MSH.MessageLength says 438, 437 bytes are there"]
    assert findings.warnings == (wrong if number == 6 else [])


@pytest.mark.spec("mq-wire.md 7.9")
def test_the_confirm_request_of_2003() -> None:
    (header,) = structures(thesis(4))
    assert header["fields"]["LUWID"] == "84ce6d3f10001701"
    assert header["names"]["SegmentType"] == "STATUS_DATA"


def test_offsets_count_from_the_first_segment() -> None:
    segments, _ = shown(thesis(1) + thesis(4) + thesis(3))
    assert [(segment["offset"], segment["length"]) for segment in segments] == [(0, 132), (132, 28), (160, 480)]
    assert [part["offset"] for part in segments[2]["structures"]] == [160, 188, 208, 312, 636]


@pytest.mark.parametrize("length", [1, 4, 9, 27, 28, 40, 47, 60, 151, 152, 200, 475, 478])
def test_a_segment_that_is_cut_short(length: int) -> None:
    whole = structures(thesis(3))
    segments, findings = shown(thesis(3)[:length])
    parts = segments[0]["structures"]
    assert sum(part["length"] for part in parts) == segments[0]["length"] == length
    assert findings.errors
    assert findings.errors[0].startswith("offset ")
    for part, full in zip(parts, whole, strict=False):
        assert part["structure"] == full["structure"]
        assert full.get("fields", {}).items() >= part.get("fields", {}).items()


def test_the_error_names_the_place() -> None:
    _, findings = shown(thesis(1) + thesis(3)[:160])
    assert findings.errors == ["offset 292: MD ends inside Report: 4 bytes needed, 0 there"]


def test_bytes_that_are_no_segment_end_the_run() -> None:
    segments, findings = shown(thesis(4) + b"NOTATSHATALL" * 10)
    assert len(segments) == 1
    assert findings.errors == ["offset 28: segment at byte 28: 4e4f5441 begins no segment header"]
    stream = SegmentStream(found := Findings())
    for _ in range(3):
        assert not list(stream.feed(b"NOTATSHATALL"))
    assert not list(stream.finish())
    assert len(found.errors) == 1


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize("order", [ByteOrder.BIG, ByteOrder.LITTLE])
def test_the_small_bodies(order: ByteOrder) -> None:
    writer = SegmentWriter(order, 850)
    data = b"".join(
        (
            writer.build(5, status_data(order, 1).build(), flags1=0x0A),
            writer.build(5, status_data(order, 21, 999).build()),
            writer.build(3, reset_data(order, 7).build()),
            writer.build(7, ping_data(order, b"\1\2\3")),
            writer.build(9),
            writer.build(6, b"exit"),
            writer.build(2, bytes(12)),
            writer.build(0x66, b"??"),
        )
    )
    parts = [part for part in structures(data) if part["structure"] != "TSH"]
    assert [part["structure"] for part in parts] == [
        "STATUS", "STATUS", "RESET", "PING", "SECURITY_DATA", "RESYNC_DATA", "0x66",
    ]  # fmt: skip
    assert parts[0]["fields"] == {"Length": 8, "Code": 1}
    assert parts[0]["names"] == {"Code": "NO_CHANNEL"}
    assert parts[1]["fields"] == {"Length": 12, "Code": 21, "Value": 999}
    assert parts[2]["fields"] == {"Length": 8, "SequenceNumber": 7}
    assert parts[3]["fields"] == {"Length": 3, "Data": "010203"}
    assert parts[4]["hex"] == b"exit".hex()


@pytest.mark.spec("mq-wire.md 5.2")
@pytest.mark.spec("mq-wire.md 5.3")
@pytest.mark.parametrize("blank", [b" ", b"\0"])
def test_passwords_are_never_shown(blank: bytes) -> None:
    writer = SegmentWriter(ByteOrder.BIG, 819)
    user = UID.codec(ByteOrder.BIG)(
        user_id=b"APP".ljust(12), password=b"tops3cret".ljust(12, blank), long_user_id=b"app".ljust(64)
    ).build()
    head = {"user_id_max_length": 3, "password_max_length": 9, "auth_type": 1, "struc_id": b"CAUT"}
    texts = {"user_id": b"app", "password": b"tops3cret", "reserved": bytes(8), "padding": bytes(3)}
    conauth = CAUT_13.build({**head, **texts, "user_id_length": 3, "password_length": 9}, ByteOrder.BIG)
    lengths = conauth[:16] + bytes(8) + conauth[24:]  # lengths of 0: the password is where padding should be
    segments = [writer.build(8, user), writer.build(8, user[:28]), writer.build(10, conauth)]
    segments += [writer.build(10, lengths), writer.build(10, conauth, flags2=2), writer.build(8, user, flags2=2)]
    for segment in segments:
        for end in range(29, len(segment) + 1):
            text = json.dumps(shown(segment[:end])[0])
            assert "tops3cret" not in text
            assert b"tops3".hex() not in text
    fields = structures(segments[0])[1]["fields"]
    assert (fields["UserId"], fields["Password"], fields["LongUserId"]) == ("APP", "********", "app")
    assert structures(segments[2])[1]["fields"]["Password"] == "********"
    assert structures(segments[2])[1]["fields"]["UserId"] == "app"
    empty = writer.build(8, UID.codec(ByteOrder.BIG)(password=blank * 12).build())
    assert structures(empty)[1]["fields"]["Password"] == ""


@pytest.mark.spec("mq-wire.md 1.3")
def test_ebcdic_partners_are_read() -> None:
    body = initial_data(
        ByteOrder.BIG,
        fap_level=7,
        struc_id="ID  ".encode("cp500"),
        channel_name="TO.EARTH".ljust(20).encode("cp500"),
        q_mgr_name="CSQ1".ljust(48).encode("cp500"),
    ).build()
    segment = bytearray(SegmentWriter(ByteOrder.BIG, 500).build(1, body))
    segment[:4] = "TSH ".encode("cp500")
    header, identity = structures(bytes(segment))
    assert header["fields"]["StrucId"] == "TSH "
    assert (identity["fields"]["StrucId"], identity["fields"]["ChannelName"]) == ("ID  ", "TO.EARTH")
    segment[24:26] = (4321).to_bytes(2, "big")  # a code page that nobody knows
    assert structures(bytes(segment))[1]["fields"]["QMgrName"] == "CSQ1"


@pytest.mark.spec("mq-wire.md 6")
def test_later_parts_of_a_message_are_data() -> None:
    msh, xqh = MSH.codec(ByteOrder.LITTLE)(data_length=10, message_length=438), XQH.codec(ByteOrder.LITTLE)()
    descriptor = MD1.codec(ByteOrder.LITTLE)(format=b"MQHRF2  ")
    writer = SegmentWriter()
    first = writer.build(4, msh.build(), xqh.build(), descriptor.build(), b"RFH \2", flags1=0x10)
    last = writer.build(4, b"MSH hello", flags1=0x20)
    segments, findings = shown(first + last)
    assert not findings.errors, "a header may go on in the next segment"
    assert [part["structure"] for part in segments[0]["structures"]][:4] == ["TSH", "MSH", "XQH", "MD"]
    assert [part["structure"] for part in segments[1]["structures"]] == ["TSH", "data"]
    whole = writer.build(4, msh.build(), xqh.build(), descriptor.build(), b"RFH \2", flags1=0x30)
    assert "ends inside Version" in shown(whole)[1].errors[0]


def test_compressed_segments_are_left_alone() -> None:
    data = SegmentWriter().build(4, b"\x94\0\0\2abc", flags1=0x30, flags2=5)
    assert structures(data)[1] == {"structure": "compressed", "offset": 28, "length": 7, "hex": "94000002616263"}
