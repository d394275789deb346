"""tshark sees in a capture what we see: real packets, every structure, and what the comparison must catch."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mqbridge.captures import CapturedSegment, Direction, Endpoint, Recorder, read_segments
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures import (
    CAUT,
    CIH,
    CIH1,
    DLH,
    ID,
    IIH,
    MD,
    MD1,
    MDE,
    MSH,
    RESET,
    RMH,
    STATUS,
    TM,
    TMC2,
    UID,
    WIH,
    XQH,
)
from support.captures.files import CLIENT, JMS_CAPTURE, SERVER, record
from support.captures.vectors import thesis
from support.tshark import fields as tshark_fields
from support.tshark.agreement import Agreement
from support.tshark.run import needs_tshark, tshark_segments

pytestmark = [pytest.mark.interop("tshark"), needs_tshark]

Agree = Callable[..., Agreement]
IN, OUT = Direction.INITIATOR, Direction.RESPONDER
NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZ.abc_019"


@pytest.mark.spec("mq-wire.md 7.9")
def test_real_message_channel_packets(assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    capture = tmp_path / "thesis.pcap"
    sent = [(OUT if number == 2 else IN, thesis(number)) for number in range(1, 7)]
    capture.write_bytes(record(*sent))
    agreement = assert_tshark_agrees(capture)
    assert agreement.segments == 6
    assert agreement.structures == {"TSH": 6, "ID": 3, "MSH": 2, "XQH": 2, "MD": 2}
    assert agreement.fields == 6 * 10 + 3 * 17 + 2 * (5 + 4 + 24)


def test_a_real_client_capture_has_what_tshark_counts(assert_tshark_agrees: Agree) -> None:
    agreement = assert_tshark_agrees(JMS_CAPTURE)
    assert agreement.segments == 506
    assert agreement.structures["TSHM"] + agreement.structures["TSH"] + agreement.structures["TSHC"] == 506
    theirs = list(tshark_segments(JMS_CAPTURE))
    ours = [item for item in read_segments(JMS_CAPTURE) if isinstance(item, CapturedSegment)]
    connections = {frozenset((segment.source, segment.target)) for segment in theirs}
    assert len(connections) == len({item.flow.id for item in ours}) == 13
    assert sorted(segment.frame for segment in theirs) == sorted(item.last_packet for item in ours)


def filled(structure: Structure, order: ByteOrder, ebcdic: bool, source: random.Random, **fixed: Any) -> bytes:
    """Bytes of a structure of any content, names and text from a small alphabet."""
    page = "cp500" if ebcdic else "ascii"
    values: dict[str, Any] = {}
    for slot in structure.slots:
        field = slot.field
        if field.key in fixed:
            value = fixed[field.key]
            values[field.key] = value.ljust(slot.size).encode(page) if isinstance(value, str) else value
        elif field.key == "struc_id":
            values[field.key] = structure.name.ljust(4).encode(page)
        elif field.kind == "char":
            text = "".join(source.choices(NAME, k=source.randint(0, slot.size)))
            values[field.key] = text.ljust(slot.size).encode(page)
        elif field.kind == "bytes":
            values[field.key] = source.randbytes(slot.size)
        else:
            values[field.key] = source.getrandbits(8 * slot.size - 1)
    return structure.codec(order)(**values).build()


class Sender:
    """Makes segments of one byte order and character set."""

    def __init__(self, order: ByteOrder, ebcdic: bool, source: random.Random) -> None:
        self.order, self.ebcdic, self.source = order, ebcdic, source
        self.ccsid = 500 if ebcdic else 819
        self.encoding = 0x111 if order == ByteOrder.BIG else 0x222
        self.writer = SegmentWriter(order, self.ccsid)

    def filled(self, structure: Structure, **fixed: Any) -> bytes:
        return filled(structure, self.order, self.ebcdic, self.source, **fixed)

    def number(self, value: int) -> bytes:
        return value.to_bytes(4, self.order.endian)

    def segment(self, kind: SegmentType, *body: bytes, flags1: int = 0x30) -> bytes:
        built = self.writer.build(kind, *body, flags1=flags1, luwid=self.source.randbytes(8))
        return "TSH ".encode("cp500") + built[4:] if self.ebcdic else built

    def shared(self, kind: SegmentType, *body: bytes) -> bytes:
        built = self.writer.build_shared(self.source.getrandbits(32), self.source.getrandbits(32), kind, *body)
        return "TSHM".encode("cp500") + built[4:] if self.ebcdic else built

    def header(self, structure: Structure, following: str, **fixed: Any) -> bytes:
        names = {field.key for field in structure.fields}
        stated = {"format": following, "encoding": self.encoding, "coded_char_set_id": self.ccsid}
        if "struc_length" in names:
            stated["struc_length"] = structure.size
        return self.filled(structure, **{**stated, "version": 1, **fixed})

    def message(self, format: str, data: bytes, descriptor: Structure = MD1, flags1: int = 0x30) -> bytes:
        version = 2 if descriptor is MD else 1
        parts = [
            self.filled(MSH, data_length=len(data), message_length=104 + descriptor.size + len(data)),
            self.filled(XQH, version=1),
            self.header(descriptor, format, version=version),
            data,
        ]
        return self.segment(SegmentType.MESSAGE_DATA, *parts, flags1=flags1)

    def rfh2(self, *folders: str) -> bytes:
        texts = [folder.encode() + b" " * (-len(folder) % 4) for folder in folders]
        length = 36 + sum(4 + len(text) for text in texts)
        head = [2, length, self.encoding, self.ccsid]
        fixed = ("RFH ".encode("cp500" if self.ebcdic else "ascii"), *map(self.number, head))
        blank = "MQSTR   ".encode("cp500" if self.ebcdic else "ascii")
        parts = [part for text in texts for part in (self.number(len(text)), text)]
        return b"".join([*fixed, blank, self.number(0), self.number(1208), *parts])

    def pcf(self) -> bytes:
        text = "SYSTEM.*".encode("cp500" if self.ebcdic else "ascii")
        parameters = [
            [3, 16, 20, 7],
            [4, 28, 2016, self.ccsid, 8, text],
            [5, 24, 1002, 2, 1, 4],
            [6, 40, 2020, self.ccsid, 2, 8, text, text],
            [9, 24, 7001, 8, b"12345678"],
            [13, 20, 1020, 1, 5],
            [14, 32, 2002, 18, self.ccsid, 8, text],
            [15, 28, 7002, 3, 8, b"87654321"],
            [20, 16, 8001, 1],
            [3, 16, 21, 9],
        ]
        header = [1, 36, 3, 13, 1, 1, 0, 0, len(parameters) - 1]
        values = [*header, *(value for parameter in parameters for value in parameter)]
        return b"".join(value if isinstance(value, bytes) else self.number(value) for value in values)


def segments_of(sender: Sender) -> Iterator[bytes]:
    """Segments in which every structure that tshark knows stands once or more."""
    body = "what remains".encode("cp500" if sender.ebcdic else "ascii")
    for length, level in ((102, 4), (102, 7), (208, 9), (208, 12), (240, 13), (240, 17)):
        yield sender.segment(SegmentType.INITIAL_DATA, sender.filled(ID.first(length), fap_level=level))
        yield sender.shared(SegmentType.INITIAL_DATA, sender.filled(ID.first(length), fap_level=level))
    yield sender.segment(SegmentType.STATUS_DATA, flags1=1)
    yield sender.segment(SegmentType.STATUS_DATA, sender.filled(STATUS.first(8), length=8), flags1=2)
    yield sender.segment(SegmentType.STATUS_DATA, sender.filled(STATUS, length=12), flags1=2)
    yield sender.segment(SegmentType.RESET_DATA, sender.filled(RESET, length=8))
    yield sender.segment(SegmentType.PING_DATA, sender.number(8), sender.source.randbytes(8))
    yield sender.segment(SegmentType.HEARTBEAT, flags1=1)
    yield sender.segment(SegmentType.USERID_DATA, sender.filled(UID.first(28)))
    yield sender.segment(SegmentType.USERID_DATA, sender.filled(UID, sid_length=0, sid_type=0))
    credentials = CAUT.build(
        {
            "struc_id": "CAUT".encode("cp500" if sender.ebcdic else "ascii"),
            "auth_type": 1,
            "user_id_max_length": 12,
            "password_max_length": 12,
            "user_id_length": 4,
            "password_length": 8,
            "user_id": body[:4],
            "password": body[4:],
            "padding": b"",
        },
        sender.order,
    )
    yield sender.segment(SegmentType.CONAUTH_INFO, credentials)
    yield sender.message("MQSTR", body)
    yield sender.message("MQSTR", b"")
    yield sender.message("MQSTR", body, descriptor=MD)
    mde = sender.header(MDE, "MQSTR", version=2)
    yield sender.message("MQHMDE", mde + body)
    for format, structure, version in (("MQCICS", CIH1, 1), ("MQCICS", CIH, 2), ("MQHWIH", WIH, 1)):
        yield sender.message(format, sender.header(structure, "MQSTR", version=version) + body)
    yield sender.message("MQIMS", sender.header(IIH, "MQSTR"))
    yield sender.message("MQTRIG", sender.filled(TM, version=1))
    yield sender.message("MQTRIG", sender.filled(TMC2, struc_id="TMC2", version="2"))
    empty = dict.fromkeys((field.key for field in RMH.fields if field.name.endswith(("Offset", "Length"))), 0)
    yield sender.message("MQHREF", sender.header(RMH, "MQSTR", **{**empty, "struc_length": RMH.size}) + body)
    rfh2 = sender.rfh2("<mcd><Msd>jms_text</Msd></mcd>", "<usr></usr>")
    yield sender.message("MQHRF2", rfh2 + body)
    yield sender.message("MQADMIN", sender.pcf())
    dead = [("MQSTR", body), ("MQHRF2", rfh2 + body), ("MQADMIN", sender.pcf()), ("MQHMDE", mde + body)]
    for format, data in dead:
        yield sender.message("MQDEAD", sender.header(DLH, format) + data)


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize("ebcdic", [False, True], ids=["ASCII", "EBCDIC"])
@pytest.mark.parametrize("order", [ByteOrder.LITTLE, ByteOrder.BIG])
def test_every_structure_has_the_same_values(
    order: ByteOrder, ebcdic: bool, assert_tshark_agrees: Agree, tmp_path: Path
) -> None:
    source = random.Random(f"{order} {ebcdic}")
    segments = [segment for _ in range(5) for segment in segments_of(Sender(order, ebcdic, source))]
    capture = tmp_path / "structures.pcap"
    capture.write_bytes(record(*[(source.choice((IN, OUT)), segment) for segment in segments]))
    agreement = assert_tshark_agrees(capture)
    assert agreement.segments == len(segments)
    pcf = {name for name in tshark_fields.FIELDS if name.startswith("MQCF") and "64" not in name}
    others = {"ID", "UID", "CAUT", "STATUS", "RESET", "PING", "MSH", "XQH", "MD", "TSH", "TSHM"}
    headers = {"MQMDE", "MQDLH", "MQCIH", "MQIIH", "MQWIH", "MQTM", "MQTMC2", "MQRMH", "MQRFH2"}
    assert set(agreement.structures) == pcf | others | headers


@pytest.mark.spec("mq-wire.md 6")
def test_segments_of_a_split_message(assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    sender = Sender(ByteOrder.LITTLE, False, random.Random(1))
    split = [
        sender.message("MQSTR", b"the beginning, ", flags1=0x10),
        sender.segment(SegmentType.MESSAGE_DATA, b"MSH the middle, ", flags1=0),
        sender.segment(SegmentType.MESSAGE_DATA, b"the end", flags1=0x20),
    ]
    capture = tmp_path / "split.pcap"
    capture.write_bytes(record(*[(IN, segment) for segment in split]))
    assert assert_tshark_agrees(capture).segments == 3


def test_only_the_first_segments_of_each_connection_are_compared(assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    capture = tmp_path / "long.pcap"
    with capture.open("wb") as file:
        recorder = Recorder(file)
        ends = [Endpoint("10.0.0.1", 5000), Endpoint("10.0.0.1", 5001)]
        long, short = (recorder.connect(client, SERVER, 1.0) for client in ends)
        short.send(IN, thesis(1), 2.0)
        for number in range(50):
            long.send(IN, thesis(3), 3.0 + number)
            long.send(OUT, thesis(4), 3.5 + number)
    assert assert_tshark_agrees(capture, limit_per_connection=7).segments == 8
    assert assert_tshark_agrees(capture, limit_per_connection=None).segments == 101
    assert assert_tshark_agrees(str(capture)).segments == 101


def test_ports_of_other_protocols_and_ports_used_again(assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    capture = tmp_path / "ports.pcap"
    with capture.open("wb") as file:
        recorder = Recorder(file)
        for turn, port in product(range(2), (80, 443, 5010, 5672)):
            connection = recorder.connect(CLIENT._replace(port=port), SERVER._replace(port=8080), 1.0 + turn)
            connection.send(IN, thesis(1 + 2 * turn), 1.5 + turn)
            if turn:
                connection.reset(OUT, 1.7 + turn)
    assert assert_tshark_agrees(capture).segments == 8


UNKNOWN_TYPE = SegmentWriter().build(0x55, b"what is it?")
HEARTBEAT_WITH_BODY = SegmentWriter().build(SegmentType.HEARTBEAT, b"a body of no layout")
CUT_MESSAGE = SegmentWriter().build(SegmentType.MESSAGE_DATA, thesis(3)[28:200], flags1=0x30)


@pytest.mark.parametrize(
    ("segment", "complaint"),
    [
        (UNKNOWN_TYPE, "Unknown"),
        (HEARTBEAT_WITH_BODY, "Unknown"),
        (CUT_MESSAGE, "we could not read it"),
    ],
)
def test_what_is_malformed_or_unknown_fails(
    segment: bytes, complaint: str, assert_tshark_agrees: Agree, tmp_path: Path
) -> None:
    capture = tmp_path / "bad.pcap"
    capture.write_bytes(record((IN, thesis(1)), (IN, segment)))
    with pytest.raises(AssertionError, match=complaint):
        assert_tshark_agrees(capture)


def test_a_value_that_differs_fails(
    assert_tshark_agrees: Agree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = tmp_path / "one.pcap"
    capture.write_bytes(record((IN, thesis(1)), (IN, thesis(3))))
    exchanged = {"mq.id.hbint": "SequenceWrap", "mq.id.seqwrap": "HeartbeatInterval"}
    monkeypatch.setitem(tshark_fields.FIELDS, "ID", tshark_fields.FIELDS["ID"] | exchanged)
    with pytest.raises(AssertionError, match=r"ID.SequenceWrap: we say 999999999, tshark \['300'\]"):
        assert_tshark_agrees(capture)


def test_a_capture_without_segments_fails(assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    capture = tmp_path / "none.pcap"
    capture.write_bytes(record((IN, b"GET / HTTP/1.1\r\n\r\n")))
    with pytest.raises(AssertionError, match="no MQ segment"):
        assert_tshark_agrees(capture)


def test_a_file_that_tshark_cannot_read(tmp_path: Path) -> None:
    capture = tmp_path / "broken.pcap"
    capture.write_bytes(io.BytesIO(record((IN, thesis(1)))).read()[:-5] + b"\xff" * 40)
    with pytest.raises(RuntimeError, match="tshark ended with"):
        list(tshark_segments(capture))
