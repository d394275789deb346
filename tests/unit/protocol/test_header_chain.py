"""The chain of headers in front of message data."""

from __future__ import annotations

import pytest

from mqbridge.protocol.chain import HEADER_FORMATS, MAX_HEADERS, walk, walk_descriptor, walk_unknown
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.structures import (
    DLH,
    MD,
    MD1,
    MDE,
    TM,
    TMC2,
    XQH,
    make_rfh,
    make_rfh2,
    parse_md,
)
from support.captures.vectors import thesis

BIG, LITTLE = 0x111, 0x222


def folders(encoding: int, format_name: bytes = b"MQSTR   ", ccsid: int = 1208) -> bytes:
    """An RFH2, big-endian, with what it says of the data behind it."""
    return make_rfh2(
        ByteOrder.BIG, [b"<usr><a>1</a></usr>"], encoding=encoding, coded_char_set_id=ccsid, format=format_name
    ).build()


def dead(encoding: int, format_name: bytes, ccsid: int = 437) -> bytes:
    """A DLH, little-endian, with what it says of the data behind it."""
    return DLH.codec(ByteOrder.LITTLE)(encoding=encoding, coded_char_set_id=ccsid, format=format_name).build()


@pytest.mark.spec("mq-wire.md 5.15")
def test_data_without_headers_is_all_body() -> None:
    chain = walk("MQSTR   ", LITTLE, 437, b"hola")
    assert (chain.links, chain.body, chain.body_offset, chain.stopped) == ([], b"hola", 0, None)
    assert (chain.body_format, chain.body_encoding, chain.body_ccsid) == ("MQSTR", LITTLE, 437)
    assert walk("", BIG, 819, b"").body == b""


@pytest.mark.spec("mq-wire.md 5.15")
def test_each_header_describes_what_follows() -> None:
    data = dead(BIG, b"MQHRF2  ", 850) + folders(LITTLE) + b"hello"
    chain = walk("MQDEAD", LITTLE, 437, data)
    assert [(link.name, link.offset, link.length) for link in chain.links] == [("DLH", 0, 172), ("RFH2", 172, 60)]
    first, second = chain.links
    assert (first.format, first.encoding, first.ccsid) == ("MQDEAD", LITTLE, 437)
    assert (second.format, second.encoding, second.ccsid) == ("MQHRF2", BIG, 850)
    assert (chain.body_format, chain.body_encoding, chain.body_ccsid) == ("MQSTR", LITTLE, 1208)
    assert (chain.body, chain.body_length, chain.stopped) == (b"hello", 5, None)
    assert chain.find("RFH2") is second
    assert chain.find("CIH") is None
    assert chain.bytes_of(first) == data[:172]
    assert chain.build() == data


@pytest.mark.spec("mq-wire.md 5.15")
def test_a_changed_header_changes_the_bytes() -> None:
    data = dead(BIG, b"MQSTR   ") + b"hello"
    chain = walk("MQDEAD", LITTLE, 437, data)
    chain.links[0].header.record.reason = 2053
    assert chain.build() == data[:8] + (2053).to_bytes(4, "little") + data[12:]


@pytest.mark.spec("mq-wire.md 5.14")
def test_a_message_on_a_transmission_queue() -> None:
    data = thesis(3)[48:]
    chain = walk("MQXMIT", LITTLE, 437, data)
    assert [(link.name, link.offset, link.length) for link in chain.links] == [("XQH", 0, 104), ("MD", 104, 324)]
    assert chain.links[0].header.record.remote_q_name == b"MyHPQ".ljust(48)
    assert (chain.body, chain.body_format, chain.body_ccsid) == (b"hola", "MQSTR", 437)
    assert chain.build() == data


