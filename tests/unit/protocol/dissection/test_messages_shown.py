"""Messages as plain data: descriptor, headers, PCF, body; found by their first bytes or by what is said of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mqbridge.protocol.constants import MQPMRF, ByteOrder
from mqbridge.protocol.dissection import Findings, begins_message, dissect_message, message_lines
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.structures import (
    DLH,
    MD,
    MD1,
    MDE,
    OR,
    XQH,
    Parameter,
    make_dh,
    make_pcf,
    make_rfh,
    make_rfh2,
    make_rmh,
    put_message_record,
    string_list_parameter,
    string_parameter,
)

ORDERS: tuple[ByteOrder, ...] = (ByteOrder.BIG, ByteOrder.LITTLE)
FOLDERS = (b"<mcd><Msd>jms_text</Msd></mcd>", b"<usr><colour>red</colour><n dt='i4'>7</n></usr>")


def shown(data: bytes, *, findings: Findings | None = None, **said: Any) -> dict[str, Any]:
    found = findings or Findings()
    message = dissect_message(data, found, **said)
    json.dumps(message)
    assert list(message_lines(message))
    if findings is None:
        assert not found.errors
    return message


def descriptor(order: ByteOrder, message_format: bytes, **values: Any) -> bytes:
    return MD.codec(order)(version=2, format=message_format.ljust(8), coded_char_set_id=819, **values).build()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.spec("mq-wire.md 5.7")
def test_descriptor_and_text(order: ByteOrder) -> None:
    message = shown(
        descriptor(order, b"MQSTR", reply_to_q=b"REPLY".ljust(48), msg_flags=0x08) + "grün".encode("latin-1")
    )
    (first,) = message["structures"]
    assert (first["structure"], first["offset"], first["length"]) == ("MQMD", 0, 364)
    assert first["fields"]["StrucId"] == "MD  "
    assert first["fields"]["ReplyToQ"] == "REPLY"
    assert first["fields"]["MsgFlags"] == 8
    assert "MQMF_" in first["names"]["MsgFlags"]
    assert message["body"] == {
        "offset": 364,
        "length": 4,
        "format": "MQSTR",
        "ccsid": 819,
        "text": "grün",
        "hex": "6772fc6e",
    }


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.spec("mq-wire.md 5.15")
def test_folders_of_an_rfh2(order: ByteOrder) -> None:
    header = make_rfh2(order, FOLDERS, format=b"MQSTR   ", coded_char_set_id=1208).build()
    message = shown(descriptor(order, b"MQHRF2") + header + b"body")
    rfh2 = message["structures"][1]
    assert (rfh2["structure"], rfh2["offset"], rfh2["length"]) == ("MQRFH2", 364, len(header))
    assert rfh2["folders"] == [
        {"name": "mcd", "text": FOLDERS[0].decode()},
        {"name": "usr", "text": FOLDERS[1].decode()},
    ]
    assert message["body"]["text"] == "body"


def test_folders_are_read_by_who_knows_how() -> None:
    def read(text: str) -> list[dict[str, Any]]:
        if "usr" in text:
            raise StructureError("RFH2", 0, "not today")
        return [{"name": "Msd", "type": "string", "value": "jms_text"}]

    header = make_rfh2(ByteOrder.BIG, FOLDERS, format=b"MQSTR   ").build()
    findings = Findings(read_folder=read)
    message = shown(header + b"body", findings=findings)
    first, second = message["structures"][0]["folders"]
    assert first["values"] == [{"name": "Msd", "type": "string", "value": "jms_text"}]
    assert "values" not in second
    assert findings.errors == ["offset 0: MQRFH2 folder usr: RFH2 at offset 0: not today"]
    lines = list(message_lines(message))
    assert any("Msd = jms_text" in line for line in lines)
    assert any("<usr><colour>" in line for line in lines)


@pytest.mark.spec("mq-wire.md 5.15")
@pytest.mark.parametrize("order", ORDERS)
def test_a_dead_letter_with_headers_behind(order: ByteOrder) -> None:
    letter = DLH.codec(order)(reason=2085, dest_q_name=b"NOWHERE".ljust(48), format=b"MQHMDE  ", coded_char_set_id=437)
    extension = MDE.codec(order)(format=b"MQHRF   ", msg_seq_number=3)
    text = make_rfh(order, b"MQPSCommand Publish ", format=b"        ")
    message = shown(letter.build() + extension.build() + text.build() + b"\1\2")
    names = [part["structure"] for part in message["structures"]]
    assert names == ["MQDLH", "MQMDE", "MQRFH"]
    assert message["structures"][0]["names"]["Reason"] == "MQRC_UNKNOWN_OBJECT_NAME"
    assert message["structures"][1]["fields"]["MsgSeqNumber"] == 3
    assert message["structures"][2]["fields"]["NameValueString"] == "MQPSCommand Publish"
    assert message["body"] == {"offset": 172 + 72 + 52, "length": 2, "format": "", "ccsid": 437, "hex": "0102"}


@pytest.mark.spec("mq-wire.md 5.15")
def test_messages_of_transmission_queues_and_distribution_lists() -> None:
    destinations = [OR.codec(ByteOrder.BIG)(object_name=name.ljust(48)) for name in (b"ONE", b"TWO")]
    records = [put_message_record(MQPMRF.FEEDBACK).codec(ByteOrder.BIG)(feedback=number) for number in (258, 259)]
    header = make_dh(ByteOrder.BIG, destinations, records, put_msg_rec_fields=MQPMRF.FEEDBACK, format=b"MQHREF  ")
    reference = make_rmh(ByteOrder.BIG, {"src_name": b"/tmp/a", "dest_name": b"/tmp/b"}, format=b"        ")
    inner = MD1.codec(ByteOrder.BIG)(format=b"MQHDIST ")
    message = shown(
        descriptor(ByteOrder.BIG, b"MQXMIT")
        + XQH.codec(ByteOrder.BIG)().build()
        + inner.build()
        + header.build()
        + reference.build()
    )
    names = [part["structure"] for part in message["structures"]]
    assert names == ["MQMD", "MQXQH", "MQMD", "MQDH", "MQRMH"]
    distribution, referred = message["structures"][3:]
    assert [record["structure"] for record in distribution["records"]] == ["MQOR", "MQOR", "MQPMR", "MQPMR"]
    assert distribution["records"][1]["fields"]["ObjectName"] == "TWO"
    assert distribution["records"][3]["names"]["Feedback"] == "MQFB_COA"
    assert distribution["records"][1]["offset"] == distribution["offset"] + 48 + 96
    assert (referred["fields"]["SrcName"], referred["fields"]["DestName"]) == ("/tmp/a", "/tmp/b")
    assert message["body"]["length"] == 0


def pcf(order: ByteOrder) -> bytes:
    group = Parameter(20, 8001, [Parameter(3, 2, 819), string_parameter(2016, b"INNER", 1208)])
    return make_pcf(
        order,
        38,
        [
            string_parameter(2016, "BÜRO".encode("cp437"), 437),
            Parameter(3, 20, -1),
            Parameter(5, 1001, [1, 2]),
            string_list_parameter(2020, [b"AB ", b"CDE"], 3, 819),
            group,
            Parameter(77, 1, b"\xaa\xbb\xcc\xdd"),
        ],
    ).build()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.spec("mq-wire.md 5.16")
def test_pcf_parameters_are_structures_of_their_own(order: ByteOrder) -> None:
    data = pcf(order)
    message = shown(descriptor(order, b"MQADMIN") + data + b"tail")
    parts = message["structures"][1:]
    assert [part["structure"] for part in parts] == [
        "MQCFH", "MQCFST", "MQCFIN", "MQCFIL", "MQCFSL", "MQCFGR", "MQCFIN", "MQCFST", "PCF parameter type 77",
    ]  # fmt: skip
    assert sum(part["length"] for part in parts) == len(data)
    assert parts[0]["fields"]["ParameterCount"] == 6
    assert parts[1]["fields"]["String"] == "BÜRO"
    assert parts[1]["names"]["Parameter"] == "MQCA_Q_NAME"
    assert parts[2]["fields"]["Value"] == -1
    assert parts[3]["fields"]["Values"] == [1, 2]
    assert message["body"] == {"offset": 364 + len(data), "length": 4, "format": "", "ccsid": 819, "hex": "7461696c"}


@pytest.mark.spec("mq-wire.md 5.16")
def test_pcf_that_is_cut_shows_what_is_whole() -> None:
    data = pcf(ByteOrder.BIG)
    for length in range(1, len(data)):
        findings = Findings()
        message = shown(data[:length], findings=findings, message_format="MQPCF", encoding=273)
        covered = sum(part["length"] for part in message["structures"]) + message["body"]["length"]
        assert covered == length
        assert findings.errors


def test_what_the_missing_descriptor_would_have_said() -> None:
    message = shown(b"hola", message_format="MQSTR", ccsid=437)
    assert message["structures"] == []
    assert (message["body"]["text"], message["body"]["ccsid"]) == ("hola", 437)
    header = make_rfh2(ByteOrder.LITTLE, FOLDERS, format=b"MQSTR   ").build()
    assert shown(header, message_format="MQHRF2", encoding=546)["structures"][0]["structure"] == "MQRFH2"
    assert shown(header)["structures"][0]["structure"] == "MQRFH2"
    assert "text" not in shown(b"\xff\xfe", message_format="MQSTR", ccsid=1208)["body"]
    assert shown("hi".encode("utf-16-le"), message_format="MQSTR", ccsid=1200, encoding=546)["body"]["text"] == "hi"


@pytest.mark.spec("mq-wire.md 5.15")
@pytest.mark.parametrize("order", ORDERS)
def test_a_header_that_is_cut_shows_its_whole_fields(order: ByteOrder) -> None:
    header = make_rfh2(order, FOLDERS, format=b"MQSTR   ").build()
    for length in (4, 8, 20, 36, len(header) - 1):
        findings = Findings()
        message = shown(descriptor(order, b"MQHRF2") + header[:length], findings=findings)
        assert len(findings.errors) == 1
        assert message["structures"][1]["structure"] == "MQRFH2"
        assert len(message["structures"][1]["fields"]) == sum(end <= length for end in (4, 8, 12, 16, 20, 28, 32, 36))
        assert message["body"]["offset"] + message["body"]["length"] == 364 + length
    findings = Findings()
    message = shown(descriptor(order, b"MQHRF2")[:100], findings=findings)
    assert message["structures"][0]["fields"]["Persistence"] == 2
    assert "offset 96: MD ends inside BackoutCount" not in findings.errors[0]
    assert findings.errors[0].startswith("offset 100: MD ends inside ReplyToQ")


def cut(header: bytes, message_format: str, *, lacks: int) -> dict[str, Any]:
    """The last structure that is shown of a big-endian header whose last bytes are not there."""
    findings, data = Findings(), header[: len(header) - lacks]
    message = shown(data, findings=findings, message_format=message_format, encoding=273)
    assert len(findings.errors) == 1
    assert sum(part["length"] for part in message["structures"]) + message["body"]["length"] == len(data)
    structure: dict[str, Any] = message["structures"][-1]
    return structure


@pytest.mark.spec("mq-wire.md 5.15")
def test_an_rfh2_that_is_cut_shows_its_whole_folders() -> None:
    header = make_rfh2(ByteOrder.BIG, FOLDERS).build()
    rfh2 = cut(header, "MQHRF2", lacks=1)
    assert (rfh2["folders"], rfh2["length"]) == ([{"name": "mcd", "text": FOLDERS[0].decode()}], 36 + 4 + 32)
    assert cut(header, "MQHRF2", lacks=len(header) - 40)["folders"] == []
    longer = bytearray(header)
    longer[8:12] = (len(header) + 100).to_bytes(4, "big")
    assert [folder["name"] for folder in cut(bytes(longer), "MQHRF2", lacks=0)["folders"]] == ["mcd", "usr"]


@pytest.mark.spec("mq-wire.md 5.15")
def test_an_rfh2_with_a_folder_that_passes_its_end_shows_those_in_front() -> None:
    header = bytearray(make_rfh2(ByteOrder.BIG, FOLDERS).build())
    header[72:76] = (1000).to_bytes(4, "big")
    assert [folder["name"] for folder in cut(bytes(header), "MQHRF2", lacks=0)["folders"]] == ["mcd"]


@pytest.mark.spec("mq-wire.md 5.15")
def test_a_distribution_header_that_is_cut_shows_its_whole_records() -> None:
    queues = [OR.codec(ByteOrder.BIG)(object_name=name.ljust(48)) for name in (b"Q1", b"Q2", b"Q3")]
    pmr = put_message_record(MQPMRF.MSG_ID)
    ids = [pmr.codec(ByteOrder.BIG)(msg_id=bytes([number]) * 24) for number in range(3)]
    header = make_dh(ByteOrder.BIG, queues, ids, put_msg_rec_fields=int(MQPMRF.MSG_ID)).build()
    records = cut(header, "MQHDIST", lacks=30)["records"]
    assert [record["structure"] for record in records] == ["MQOR"] * 3 + ["MQPMR"]
    dh = cut(header, "MQHDIST", lacks=3 * 24 + 1)
    assert ([record["fields"]["ObjectName"] for record in dh["records"]], dh["length"]) == (["Q1", "Q2"], 48 + 2 * 96)


@pytest.mark.spec("mq-wire.md 5.15")
def test_headers_with_texts_that_are_cut_show_the_whole_ones() -> None:
    rmh = cut(make_rmh(ByteOrder.BIG, {"src_name": b"/in", "dest_name": b"/out"}).build(), "MQHREF", lacks=1)
    assert (rmh["fields"]["SrcName"], "DestName" in rmh["fields"], rmh["length"]) == ("/in", False, 108 + 3)
    rfh = cut(make_rfh(ByteOrder.BIG, b"OPT_APP_GRP accounts OPT_MSG_TYPE order").build(), "MQHRF", lacks=2)
    assert (rfh["fields"]["NameValueString"], rfh["length"]) == ("OPT_APP_GRP accounts OPT_MSG_TYPE", 32 + 34)


@pytest.mark.spec("mq-wire.md 5.16")
def test_a_pcf_parameter_that_is_cut_shows_its_whole_values() -> None:
    numbers = make_pcf(ByteOrder.BIG, 1, [Parameter(5, 1001, [7, 8, 9])]).build()
    parameter = cut(numbers, "MQPCF", lacks=3)
    assert (parameter["structure"], parameter["fields"]["Count"], parameter["fields"]["Values"]) == (
        "MQCFIL",
        3,
        [7, 8],
    )
    texts = make_pcf(ByteOrder.BIG, 1, [string_list_parameter(2016, [b"AB  ", b"CD  "], 4, 819)]).build()
    assert cut(texts, "MQPCF", lacks=1)["fields"]["Strings"] == [b"AB  ".hex()]
    text = make_pcf(ByteOrder.BIG, 1, [string_parameter(2016, b"QUEUE", 819)]).build()
    assert cut(text, "MQPCF", lacks=6)["fields"]["StringLength"] == 5


def test_what_begins_a_message() -> None:
    assert begins_message(descriptor(ByteOrder.BIG, b"MQSTR"))
    assert begins_message(make_rfh(ByteOrder.BIG, b"x").build())
    assert not begins_message(b"hello, world")
    assert not begins_message(b"")


def test_a_password_in_a_header_is_not_shown() -> None:
    from mqbridge.protocol.structures import IIH

    header = IIH.codec(ByteOrder.BIG)(authenticator=b"s3cret".ljust(8), format=b"        ").build()
    message = shown(header)
    assert message["structures"][0]["fields"]["Authenticator"] == "********"
