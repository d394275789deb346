"""The base transformer of Everyplace, row by row of its table (mqe.md 18.4)."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mqbridge.mappings.everyplace import BaseTransformer
from mqbridge.mappings.everyplace.descriptor_fields import MAX_EXPIRY
from mqbridge.mappings.inferred import DUMP_FORMAT, DUMP_MSG_TYPE
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMT, MQPMO, ByteOrder
from mqbridge.protocol.everyplace.dump import dump
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.message import Style
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_FIELDS, MQ_STYLE, text_message, text_of
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

ORDERS: Final = Address("ORDERS", "SATURN")
REPLIES: Final = Address("REPLIES", "MOON")
NOW: Final = 1_795_251_600.0
UID: Final = MessageUid("MOON", 1_795_251_600_000)
VALUES: Final[dict[str, Any]] = {
    "MQ_Report": 0x01000000,
    "MQ_MsgType": 70_000,
    "MQ_Feedback": 275,
    "MQ_Encoding": 546,
    "MQ_CodedCharSetId": 500,
    "MQ_Format": "MYFORMAT",
    "MQ_Persistence": 0,
    "MQ_UserIdentifier": "anna",
    "MQ_AccountingToken": b"account",
    "MQ_ApplIdentityData": "identity",
    "MQ_PutApplType": 28,
    "MQ_PutApplName": "till",
    "MQ_PutDate": "20261120",
    "MQ_PutTime": "12000012",
    "MQ_ApplOriginData": "orig",
    "MQ_GroupId": b"group",
    "MQ_MsgSeqNumber": 3,
    "MQ_Offset": 100,
    "MQ_MsgFlags": 8,
    "MQ_OriginalLength": 200,
}


def style_message() -> EveryplaceMessage:
    message = EveryplaceMessage(MQ_STYLE)
    message.identify(UID)
    return message


def to_mq(message: EveryplaceMessage, now: float = NOW) -> Message:
    found = BaseTransformer().to_mq(message, ORDERS, MQPMO.SYNCPOINT, now)
    assert found.options == MQPMO.SYNCPOINT
    return found.message


def from_mq(message: Message, now: float = NOW) -> EveryplaceMessage:
    return BaseTransformer().from_mq(message, REPLIES, now)


def refused(message: EveryplaceMessage) -> Code:
    with pytest.raises(EveryplaceError) as caught:
        to_mq(message)
    return caught.value.code


@pytest.mark.spec("E-428", "E-435", "E-438")
@pytest.mark.parametrize("row", MQ_FIELDS, ids=lambda row: row.field)
def test_each_field_of_an_mqmd_goes_both_ways(row: Any) -> None:
    message = style_message()
    message.put(row.field, VALUES[row.field], row.types[0])
    found = to_mq(message)
    value = getattr(found.md, row.key)
    assert (value.rstrip(b"\0") if isinstance(value, bytes) else value) == VALUES[row.field]
    if isinstance(value, bytes):
        assert len(value) == row.length
    back = from_mq(found)
    assert set(back) == {row.field}
    assert back.get(row.field, row.types[0]) == VALUES[row.field]


@pytest.mark.spec("E-432", "E-435")
def test_an_mq_style_message_holds_what_differs_from_the_default() -> None:
    found = to_mq(style_message())
    assert found.data == b""
    assert len(found.raw_md) == 324
    assert found.md.priority == -1
    assert found.md.persistence == 1
    assert set(from_mq(found)) == set()


@pytest.mark.spec("E-432")
def test_priority_is_the_messages_or_the_default_of_the_queue() -> None:
    message = style_message()
    for priority in range(10):
        message.priority = priority
        assert to_mq(message).md.priority == priority
        assert from_mq(to_mq(message)).priority == priority
    assert from_mq(Message.build(priority=-1)).priority is None


@pytest.mark.spec("E-435")
def test_unsigned_words_are_signed_numbers_in_messages() -> None:
    message = style_message()
    message.put("MQ_Report", -2, FieldType.INT)
    assert to_mq(message).md.report == 0xFFFFFFFE
    assert from_mq(to_mq(message)).get("MQ_Report") == -2


@pytest.mark.spec("E-435", "E-077")
@pytest.mark.parametrize(
    ("expires", "tenths"),
    [(100, 1), (101, 2), (60_000, 600), (60_001, 601), (1, 1), (0, 1), (-500, 1)],
)
def test_the_remaining_time_is_in_tenths_rounded_up_and_at_least_one(expires: int, tenths: int) -> None:
    message = style_message()
    message.expire_at(int(NOW * 1000) + expires)
    assert to_mq(message).md.expiry == tenths
    relative = style_message()
    relative.expire_after(expires)
    assert to_mq(relative).md.expiry == tenths


@pytest.mark.spec("E-435", "E-078")
def test_relative_expiry_counts_from_creation_not_from_the_bridge() -> None:
    message = style_message()
    message.expire_after(10_000)
    assert to_mq(message, NOW + 4).md.expiry == 60
    assert to_mq(message, NOW + 40).md.expiry == 1
    assert to_mq(style_message()).md.expiry == -1


@pytest.mark.spec("E-435")
def test_expiry_of_mq_is_relative_in_milliseconds_or_absolute_if_it_is_too_large() -> None:
    found = from_mq(Message.build(expiry=600))
    assert found.get("Msg_ExpireTime", FieldType.INT) == 60_000
    largest = (2**31 - 1) // 100
    assert from_mq(Message.build(expiry=largest)).get("Msg_ExpireTime", FieldType.INT) == largest * 100
    found = from_mq(Message.build(expiry=largest + 1))
    assert found.get("Msg_ExpireTime", FieldType.LONG) == int(NOW * 1000) + (largest + 1) * 100
    assert "Msg_ExpireTime" not in from_mq(Message.build())
    far = style_message()
    far.expire_at(2**62)
    assert to_mq(far).md.expiry == MAX_EXPIRY


@pytest.mark.spec("E-435", "E-045", "E-049")
def test_ids_are_padded_and_too_long_ones_refused() -> None:
    message = style_message()
    message.msg_id, message.correl_id = b"one", b"x" * 24
    found = to_mq(message)
    assert found.md.msg_id == b"one".ljust(24, b"\0")
    assert found.md.correl_id == b"x" * 24
    back = from_mq(found)
    assert (back.msg_id, back.correl_id) == (b"one".ljust(24, b"\0"), b"x" * 24)
    message.correl_id = b"x" * 25
    assert refused(message) is Code.BRIDGE_ID_TOO_LONG
    message.correl_id, message.msg_id = None, b"x" * 25
    assert refused(message) is Code.BRIDGE_ID_TOO_LONG
    free = EveryplaceMessage()
    free.identify(UID)
    free.msg_id = b"x" * 25
    assert refused(free) is Code.BRIDGE_ID_TOO_LONG
    assert "Msg_MsgID" not in from_mq(Message.build())


@pytest.mark.spec("E-435", "E-054", "E-055")
def test_reply_to_names_are_padded_and_cut() -> None:
    message = style_message()
    message.reply_to = "REPLIES", "MOON"
    found = to_mq(message)
    assert (found.md.reply_to_q.rstrip(), found.md.reply_to_q_mgr.rstrip()) == ("REPLIES", "MOON")
    assert b"REPLIES".ljust(48) in found.raw_md
    assert from_mq(found).reply_to == ("REPLIES", "MOON")
    message.reply_to = "Q" * 49, "MOON"
    assert refused(message) is Code.TOO_LONG
    message.reply_to = "Q", ""
    message.put("Msg_ReplyToQ", "KÖLN", FieldType.UNICODE)
    assert refused(message) is Code.TOO_LONG


@pytest.mark.spec("E-435", "E-061")
def test_the_backout_count_comes_in_alone() -> None:
    message = style_message()
    message.put("Msg_BackoutCount", 3, FieldType.INT)
    assert to_mq(message).md.backout_count == 0
    assert from_mq(Message.build(backout_count=3)).get("Msg_BackoutCount", FieldType.INT) == 3


@pytest.mark.spec("E-437")
@pytest.mark.parametrize(
    ("style", "msg_type"), [(Style.REQUEST, MQMT.REQUEST), (Style.REPLY, MQMT.REPLY), (Style.DATAGRAM, MQMT.DATAGRAM)]
)
def test_style_and_message_type_say_the_same(style: Style, msg_type: MQMT) -> None:
    message = style_message()
    message.style = style
    assert to_mq(message).md.msg_type == msg_type
    assert from_mq(Message.build(msg_type=int(msg_type))).style is style
    assert from_mq(Message.build(msg_type=int(MQMT.REPORT))).style is Style.DATAGRAM


@pytest.mark.spec("E-429", "E-431", "E-439")
def test_every_other_message_is_funnelled_and_comes_back_with_its_uid() -> None:
    message = EveryplaceMessage("com.example.Order")
    message.identify(UID)
    message["apples"] = 2
    message.priority = 7
    message.resend = True
    found = to_mq(message)
    assert found.data == dump(message)
    assert (found.md.format, found.md.msg_type, found.md.priority) == (DUMP_FORMAT, DUMP_MSG_TYPE, 7)
    back = from_mq(found)
    assert back == message
    assert back.uid == UID


@pytest.mark.spec("E-429")
def test_an_mq_style_message_with_more_fields_is_funnelled() -> None:
    message = text_message("two apples")
    message.identify(UID)
    message["colour"] = "red"
    found = to_mq(message)
    assert found.md.format == DUMP_FORMAT
    assert from_mq(found) == message


@pytest.mark.spec("E-431")
def test_one_mark_is_enough() -> None:
    message = EveryplaceMessage()
    message.identify(UID)
    assert from_mq(Message.build(dump(message), format=DUMP_FORMAT)) == message
    assert from_mq(Message.build(dump(message), msg_type=DUMP_MSG_TYPE)) == message
    assert from_mq(Message.build(dump(message))).type == MQ_STYLE


@pytest.mark.spec("E-431", "E-032")
def test_a_mark_on_other_data() -> None:
    found = from_mq(Message.build(b"text of a program", msg_type=DUMP_MSG_TYPE))
    assert found.type == MQ_STYLE
    assert found.get("MQ_MsgType") == DUMP_MSG_TYPE
    message = EveryplaceMessage()
    message.identify(UID)
    for data in (b"", b"text", dump(message)[:-1], dump(message) + b"\0"):
        with pytest.raises(EveryplaceError) as caught:
            from_mq(Message.build(data, format=DUMP_FORMAT))
        assert caught.value.code is Code.DATA


@pytest.mark.spec("E-430", "E-436")
def test_a_plain_message_becomes_an_mq_style_one_without_uid() -> None:
    found = from_mq(Message.build(b"\x00\xffbytes", msg_id=b"M" * 24))
    assert found.type == MQ_STYLE
    assert found.get(DATA, FieldType.BYTE_ARRAY) == b"\x00\xffbytes"
    assert found.msg_id == b"M" * 24
    assert found.uid is None


@pytest.mark.spec("E-430")
@pytest.mark.parametrize(("order", "ccsid"), [(ByteOrder.BIG, 500), (ByteOrder.LITTLE, 819)])
def test_descriptors_of_every_machine_are_read(order: ByteOrder, ccsid: int) -> None:
    found = from_mq(
        Message.build(b"data", order=order, ccsid=ccsid, reply_to_q="Q", user_identifier="Jörg", format="MQSTR")
    )
    assert found.reply_to == ("Q", "")
    assert found.get("MQ_UserIdentifier", FieldType.UNICODE) == "Jörg"
    assert found.get("MQ_Format", FieldType.ASCII) == "MQSTR"


@pytest.mark.spec("E-434")
def test_text_is_what_mq_converts_and_other_data_pass_unchanged() -> None:
    message = text_message("Grüße")
    message.identify(UID)
    found = to_mq(message)
    assert (found.md.format, found.md.coded_char_set_id, found.data) == ("MQSTR", 1208, "Grüße".encode())
    assert text_of(from_mq(found)) == "Grüße"
    in_ebcdic = from_mq(Message.build("Grüße".encode("cp037"), format="MQSTR", coded_char_set_id=37))
    assert in_ebcdic.get(DATA) == "Grüße".encode("cp037")
    assert text_of(in_ebcdic) == "Grüße"
    assert text_of(text_message("")) == ""


@pytest.mark.parametrize(
    ("fields", "code"),
    [({"MQ_Format": ""}, Code.TYPE), ({"MQ_CodedCharSetId": 13488}, Code.DATA), ({DATA: b"\xff"}, Code.DATA)],
)
def test_what_is_no_readable_text_is_refused(fields: dict[str, Any], code: Code) -> None:
    message = text_message("text")
    for name, value in fields.items():
        message.put(name, value)
    with pytest.raises(EveryplaceError) as caught:
        text_of(message)
    assert caught.value.code is code


@pytest.mark.spec("E-435", "E-571")
@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("MQ_Report", "many", Code.TYPE),
        ("MQ_Format", "TENLETTERS", Code.TOO_LONG),
        ("MQ_GroupId", b"x" * 25, Code.TOO_LONG),
        ("MQ_UserIdentifier", "x" * 13, Code.TOO_LONG),
        ("Msg_Priority", 10, Code.SYNTAX),
        (DATA, "text", Code.TYPE),
    ],
)
def test_values_that_an_mqmd_cannot_have_are_refused(name: str, value: Any, code: Code) -> None:
    message = style_message()
    message.put(name, value)
    assert refused(message) is code


@pytest.mark.spec("E-426")
def test_the_base_transformer_has_no_parameters() -> None:
    BaseTransformer().activate([])
    with pytest.raises(EveryplaceError) as caught:
        BaseTransformer().activate(["fast"])
    assert caught.value.code is Code.ADMIN_INVALID_FIELD
