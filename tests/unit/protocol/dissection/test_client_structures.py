"""Structures of client calls are found and named, in the segments of a real client and a real queue manager."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.dissection import Findings, dissect_segment, dissect_segments
from mqbridge.protocol.dissection.client_structures import client_parts
from support.captures.vectors import VECTORS, from_hex

CAPTURE = VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"


def names(structures: list[dict[str, Any]]) -> str:
    return " ".join(structure["structure"] for structure in structures)


@pytest.mark.spec("mq-wire.md 3")
@pytest.mark.spec("mq-wire.md 5.4")
def test_every_segment_of_a_real_capture_divides_into_its_structures() -> None:
    findings = Findings()
    seen: Counter[str] = Counter()
    for found in read_segments(CAPTURE):
        assert isinstance(found, CapturedSegment)
        shown = dissect_segment(found.segment, findings, offset=found.offset)
        parts = shown["structures"]
        assert sum(part["length"] for part in parts) == shown["length"]
        seen[f"{parts[0]['names']['SegmentType']}: {names(parts)}"] += 1
    assert not findings.errors
    assert not findings.warnings
    assert seen == {
        "INITIAL_DATA: TSH ID": 26,
        "INITIAL_DATA: TSHM ID": 26,
        "USERID_DATA: TSHM UID": 13,
        "CONAUTH_INFO: TSHM CAUT": 20,
        "STATUS_DATA: TSHM": 20,
        "MQCONN: TSHM API CONN FCNO": 29,
        "MQCONN_REPLY: TSHM API CONN FCNO": 29,
        "MQOPEN: TSHM API OD OpenOptions FOPA": 24,
        "MQOPEN_REPLY: TSHM API OD OpenOptions FOPA": 24,
        "MQINQ: TSHM API INQ": 24,
        "MQINQ_REPLY: TSHM API INQ": 24,
        "MQCLOSE: TSHM API CloseOptions": 40,
        "MQCLOSE_REPLY: TSHM API": 40,
        "SOCKET_ACTION: TSHC SOCKET": 35,
        "SOCKET_ACTION: TSHM SOCKET": 16,
        "SPI: TSHM API SPI SPQU SPQI": 16,
        "SPI_REPLY: TSHM API SPI SPQU SPQO" + 12 * " SPIVerb": 16,
        "SPI: TSHM API SPI SPOU SPOI LPOO OD": 16,
        "SPI_REPLY: TSHM API SPI SPOU SPOO LPOO OD MQCFH MQCFIN MQCFST" + 6 * " MQCFIN": 16,
        "MQPUT: TSHM API MD PMO DataLength MQRFH2 data": 16,
        "MQPUT_REPLY: TSHM API MD PMO DataLength": 16,
        "MQDISC: TSHM API": 10,
        "MQDISC_REPLY: TSHM API": 10,
    }


@pytest.mark.spec("mq-wire.md 5.15")
def test_a_message_put_by_a_client_is_taken_apart() -> None:
    findings = Findings()
    puts = [
        dissect_segment(found.segment, findings)["structures"]
        for found in read_segments(CAPTURE)
        if isinstance(found, CapturedSegment) and found.segment.type == 0x86
    ]
    api, header, data = puts[0][1], puts[0][5], puts[0][6]
    assert api["fields"] == {"ReplyLength": api["fields"]["ReplyLength"], "CompCode": 0, "Reason": 0, "ObjectHandle": 2}
    assert header["structure"] == "MQRFH2"
    assert header["fields"]["StrucLength"] == header["length"]
    assert [folder["name"] for folder in header["folders"]] == ["mcd", "jms", "usr"]
    assert header["folders"][0]["text"].startswith("<mcd><Msd>jms_text</Msd>")
    assert data["text"]


def test_both_directions_of_a_flow_kept_as_bytes() -> None:
    for side, count in (("client", 7), ("server", 5)):
        data = from_hex((VECTORS / "jms-client" / f"flow-jms2-refused-2035.{side}.hex").read_text())
        findings = Findings()
        assert len(list(dissect_segments(data, findings))) >= count - 2
        assert not findings.errors


def u32(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "big") for number in numbers)


API = bytes(16)


@pytest.mark.parametrize(
    ("segment_type", "body", "pieces"),
    [
        (0x83, API + b"OD  " + u32(1) + bytes(160) + u32(0x2010), "API16 OD168 OpenOptions4"),
        (0x83, API + b"OD  " + u32(2) + bytes(160) + u32(2, 0, 0, 0, 200, 392, 0, 0) + bytes(208) + u32(0x10),
         "API16 OD200 OR96 OR96 RR8 RR8 OpenOptions4"),
        (0x83, API + b"OD  " + u32(4) + bytes(328) + u32(0, 400, 0, 6, 0) + bytes(44) + b"string\0\0" + u32(0x10),
         "API16 OD400 ObjectString8 OpenOptions4"),
        (0x83, API + b"OD  " + u32(3) + bytes(328) + u32(1) + b"FOPA" + u32(1, 28) + bytes(16) + b"FCMI" + u32(0),
         "API16 OD336 OpenOptions4 FOPA28 FCMI8"),
        (0x84, API + u32(0), "API16 CloseOptions4"),
        (0x94, API, "API16"),
        (0x85, API + b"MD  " + u32(2) + bytes(356) + b"GMO " + u32(2) + bytes(72) + u32(4096),
         "API16 MD364 GMO80 DataLength4"),
        (0x95, API + b"MD  " + u32(1) + bytes(316) + b"GMO " + u32(1) + bytes(64) + u32(3) + b"abc\0",
         "API16 MD324 GMO72 DataLength4 data3 padding1"),
        (0x87, API + b"OD  " + u32(1) + bytes(160) + b"MD  " + u32(1) + bytes(316) + b"PMO " + u32(1) + bytes(120)
         + u32(2) + b"ab", "API16 OD168 MD324 PMO128 DataLength4 data2"),
        (0x86, API + b"MD  " + u32(1) + bytes(316) + b"PMO " + u32(2) + bytes(120) + u32(2, 0x09, 152, 208, 0, 0)
         + bytes(56) + bytes(16) + u32(1) + b"x", "API16 MD324 PMO152 PMR28 PMR28 RR8 RR8 DataLength4 data1"),
        (0x8A, API, "API16"),
        (0x8D, API + bytes(4) + b"STAT" + u32(1) + bytes(216), "API16 StatusType4 STAT224"),
        (0x8C, API + u32(2, 1, 0) + b"SPPU" + u32(1, 12) + b"MD  " + u32(1) + bytes(316) + b"PMO " + u32(1)
         + bytes(120) + b"SPPI" + u32(1, 23, 2, 3) + b"abc", "API16 SPI12 SPPU12 MD324 PMO128 SPPI20 data3"),
        (0xA1, bytes(16) + u32(7) + b"\12\3" + bytes(14), "XA16 XID20"),
        (0xA3, bytes(16) + b"\3abc", "XA16 XAINFO4"),
        (0xB6, bytes(16) + bytes(8), "XA16 XID8"),
        (0xB9, bytes(16) + u32(1) + bytes(8), "XA16 XACount4 XID8"),
        (0x0E, bytes(40), "REQMSG40"),
        (0x0E, bytes(32) + u32(0x1E) + bytes(24) + u32(0x21) + bytes(40), "REQMSG104"),
        (0x0F, bytes(16), "NOTIF16"),
        (0x0C, bytes(20) + b"more!", "SOCKET20 left-over5"),
        (0x0D, u32(1, 2, 1, 1, 3) + bytes(34) + b"\5QUEUE" + b"MD  " + u32(2) + bytes(356) + b"abc\0",
         "ASYNC60 MD364 data3 padding1"),
        (0x0D, u32(1, 2, 1, 1, 3) + b"\0\1\0\0" + b"abc", "ASYNC24 data3"),
    ],
)  # fmt: skip
@pytest.mark.spec("mq-wire.md 5.6")
@pytest.mark.spec("mq-wire.md 5.8")
@pytest.mark.spec("mq-wire.md 5.11")
@pytest.mark.spec("mq-wire.md 5.12")
@pytest.mark.spec("mq-wire.md 5.13")
def test_how_bodies_divide(segment_type: int, body: bytes, pieces: str) -> None:
    found = client_parts(segment_type, body, ByteOrder.BIG, flags=0x30)
    starts = [0, *(piece.end for piece in found)]
    assert " ".join(f"{piece.name}{piece.end - start}" for piece, start in zip(found, starts, strict=False)) == pieces
    for length in range(len(body)):
        cut = client_parts(segment_type, body[:length], ByteOrder.BIG, flags=0x30)
        assert [piece.end for piece in cut] == sorted({piece.end for piece in cut})
        assert not cut or cut[-1].end == length


@pytest.mark.spec("mq-wire.md 6")
def test_later_segments_of_a_call_are_data() -> None:
    assert [piece.name for piece in client_parts(0x86, b"MD  and more", ByteOrder.BIG, flags=0x20)] == ["data"]
