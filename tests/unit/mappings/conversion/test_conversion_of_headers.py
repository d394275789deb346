from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.conversion import DataEncoding, convert_data
from mqbridge.protocol.chain import HeaderChain, walk
from mqbridge.protocol.constants import MQCFT, MQRC, ByteOrder
from mqbridge.protocol.structures.cih import CIH
from mqbridge.protocol.structures.dh import OR, make_dh, put_message_record
from mqbridge.protocol.structures.dlh import DLH
from mqbridge.protocol.structures.iih import IIH
from mqbridge.protocol.structures.md import MD1
from mqbridge.protocol.structures.mde import MDE
from mqbridge.protocol.structures.pcf import Parameter, make_pcf, parse_pcf, string_list_parameter, string_parameter
from mqbridge.protocol.structures.rfh import make_rfh
from mqbridge.protocol.structures.rfh2 import make_rfh2
from mqbridge.protocol.structures.rmh import make_rmh
from mqbridge.protocol.structures.tm import TM
from mqbridge.protocol.structures.wih import WIH
from mqbridge.protocol.structures.xqh import XQH

BIG, LITTLE = 273, 546
HERE = DataEncoding(LITTLE, 1208)
HOST = DataEncoding(BIG, 500)
STRING = b"MQSTR   "


def there(text: str) -> bytes:
    return text.encode("cp500")


def to_host(format_name: str, data: bytes, source: DataEncoding = HERE, reason: int = 0) -> HeaderChain:
    """The data as a host sees them, after which they must come back as they were."""
    converted = convert_data(format_name, source, data, HOST)
    assert converted.reason == reason
    assert converted.form == HOST
    chain = walk(format_name, BIG, 500, converted.data)
    assert chain.stopped is None
    return chain


def behind(chain: HeaderChain) -> tuple[str, int, int, bytes]:
    return chain.body_format, chain.body_encoding, chain.body_ccsid, chain.body


LINK: dict[str, Any] = {"format": STRING, "encoding": LITTLE, "coded_char_set_id": 1208}
HEADERS: dict[str, tuple[str, bytes]] = {
    "DLH": ("MQDEAD", DLH.codec(ByteOrder.LITTLE)(dest_q_name=b"Q".ljust(48), reason=2053, **LINK).build()),
    "MDE": ("MQHMDE", MDE.codec(ByteOrder.LITTLE)(group_id=bytes(range(24)), msg_seq_number=3, **LINK).build()),
    "CIH": ("MQCICS", CIH.codec(ByteOrder.LITTLE)(transaction_id=b"ABCD", facility=bytes(range(8)), **LINK).build()),
    "IIH": ("MQIMS", IIH.codec(ByteOrder.LITTLE)(**LINK).build()),
    "WIH": ("MQHWIH", WIH.codec(ByteOrder.LITTLE)(**LINK).build()),
    "RFH": ("MQHRF", make_rfh(ByteOrder.LITTLE, b"Psc Command ", **LINK).build()),
    "RFH2": ("MQHRF2", make_rfh2(ByteOrder.LITTLE, [b"<usr><a>1</a></usr>"], **LINK).build()),
    "RMH": ("MQHREF", make_rmh(ByteOrder.LITTLE, {"src_name": b"/tmp/x", "dest_env": b"host"}, **LINK).build()),
}


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_and_its_text_are_converted(name: str) -> None:
    format_name, header = HEADERS[name]
    chain = to_host(format_name, header + b"text")
    assert behind(chain) == ("MQSTR", BIG, 500, there("text"))
    assert [link.name for link in chain.links] == [name]
    back = convert_data(format_name, HOST, bytes(chain.data), HERE)
    assert (back.data, back.form, back.reason) == (header + b"text", HERE, 0)


@pytest.mark.spec("mqi.md 14")
def test_fields_are_converted_by_their_kind() -> None:
    chain = to_host("MQDEAD", HEADERS["DLH"][1] + b"text")
    header = chain.links[0].header
    assert header.record.struc_id == there("DLH ")
    assert header.record.dest_q_name == there("Q".ljust(48))
    assert (header.record.reason, header.record.encoding, header.record.coded_char_set_id) == (2053, BIG, 500)
    chain = to_host("MQCICS", HEADERS["CIH"][1] + b"text")
    assert chain.links[0].header.record.facility == bytes(range(8))