@pytest.mark.spec("mq-wire.md 5.14")
def test_version_2_fields_travel_in_an_extension() -> None:
    front = (
        XQH.codec(ByteOrder.LITTLE)().build()
        + MD1.codec(ByteOrder.LITTLE)(format=b"MQHMDE  ", coded_char_set_id=437).build()
    )
    data = front + MDE.codec(ByteOrder.LITTLE)(format=b"MQSTR   ", msg_seq_number=7).build() + b"x"
    chain = walk("MQXMIT", LITTLE, 437, data)
    assert [link.name for link in chain.links] == ["XQH", "MD", "MDE"]
    assert chain.links[2].header.record.msg_seq_number == 7
    assert chain.body == b"x"


def test_the_descriptor_behind_xqh_is_of_version_1() -> None:
    data = XQH.codec(ByteOrder.LITTLE)().build() + MD.codec(ByteOrder.LITTLE)(version=2).build()
    chain = walk("MQXMIT", LITTLE, 437, data)
    assert [link.name for link in chain.links] == ["XQH"]
    assert isinstance(chain.stopped, StructureError)
    assert chain.stopped.reason == "Version is 2"


@pytest.mark.spec("mq-wire.md 5.15")
def test_nothing_is_described_behind_a_trigger_message() -> None:
    for structure in (TM, TMC2):
        data = structure.codec(ByteOrder.BIG)().build() + b"more"
        chain = walk("MQTRIG", BIG, 819, data)
        assert [link.name for link in chain.links] == [structure.name]
        assert (chain.body_format, chain.body) == ("", b"more")


@pytest.mark.spec("mq-wire.md 5.15")
def test_a_malformed_header_stops_the_chain_and_says_why() -> None:
    data = dead(BIG, b"MQHRF2  ") + folders(LITTLE)[:-1]
    chain = walk("MQDEAD", LITTLE, 437, data)
    assert [link.name for link in chain.links] == ["DLH"]
    assert isinstance(chain.stopped, StructureError)
    assert (chain.stopped.structure, chain.stopped.offset) == ("RFH2", 172 + 8)
    assert chain.stopped.reason == "StrucLength is 60, 59 bytes are there"
    assert (chain.body_offset, chain.body_format, chain.body_encoding) == (172, "MQHRF2", BIG)
    assert chain.build() == data


@pytest.mark.parametrize(
    ("format_name", "data", "reason"),
    [
        ("MQDEAD", b"", "ends inside StrucId: 4 bytes needed, 0 there"),
        ("MQDEAD", b"hello" * 50, "begins with 68656c6c"),
        ("MQHRF2", folders(LITTLE)[:20], "ends inside Format"),
        ("MQHRF2", make_rfh(ByteOrder.BIG, b"x").build(), "ends inside NameValueCCSID"),
        ("MQHRF2", make_rfh(ByteOrder.BIG, b"name value").build(), "Version is 1"),
        ("MQHRF", folders(LITTLE), "Version is 2"),
        ("MQXMIT", b"MD  " * 40, "begins with 4d442020"),
    ],
)
def test_reasons_to_stop(format_name: str, data: bytes, reason: str) -> None:
    chain = walk(format_name, BIG, 819, data)
    assert isinstance(chain.stopped, StructureError)
    assert reason in chain.stopped.reason
    assert (chain.links, chain.body) == ([], data)


@pytest.mark.spec("mq-wire.md 1.5")
def test_an_encoding_without_byte_order_stops_the_chain() -> None:
    data = dead(0, b"MQHRF2  ") + folders(LITTLE)
    chain = walk("MQDEAD", LITTLE, 437, data)
    assert isinstance(chain.stopped, ConversionError)
    assert [link.name for link in chain.links] == ["DLH"]
    assert walk("MQSTR", 0, 437, b"text").stopped is None


@pytest.mark.spec("mq-wire.md 1.5")
def test_special_ccsids_mean_that_of_the_header() -> None:
    for special in (0, -1, -2, -3):
        chain = walk("MQHRF2", BIG, 850, folders(BIG, ccsid=special))
        assert chain.body_ccsid == 850
    assert walk("MQHRF2", BIG, 850, folders(BIG, ccsid=500)).body_ccsid == 500


