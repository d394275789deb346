"""Message headers of known content: where the fields stand, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol import structures
from mqbridge.protocol.constants import MQCUOWC, MQFMT, MQRC, MQRO, ByteOrder
from mqbridge.protocol.errors import StructureError
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.structures import (
    CIH,
    CIH1,
    DH,
    DLH,
    IIH,
    IMS_SEGMENT,
    MDE,
    OR,
    PMR,
    RFH,
    RFH2,
    RMH,
    TM,
    TMC2,
    WIH,
    Body,
    make_dh,
    make_rfh,
    make_rfh2,
    make_rmh,
    parse_cih,
    parse_dh,
    parse_dlh,
    parse_mde,
    parse_rfh,
    parse_rfh2,
    parse_rmh,
    parse_tmc2,
    put_message_record,
)

ORDERS: tuple[ByteOrder, ...] = (ByteOrder.BIG, ByteOrder.LITTLE)


@pytest.mark.parametrize(
    ("structure", "size", "places"),
    [
        (MDE, 72, {"Encoding": 12, "Format": 20, "GroupId": 32, "MsgSeqNumber": 56, "OriginalLength": 68}),
        (DLH, 172, {"Reason": 8, "DestQMgrName": 60, "Encoding": 108, "Format": 116, "PutTime": 164}),
        (RFH, 32, {"StrucLength": 8, "Encoding": 12, "CodedCharSetId": 16, "Format": 20, "Flags": 28}),
        (RFH2, 36, {"Flags": 28, "NameValueCCSID": 32}),
        (DH, 48, {"PutMsgRecFields": 32, "RecsPresent": 36, "ObjectRecOffset": 40, "PutMsgRecOffset": 44}),
        (OR, 96, {"ObjectQMgrName": 48}),
        (PMR, 108, {"CorrelId": 24, "GroupId": 48, "Feedback": 72, "AccountingToken": 76}),
        (CIH1, 164, {"ReturnCode": 32, "Facility": 76, "TransactionId": 124, "Reserved3": 156}),
        (CIH, 180, {"UOWControl": 44, "CursorPosition": 164, "Reserved4": 176}),
        (IIH, 84, {"LTermOverride": 32, "TranInstanceId": 64, "CommitMode": 81, "Reserved": 83}),
        (IMS_SEGMENT, 12, {"ZZ": 2, "TransactionCode": 4}),
        (WIH, 120, {"ServiceName": 32, "ServiceStep": 64, "MsgToken": 72, "Reserved": 88}),
        (RMH, 108, {"ObjectInstanceId": 40, "SrcEnvLength": 64, "DestNameOffset": 92, "DataLogicalOffset2": 104}),
        (TM, 684, {"TriggerData": 104, "ApplType": 168, "ApplId": 172, "EnvData": 428, "UserData": 556}),
        (TMC2, 732, {"ApplType": 168, "UserData": 556, "QMgrName": 684}),
    ],
    ids=lambda value: value.name if isinstance(value, Structure) else "",
)
@pytest.mark.spec("mq-wire.md 5.15")
def test_fields_stand_where_the_notes_say(structure: Structure, size: int, places: dict[str, int]) -> None:
    assert structure.size == size
    found = {slot.field.name: slot.offset for slot in structure.slots}
    assert places.items() <= found.items()


@pytest.mark.parametrize("structure", [MDE, DLH, RFH, RFH2, DH, CIH, IIH, WIH, RMH], ids=lambda made: made.name)
def test_a_new_header_is_read_back(structure: Structure) -> None:
    read: Any = getattr(structures, "parse_" + structure.name.lower())
    for order in ORDERS:
        raw = structure.codec(order)().build()
        header = read(raw, 0, order)
        assert header.build() == raw
        assert not header.rest
        assert header.record.encoding == (0x111 if order == ByteOrder.BIG else 0x222)


def test_every_field_has_a_meaning() -> None:
    for structure in (MDE, DLH, RFH, RFH2, DH, OR, PMR, CIH, IIH, WIH, RMH, TM, TMC2):
        for field in structure.fields:
            assert field.meaning, field.name
    assert {field.name for field in CIH.fields if field.since == "v2"} == {
        "CursorPosition",
        "ErrorOffset",
        "InputItem",
        "Reserved4",
    }
    assert {field.name for field in CIH.fields + IIH.fields if field.secret} == {"Authenticator"}


def test_values_have_names() -> None:
    def name(structure: Structure, field_name: str, value: int) -> str:
        field = next(field for field in structure.fields if field.name == field_name)
        assert field.names is not None
        return str(field.names(value))  # type: ignore[arg-type]

    assert name(DLH, "Reason", MQRC.Q_FULL) == "MQRC_Q_FULL"
    assert name(DLH, "Reason", 271) == "MQFB_XMIT_Q_MSG_ERROR"
    assert name(CIH, "UOWControl", MQCUOWC.ONLY) == "MQCUOWC_ONLY"
    assert name(RFH2, "CodedCharSetId", -2) == "MQCCSI_INHERIT"
    assert name(RFH2, "CodedCharSetId", 1208) == "1208"
    assert MQRO(0x0B000000) == 0x0B000000


@pytest.mark.spec("mq-wire.md 5.15")
def test_a_dead_letter_header_in_ebcdic() -> None:
    raw = (
        "DLH ".encode("cp500")
        + bytes([0, 0, 0, 1, 0, 0, 8, 0x05])
        + "Q.ONE".ljust(48).encode("cp500")
        + "QM1".ljust(48).encode("cp500")
        + (785).to_bytes(4, "big")
        + (500).to_bytes(4, "big")
        + "MQSTR   ".encode("cp500")
        + bytes([0, 0, 0, 2])
        + "CHANNEL".ljust(28).encode("cp500")
        + "2003070114304512".encode("cp500")
    )
    header = parse_dlh(b"??" + raw + b"body", 2, ByteOrder.BIG)
    assert header.record.reason == MQRC.Q_FULL
    assert header.record.dest_q_name.decode("cp500").strip() == "Q.ONE"
    assert (header.record.encoding, header.record.coded_char_set_id) == (785, 500)
    assert header.record.format.decode("cp500") == "MQSTR   "
    assert header.record.put_time.decode("cp500") == "14304512"
    assert header.build() == raw


@pytest.mark.spec("mq-wire.md 5.15")
def test_lengths_that_disagree_are_kept() -> None:
    raw = MDE.codec(ByteOrder.LITTLE)(struc_length=76).build() + b"\1\2\3\4" + b"body"
    header = parse_mde(raw, 0, ByteOrder.LITTLE)
    assert header.rest == b"\1\2\3\4"
    assert header.build() == raw[:76]


def test_wrong_beginnings_name_the_place() -> None:
    good = MDE.codec(ByteOrder.BIG)()
    for change, offset, words in (
        ({"struc_id": b"MDF "}, 7, "begins with 4d444620"),
        ({"version": 3}, 11, "Version is 3"),
        ({"struc_length": 71}, 15, "StrucLength is 71, the fixed part has 72 bytes"),
        ({"struc_length": 90}, 15, "StrucLength is 90, 77 bytes are there"),
    ):
        with pytest.raises(StructureError) as caught:
            parse_mde(bytes(7) + good.copy(**change).build() + b"tail!", 7, ByteOrder.BIG)
        assert (caught.value.structure, caught.value.offset, caught.value.reason) == ("MDE", offset, words)


@pytest.mark.spec("mq-wire.md 5.15")
def test_text_of_a_version_1_rules_header() -> None:
    made = make_rfh(ByteOrder.BIG, b"MQPSCommand RegSub MQPSTopic Stock", format=b"MQSTR   ")
    header = parse_rfh(made.build() + b"x", 0, ByteOrder.BIG)
    assert header.name_value_string == b"MQPSCommand RegSub MQPSTopic Stock"
    assert header == made


@pytest.mark.spec("mq-wire.md 5.15")
def test_folders_of_an_rfh2() -> None:
    made = make_rfh2(ByteOrder.BIG, [b"<mcd><Msd>jms_text</Msd></mcd>", b"<usr></usr>"], format=b"MQSTR   ")
    raw = made.build()
    assert made.record.struc_length == 36 + 4 + 32 + 4 + 12 == len(raw)
    assert raw[36:40] == bytes([0, 0, 0, 32])
    header = parse_rfh2(raw + b"body", 0, ByteOrder.BIG)
    assert header.folders == [b"<mcd><Msd>jms_text</Msd></mcd>  ", b"<usr></usr> "]
    assert MQFMT(header.record.format.decode()) is MQFMT.STRING
    wide = make_rfh2(ByteOrder.LITTLE, ["<a>".encode("utf_16_le")], blank=b" \0", name_value_ccsid=1200)
    assert wide.folders == ["<a> ".encode("utf_16_le")]


def test_a_folder_past_the_end_is_an_error() -> None:
    raw = bytearray(make_rfh2(ByteOrder.BIG, [b"<usr></usr>"]).build())
    raw[39] = 13
    with pytest.raises(StructureError, match="NameValueLength is 13, 12 bytes are there") as caught:
        parse_rfh2(raw, 0, ByteOrder.BIG)
    assert caught.value.offset == 36
    raw[39] = 9  # three bytes left over behind the folder
    header = parse_rfh2(raw, 0, ByteOrder.BIG)
    assert header.folders == [b"<usr></us"]
    assert header.build() == raw


@pytest.mark.spec("mq-wire.md 5.6")
def test_a_distribution_with_records() -> None:
    names = [OR.codec(ByteOrder.LITTLE)(object_name=name.ljust(48)) for name in (b"A", b"B")]
    fields = put_message_record(0x01 | 0x08).codec(ByteOrder.LITTLE)
    puts = [fields(msg_id=bytes([number]) * 24, feedback=number) for number in (1, 2)]
    made = make_dh(ByteOrder.LITTLE, names, puts, put_msg_rec_fields=0x09)
    header = parse_dh(made.build() + b"body", 0, ByteOrder.LITTLE)
    assert header.record.struc_length == 48 + 2 * 96 + 2 * 28
    assert header.object_records == names
    assert header.put_msg_records == puts
    assert header == made
    alone = make_dh(ByteOrder.BIG, [OR.codec(ByteOrder.BIG)()])
    assert parse_dh(alone.build(), 0, ByteOrder.BIG).put_msg_records == []
    assert alone.record.put_msg_rec_offset == 0


@pytest.mark.parametrize(
    ("change", "offset"),
    [
        ({"object_rec_offset": 0}, 40),
        ({"object_rec_offset": 47}, 40),
        ({"object_rec_offset": 49}, 40),
        ({"recs_present": 2}, 40),
        ({"recs_present": 0xFFFFFFFF}, 40),
        ({"put_msg_rec_offset": 144, "put_msg_rec_fields": 1}, 44),
        ({"put_msg_rec_offset": 0xFFFFFFFF, "put_msg_rec_fields": 1}, 44),
    ],
)
def test_records_outside_the_header_are_an_error(change: dict[str, int], offset: int) -> None:
    made = make_dh(ByteOrder.BIG, [OR.codec(ByteOrder.BIG)()])
    made.record = made.record.copy(**change)
    with pytest.raises(StructureError, match="do not lie in the header") as caught:
        parse_dh(made.build(), 0, ByteOrder.BIG)
    assert caught.value.offset == offset


def test_a_put_message_record_has_a_field() -> None:
    with pytest.raises(ValueError, match="at least one"):
        put_message_record(0x20)


@pytest.mark.spec("mq-wire.md 5.15")
def test_both_versions_of_the_cics_header() -> None:
    first = CIH1.codec(ByteOrder.BIG)(version=1, struc_length=164, transaction_id=b"TRN1").build()
    header = parse_cih(first + b"data", 0, ByteOrder.BIG)
    assert (header.known, header.rest, header.record.transaction_id) == (164, b"", b"TRN1")
    assert not header.has("cursor_position")
    assert header.build() == first
    second = CIH.codec(ByteOrder.LITTLE)(cursor_position=77).build()
    header = parse_cih(second, 0, ByteOrder.LITTLE)
    assert (header.known, header.record.cursor_position, header.record.uow_control) == (180, 77, 0x111)
    assert header.build() == second
    short = CIH1.codec(ByteOrder.BIG)(version=2, struc_length=170).build() + b"sixsix"
    header = parse_cih(short, 0, ByteOrder.BIG)
    assert (header.known, header.rest, header.record.cursor_position) == (164, b"sixsix", 0)
    assert header.build() == short


@pytest.mark.spec("mq-wire.md 5.15")
def test_texts_of_a_reference_header() -> None:
    made = make_rmh(ByteOrder.BIG, {"src_name": b"/data/in", "dest_name": b"/data/out"}, object_type=b"FLATFILE")
    header = parse_rmh(made.build() + b"body", 0, ByteOrder.BIG)
    assert header.text("src_name") == b"/data/in"
    assert header.text("dest_name") == b"/data/out"
    assert header.text("src_env") == b""
    assert (header.record.src_name_offset, header.record.dest_name_offset, header.record.struc_length) == (
        108,
        116,
        125,
    )
    header.record.dest_name_length = 10
    with pytest.raises(StructureError, match="10 bytes of dest_name at 116 do not lie in the header") as caught:
        parse_rmh(header.build(), 0, ByteOrder.BIG)
    assert caught.value.offset == 64 + 24


@pytest.mark.spec("mq-wire.md 5.15")
def test_a_trigger_message_in_characters() -> None:
    raw = TMC2.codec(ByteOrder.BIG)(q_name=b"Q".ljust(48), appl_type=b"11  ").build()
    assert isinstance(parse_tmc2(raw, 0, ByteOrder.LITTLE), Body)
    assert raw == TMC2.codec(ByteOrder.LITTLE)(q_name=b"Q".ljust(48), appl_type=b"11  ").build()
    assert raw.startswith(b"TMC    2")
    assert parse_tmc2(b"TMC2" + raw[4:], 0, ByteOrder.BIG).record.q_name.rstrip() == b"Q"
    with pytest.raises(StructureError, match="begins with"):
        parse_tmc2(b"TM  " + raw[4:], 0, ByteOrder.BIG)