@pytest.mark.spec("mqi.md 21.18")
@pytest.mark.spec("mqi.md 14")
def test_folders_of_an_rfh2_keep_their_own_code_page() -> None:
    folder = "<usr><a>ä</a></usr>"
    for ccsid, raw, expected in (
        (1208, folder.encode(), folder.encode()),
        (1200, folder.encode("utf_16_le"), folder.encode("utf_16_be")),
    ):
        blank = " ".encode("utf_16_le") if ccsid == 1200 else b" "
        made = make_rfh2(ByteOrder.LITTLE, [raw], blank=blank, name_value_ccsid=ccsid, **LINK)
        chain = to_host("MQHRF2", made.build() + b"text")
        header: Any = chain.links[0].header
        assert header.record.name_value_ccsid == ccsid
        assert header.folders[0].startswith(expected)
        assert behind(chain)[3] == there("text")


@pytest.mark.spec("mqi.md 21.18")
@pytest.mark.spec("mqi.md 14")
def test_a_blank_format_behind_headers_stays_and_is_no_fault() -> None:
    made = make_rfh2(ByteOrder.LITTLE, [b"<usr/>"], format=b" " * 8, encoding=LITTLE, coded_char_set_id=1208)
    chain = to_host("MQHRF2", made.build() + b"body")
    assert behind(chain) == ("", LITTLE, 1208, b"body")
    assert chain.links[0].header.record.struc_id == there("RFH ")


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize("ccsid", [1208, -2, 0])
def test_what_cannot_be_converted_behind_a_header_stays_and_is_told_of(ccsid: int) -> None:
    made = make_rfh2(ByteOrder.LITTLE, [b"<usr/>"], format=b"MYOWN   ", encoding=LITTLE, coded_char_set_id=ccsid)
    chain = to_host("MQHRF2", made.build() + b"body", reason=MQRC.FORMAT_ERROR)
    assert behind(chain) == ("MYOWN", LITTLE, 1208, b"body")


@pytest.mark.spec("mqi.md 14")
def test_an_inherited_code_page_stays_inherited_while_that_is_true() -> None:
    made = make_rfh2(ByteOrder.LITTLE, [b"<usr/>"], format=STRING, encoding=LITTLE, coded_char_set_id=-2)
    chain = to_host("MQHRF2", made.build() + b"text")
    assert chain.links[0].header.record.coded_char_set_id == -2
    assert behind(chain) == ("MQSTR", BIG, 500, there("text"))


@pytest.mark.spec("mqi.md 14")
def test_headers_in_several_forms_come_to_one() -> None:
    inner = make_rfh2(ByteOrder.BIG, [b"<usr/>"], format=there("MQSTR   "), encoding=LITTLE, coded_char_set_id=819)
    inner.record.struc_id = there("RFH ")
    dead = DLH.codec(ByteOrder.LITTLE)(format=b"MQHRF2  ", encoding=BIG, coded_char_set_id=500)
    chain = to_host("MQDEAD", dead.build() + inner.build() + b"a\xe4")
    assert [link.name for link in chain.links] == ["DLH", "RFH2"]
    assert behind(chain) == ("MQSTR", BIG, 500, there("aä"))


@pytest.mark.spec("mqi.md 14")
def test_a_message_of_a_transmission_queue() -> None:
    xqh = XQH.codec(ByteOrder.LITTLE)(remote_q_name=b"Q".ljust(48), remote_q_mgr_name=b"MARS".ljust(48))
    md = MD1.codec(ByteOrder.LITTLE)(format=STRING, encoding=LITTLE, coded_char_set_id=1208, msg_id=bytes(range(24)))
    chain = to_host("MQXMIT", xqh.build() + md.build() + b"text")
    assert [link.name for link in chain.links] == ["XQH", "MD"]
    assert chain.links[0].header.record.remote_q_name == there("Q".ljust(48))
    assert chain.links[1].header.record.msg_id == bytes(range(24))
    assert behind(chain) == ("MQSTR", BIG, 500, there("text"))
    md.user_identifier = b"\xff" * 12
    data = xqh.build() + md.build() + b"text"
    converted = convert_data("MQXMIT", HERE, data, HOST)
    assert (converted.data, converted.form, converted.reason) == (data, HERE, MQRC.NOT_CONVERTED)


