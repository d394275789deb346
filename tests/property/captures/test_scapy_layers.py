"""Layers of scapy agree with our own dissections on real traffic, and build to the bytes that they were made from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.captures.generate import ClientTraffic, LinkType, Scenario
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.dissection import MASK, Findings, dissect_segments
from mqbridge.protocol.framing import SegmentWriter, build_segment
from mqbridge.protocol.structures import MD, make_rfh2
from mqbridge.protocol.structures.message_headers import MESSAGE_HEADERS
from support.captures.vectors import VECTORS, thesis
from support.transcripts.client_transcripts import transcript, transcript_names

scapy_all = pytest.importorskip("scapy.all")

from mqbridge.captures.scapy_layer import LAYERS, MQ, MQData, MQLayer  # noqa: E402


def real_segments() -> dict[bytes, None]:
    """One segment of each variety in all vectors."""
    found: dict[tuple[object, ...], bytes] = {}

    def add(data: bytes) -> None:
        found.setdefault((data[:4], data[8:12], data[16:20], len(data)), data)

    for number in range(1, 7):
        add(thesis(number))
    for segment in read_segments(VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"):
        if isinstance(segment, CapturedSegment):
            add(segment.data)
    for name in transcript_names():
        for recorded in transcript(name).segments:
            add(recorded.data)
    return dict.fromkeys(found.values())


def layers_of(packet: Any) -> Iterator[Any]:
    """The layers behind a segment header."""
    layer = packet.payload
    while not isinstance(layer, scapy_all.NoPayload):
        yield layer
        layer = layer.payload


def agree(data: bytes) -> int:
    """Compare a segment with its dissection; how many fields were equal."""
    packet = MQ(data)
    findings = Findings()
    (shown,) = dissect_segments(data, findings)
    header, *structures = shown["structures"]
    same(packet, header)
    compared = len(header["fields"])
    by_offset = {one["offset"]: one for one in structures}
    at = len(packet.self_build())
    for layer in layers_of(packet):
        one = by_offset.get(at)
        if one is not None and "fields" in one and not isinstance(layer, MQData):
            same(layer, one)
            compared += len(one["fields"])
        at += len(layer.self_build())
    assert at == len(data)
    assert compared >= header["length"] // 4
    packet.clear_cache()
    assert bytes(packet) == data
    return compared


def same(layer: Any, shown: dict[str, Any]) -> None:
    for name, value in shown["fields"].items():
        if name not in layer.fields:
            continue  # text behind a header, which is a layer of its own
        own = layer.getfieldval(name)
        if value == MASK:
            assert MASK in layer.get_field(name).i2repr(layer, own)
        elif isinstance(value, list) and isinstance(own, bytes):
            assert "".join(value) == own.hex(), name
        elif isinstance(own, bytes):
            text = layer.get_field(name).i2repr(layer, own)
            assert value in (own.hex(), text.strip("'")) or repr(value) in text, (name, value, own)
        else:
            assert own == value, (name, value, own)


def test_all_real_segments_agree_and_build_back() -> None:
    segments = real_segments()
    assert len(segments) > 300
    assert sum(agree(data) for data in segments) > 10_000


def test_nearly_all_real_bytes_have_a_layout() -> None:
    whole = unknown = 0
    for data in real_segments():
        for layer in layers_of(MQ(data)):
            whole += len(layer.self_build())
            if isinstance(layer, MQData) and layer.title not in ("data", "unused", "padding"):
                unknown += len(layer.self_build())
    assert unknown < whole // 50, (unknown, whole)


@given(data=st.binary(max_size=400), head=st.sampled_from((b"TSH ", b"TSHM", b"TSHC", b"\xe3\xe2\xc8\x40")))
@settings(max_examples=200, deadline=None)
def test_any_bytes_build_back(data: bytes, head: bytes) -> None:
    segment = head + (8 + len(data)).to_bytes(4, "big") + data
    packet = MQ(segment)
    assert bytes(packet) == segment
    packet.clear_cache()
    packet.show2(dump=True)


def changed_segments() -> st.SearchStrategy[bytes]:
    def change(data: bytes, edits: list[tuple[int, int]]) -> bytes:
        out = bytearray(data)
        for place, value in edits:
            at = 8 + place % max(len(out) - 8, 1)
            if at < len(out):
                out[at] = value
        return bytes(out)

    samples = [data for data in real_segments() if len(data) < 1200]
    edits = st.lists(st.tuples(st.integers(0, 1200), st.integers(0, 255)), max_size=4)
    return st.builds(change, st.sampled_from(samples), edits)


@given(changed_segments())
@settings(max_examples=150, deadline=None)
def test_damaged_segments_build_back(data: bytes) -> None:
    packet = MQ(data)
    packet.show(dump=True)
    packet.clear_cache()
    assert bytes(packet) == data


def test_lengths_are_computed() -> None:
    md = LAYERS["MD"](Format="MQSTR", ReplyToQ="REPLY")
    xqh = LAYERS["XQH"](RemoteQName="TARGET", RemoteQMgrName="VENUS")
    packet = MQ(SegmentType=4) / LAYERS["MSH"](SequenceNumber=7) / xqh / md / b"data!"
    headers = MESSAGE_HEADERS.codec(ByteOrder.LITTLE)(
        msh_sequence_number=7,
        msh_data_length=5,
        msh_message_length=433,
        xqh_remote_q_name=b"TARGET".ljust(48),
        xqh_remote_q_mgr_name=b"VENUS".ljust(48),
        md_format=b"MQSTR   ",
        md_reply_to_q=b"REPLY".ljust(48),
    ).build()
    assert bytes(packet) == build_segment(4, headers + b"data!", flags1=0x30)
    two = packet / MQ(SegmentType=5, ControlFlags1=1)
    assert bytes(two) == bytes(packet) + build_segment(5, flags1=1)
    assert [layer.SegLength for layer in MQ(bytes(two)).iterpayloads() if isinstance(layer, MQ)] == [481, 28]


def test_big_endian_and_shared_segments_are_built() -> None:
    packet = MQ(StrucId="TSHM", ConversationId=3, RequestId=5, ByteOrder=1, SegmentType=0x83) / LAYERS["API"](
        ObjectHandle=9
    )
    built = bytes(packet)
    assert built[:16] == b"TSHM" + (52).to_bytes(4, "big") + (3).to_bytes(4, "big") + (5).to_bytes(4, "big")
    writer = SegmentWriter(ByteOrder.BIG, 437)
    body = LAYERS["API"].structure.codec(ByteOrder.BIG)(reply_length=44, object_handle=9).build()
    assert built == writer.build_shared(3, 5, 0x83, body, flags1=0x30)


def test_counts_follow_what_they_count() -> None:
    caut = LAYERS["CAUT"](UserId="alice", Password="geheim")
    assert bytes(MQ(SegmentType=10) / caut)[28:].endswith(bytes((5, 0, 0, 0, 6, 0, 0, 0)) + b"alicegeheim")
    assert "geheim" not in (MQ(SegmentType=10) / caut).show(dump=True)


def test_a_packet_that_was_read_can_be_changed() -> None:
    packet = MQ(thesis(1))
    length = len(bytes(packet))
    packet[LAYERS["ID"]].ChannelName = "OTHER"
    packet[LAYERS["ID"]].MaxMsgsPerBatch = 7
    again = MQ(bytes(packet))[LAYERS["ID"]]
    assert (again.ChannelName.rstrip(), again.MaxMsgsPerBatch) == (b"OTHER", 7)
    assert len(bytes(packet)) == length


def test_what_is_built_is_read_back_as_its_layers() -> None:
    built = (
        MQ(StrucId="TSHM", SegmentType=0x86) / LAYERS["API"](ObjectHandle=2) / LAYERS["MD"](Version=2, Format="MQHRF2")
    )
    built = built / LAYERS["PMO"]() / LAYERS["DataLength"]() / LAYERS["RFH2"](Encoding=546, CodedCharSetId=819)
    built = built / LAYERS["NameValueData"](NameValueData="<usr/>  ") / b"body"
    names = [type(layer).__name__ for layer in MQ(bytes(built)).iterpayloads()]
    assert names == ["MQ", "API", "MD", "PMO", "DataLength", "RFH2", "NameValueData", "MQData"]
    again = MQ(bytes(built))
    assert again["RFH2"].StrucLength == 36 + 4 + 8
    assert again["DataLength"].DataLength == 36 + 4 + 8 + 4
    assert "MQPUT" in again.summary()


def test_headers_behind_a_descriptor_have_their_own_byte_order() -> None:
    md = MD.codec(ByteOrder.LITTLE)(version=2, format=b"MQHRF2  ", encoding=273, coded_char_set_id=819).build()
    rfh2 = make_rfh2(ByteOrder.BIG, [b"<usr><a>1</a></usr>  "]).build()
    api = LAYERS["API"].structure.codec(ByteOrder.LITTLE)().build()
    gmo = LAYERS["GMO"].structure.first(72).codec(ByteOrder.LITTLE)().build()
    data = md + gmo + (len(rfh2) + 4).to_bytes(4, "little") + rfh2 + b"body"
    packet = MQ(build_segment(0x95, api + data, flags1=0x30))
    names = [type(layer).__name__ for layer in layers_of(packet)]
    assert names == ["API", "MD", "GMO", "DataLength", "RFH2", "NameValueData", "MQData"]
    assert packet["RFH2"].StrucLength == len(rfh2)
    assert packet["NameValueData"].NameValueData == b"<usr><a>1</a></usr>  ".ljust(24)
    agree(bytes(packet))


@pytest.mark.parametrize("port", [1414, 15_000])
def test_sessions_of_scapy_put_segments_together(tmp_path: Any, port: int) -> None:
    path = tmp_path / "made.pcap"
    traffic = ClientTraffic(puts=(10, 9_000), gets=2)
    made = Scenario(clients=(traffic,), link=LinkType.ETHERNET, port=port, segment_size=700).build()
    made.save(path)
    found = [
        (layer.SegLength, layer.SegmentType)
        for packet in scapy_all.sniff(offline=str(path), session=scapy_all.TCPSession)
        for layer in packet.iterpayloads()
        if isinstance(layer, MQ)
    ]
    assert sorted(found) == sorted((segment.length, segment.type) for segment in made.truth.segments)


def test_other_payloads_stay_what_they_were() -> None:
    made = bytes(scapy_all.TCP(dport=1414) / b"GET / HTTP/1.1")
    assert MQ not in scapy_all.TCP(made)
    assert isinstance(scapy_all.TCP(bytes(scapy_all.TCP(dport=9) / build_segment(9))).payload, MQ)


def test_passwords_are_not_shown() -> None:
    uid = LAYERS["UID"](UserId="alice", Password="geheim")
    assert "geheim" not in uid.show(dump=True)
    assert "geheim" not in MQ(bytes(MQ(SegmentType=8) / uid)).show(dump=True)
    hidden = MQ(build_segment(10, b"CAUTgeheim"))
    assert "geheim" not in hidden.show(dump=True)


def test_a_missing_scapy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("mqbridge.captures.scapy_layer")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scapy", None)
    with pytest.raises(ImportError, match=r"pip install 'mqbridge\[scapy\]'"):
        import mqbridge.captures.scapy_layer  # noqa: F401


def test_every_layer_builds_and_reads_back() -> None:
    assert len(LAYERS) > 60
    for layer in LAYERS.values():
        assert issubclass(layer, MQLayer)
        built = bytes(layer())
        assert bytes(layer(built)) == built, layer