@pytest.mark.spec("mq-wire.md 1.3")
def test_headers_in_ebcdic_whatever_the_ccsid_says() -> None:
    codec = DLH.codec(ByteOrder.BIG)
    data = codec(struc_id="DLH ".encode("cp500"), format="MQHRF2  ".encode("cp500")).build() + folders(BIG)
    chain = walk("MQDEAD", BIG, 819, data)
    assert [link.name for link in chain.links] == ["DLH", "RFH2"]


def test_formats_padded_with_nuls() -> None:
    chain = walk("MQHRF2\0\0", BIG, 819, folders(BIG, b"MQSTR\0\0\0"))
    assert ([link.name for link in chain.links], chain.body_format) == (["RFH2"], "MQSTR")


@pytest.mark.spec("mq-wire.md 5.7")
def test_from_a_descriptor() -> None:
    raw = MD.codec(ByteOrder.LITTLE)(version=2, encoding=BIG, coded_char_set_id=0, format=b"MQHRF2  ").build()
    chain = walk_descriptor(parse_md(raw, 0, ByteOrder.LITTLE), folders(LITTLE, ccsid=-2) + b"x", default_ccsid=819)
    assert [link.ccsid for link in chain.links] == [819]
    assert (chain.body, chain.body_ccsid) == (b"x", 819)
    raw = MD.codec(ByteOrder.BIG)(
        struc_id="MD  ".encode("cp500"), format="MQSTR   ".encode("cp500"), coded_char_set_id=500
    ).build()
    chain = walk_descriptor(parse_md(raw, 0, ByteOrder.BIG), b"\xc8", default_ccsid=819)
    assert (chain.body_format, chain.body_ccsid) == ("MQSTR", 500)


def test_a_chain_found_by_its_first_identifier() -> None:
    inner = folders(LITTLE) + b"body"
    for data, names in (
        (inner, ["RFH2"]),
        (dead(BIG, b"MQHRF2  ") + inner, ["DLH", "RFH2"]),
        (make_rfh(ByteOrder.LITTLE, b"name value", format=b"MQSTR   ").build() + b"body", ["RFH"]),
        (MD1.codec(ByteOrder.BIG)(format=b"MQHRF2  ", encoding=BIG).build() + inner, ["MD", "RFH2"]),
        (MD.codec(ByteOrder.LITTLE)(version=2, format=b"MQHRF2  ", encoding=BIG).build() + inner, ["MD", "RFH2"]),
        (TMC2.codec(ByteOrder.BIG)().build() + b"body", ["TMC2"]),
        (thesis(3)[48:], ["XQH", "MD"]),
        (b"body", []),
        (b"TSH body", []),
    ):
        chain = walk_unknown(data)
        assert [link.name for link in chain.links] == names
        assert chain.stopped is None
        assert chain.build() == data
    chain = walk_unknown(DLH.codec(ByteOrder.BIG)(struc_id="DLH ".encode("cp500")).build())
    assert (chain.links[0].ccsid, chain.links[0].encoding) == (500, BIG)
    stopped = walk_unknown(b"MD  \0\0\0\1" + b"short").stopped
    assert isinstance(stopped, StructureError)


def test_a_chain_has_only_so_many_headers() -> None:
    one = dead(LITTLE, b"MQDEAD  ")
    chain = walk("MQDEAD", LITTLE, 437, one * MAX_HEADERS)
    assert len(chain.links) == MAX_HEADERS
    assert chain.stopped is not None
    chain = walk("MQDEAD", LITTLE, 437, one * (MAX_HEADERS + 5))
    assert len(chain.links) == MAX_HEADERS
    assert "more than 100 headers" in str(chain.stopped)
    assert chain.body_length == 5 * len(one)


def test_formats_that_begin_with_a_header() -> None:
    assert {"MQXMIT", "MQDEAD", "MQHMDE", "MQHDIST", "MQHRF", "MQHRF2"} <= HEADER_FORMATS
    assert "MQSTR" not in HEADER_FORMATS
    assert "MQADMIN" not in HEADER_FORMATS