def test_a_trigger_message() -> None:
    data = TM.codec(ByteOrder.LITTLE)(q_name=b"Q".ljust(48), appl_type=6).build()
    chain = to_host("MQTRIG", data)
    assert chain.links[0].header.record.q_name == there("Q".ljust(48))
    assert chain.links[0].header.record.appl_type == 6


def test_a_distribution_header() -> None:
    objects = [
        OR.codec(ByteOrder.LITTLE)(object_name=name.ljust(48), object_q_mgr_name=b"M".ljust(48))
        for name in (b"A", b"B")
    ]
    puts = [put_message_record(9).codec(ByteOrder.LITTLE)(msg_id=bytes(range(24)), feedback=7) for _ in objects]
    made = make_dh(ByteOrder.LITTLE, objects, puts, put_msg_rec_fields=9, **LINK)
    chain = to_host("MQHDIST", made.build() + b"text")
    header: Any = chain.links[0].header
    assert [each.object_name for each in header.object_records] == [there(name.ljust(48)) for name in "AB"]
    assert [(each.msg_id, each.feedback) for each in header.put_msg_records] == [(bytes(range(24)), 7)] * 2
    assert behind(chain)[3] == there("text")


@pytest.mark.parametrize("format_name", ["MQADMIN", "MQPCF", "MQEVENT", "MQCMD1", "MQCMD2"])
def test_commands(format_name: str) -> None:
    group = Parameter(
        int(MQCFT.GROUP), 9001, [Parameter(int(MQCFT.INTEGER), 3, -1), string_parameter(2016, b"Q1", 1208)]
    )
    message = make_pcf(
        ByteOrder.LITTLE,
        13,
        [
            string_parameter(2016, "Ä".encode(), 1208),
            string_parameter(2015, b"X" * 5),
            string_list_parameter(2010, [b"AB  ", "ä  ".encode()], 4, 1208),
            Parameter(int(MQCFT.INTEGER_LIST), 1000, [1, 2]),
            Parameter(int(MQCFT.BYTE_STRING), 7000, b"\1\2\3\4"),
            group,
        ],
    )
    converted = convert_data(format_name, HERE, message.build(), HOST)
    assert converted.reason == 0
    read = parse_pcf(converted.data, 0, ByteOrder.BIG)
    texts = [(each.value, each.ccsid) for each in read.parameters[:3]]
    assert texts == [(there("Ä"), 500), (there("XXXXX"), 0), ([there("AB  "), there("ä   ")], 500)]
    assert [each.value for each in read.parameters[3:5]] == [[1, 2], b"\1\2\3\4"]
    assert [each.value for each in read.parameters[5].value] == [-1, there("Q1")]
    assert read.rest == b""
    unknown = make_pcf(ByteOrder.LITTLE, 13, [Parameter(99, 1, b"????")])
    assert convert_data(format_name, HERE, unknown.build(), HOST).reason == MQRC.NOT_CONVERTED


@pytest.mark.spec("mqi.md 14")
@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (HERE, DataEncoding(BIG, 1200), MQRC.TARGET_CCSID_ERROR),
        (HERE, DataEncoding(0, 500), MQRC.TARGET_INTEGER_ENC_ERROR),
        (HERE, DataEncoding(BIG, 99999), MQRC.TARGET_CCSID_ERROR),
        (DataEncoding(LITTLE, 1200), HOST, MQRC.SOURCE_CCSID_ERROR),
        (DataEncoding(LITTLE, 99999), HOST, MQRC.SOURCE_CCSID_ERROR),
    ],
)
def test_headers_need_a_byte_order_and_a_code_page(source: DataEncoding, target: DataEncoding, reason: int) -> None:
    data = HEADERS["DLH"][1] + b"text"
    converted = convert_data("MQDEAD", source, data, target)
    assert (converted.data, converted.form, converted.reason) == (data, source, reason)


def test_a_field_that_grows_must_still_fit() -> None:
    latin = DataEncoding(LITTLE, 819)
    for name, reason in ((b"\xe4".ljust(48), 0), (b"\xe4" * 48, MQRC.CONVERTED_STRING_TOO_BIG)):
        data = DLH.codec(ByteOrder.LITTLE)(dest_q_name=name, format=b" " * 8).build()
        assert convert_data("MQDEAD", latin, data, HERE).reason == reason
