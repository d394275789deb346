"""SC-10: header mapping both ways."""

from __future__ import annotations

from typing import Final

import pytest

from mqbridge.mappings.everyplace import BaseTransformer
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.message import Style
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

ORDERS: Final = Address("ORDERS", "SATURN")
MOON: Final = MessageUid("MOON", 1_795_251_600_123)
NOW: Final = 1_795_251_610.0
HEADER: Final = {
    "MQ_Report": 0x01000100,
    "MQ_Feedback": 0,
    "MQ_Encoding": 546,
    "MQ_CodedCharSetId": 1208,
    "MQ_Persistence": 0,
    "MQ_Format": "MQSTR",
    "MQ_UserIdentifier": "till",
    "MQ_AccountingToken": b"\1token",
    "MQ_ApplIdentityData": "checkout",
    "MQ_PutApplType": 28,
    "MQ_PutApplName": "till.py",
    "MQ_PutDate": "20261120",
    "MQ_PutTime": "08000012",
    "MQ_ApplOriginData": "TILL",
    "MQ_GroupId": b"G1",
    "MQ_MsgSeqNumber": 2,
    "MQ_Offset": 0,
    "MQ_MsgFlags": 8,
    "MQ_OriginalLength": -1,
}


@pytest.mark.spec("SC-10", "E-428", "E-432", "E-435", "E-437")
def test_an_mq_style_message_with_all_header_fields_goes_to_mq() -> None:
    message = EveryplaceMessage(MQ_STYLE)
    message.identify(MOON)
    for name, value in HEADER.items():
        message[name] = value
    message.style = Style.REQUEST
    message.msg_id, message.correl_id = b"order 17", b"c" * 24
    message.reply_to = "REPLIES", "MOON"
    message.expire_after(60_000)
    message.put(DATA, b"two apples", FieldType.BYTE_ARRAY)

    found = BaseTransformer().to_mq(message, ORDERS, MQPMO.NONE, NOW).message

    md = found.md
    assert found.data == b"two apples"
    assert md.expiry == 502
    assert md.msg_id == b"order 17" + bytes(16)
    assert md.correl_id == b"c" * 24
    assert md.accounting_token == b"\1token" + bytes(26)
    assert md.group_id == b"G1" + bytes(22)
    assert md.priority == -1
    assert md.msg_type == 1
    assert (md.report, md.encoding, md.coded_char_set_id, md.persistence) == (0x01000100, 546, 1208, 0)
    assert (md.format, md.reply_to_q, md.reply_to_q_mgr) == ("MQSTR", "REPLIES", "MOON")
    assert (md.user_identifier, md.appl_identity_data, md.put_appl_name) == ("till", "checkout", "till.py")
    assert (md.put_date, md.put_time, md.appl_origin_data) == ("20261120", "08000012", "TILL")
    assert (md.version, md.msg_seq_number, md.msg_flags, md.original_length) == (2, 2, 8, -1)


@pytest.mark.spec("SC-10", "E-429", "E-430", "E-431", "E-439")
def test_an_ordinary_message_object_comes_back_identical_with_its_uid() -> None:
    message = EveryplaceMessage("com.example.Reading")
    message.identify(MOON)
    message["celsius"] = 21.5
    message["history"] = None
    message.put("raw", [1, 2, 3], FieldType.SHORT_ARRAY)
    transformer = BaseTransformer()

    found = transformer.from_mq(transformer.to_mq(message, ORDERS, MQPMO.NONE, NOW).message, ORDERS, NOW + 60)

    assert found == message
    assert found.uid == MOON


@pytest.mark.spec("SC-10", "E-430", "E-436")
def test_a_plain_message_of_mq_arrives_as_mq_style_object_and_keeps_its_msg_id() -> None:
    plain = Message.build(b"hello", format="MQSTR", msg_id=b"AMQ SATURN  12345678ABCD", priority=3, expiry=20)

    found = BaseTransformer().from_mq(plain, Address("REPLIES", "MOON"), NOW)

    assert found.type == MQ_STYLE
    assert found.uid is None
    assert found.msg_id == b"AMQ SATURN  12345678ABCD"
    assert found.get(DATA, FieldType.BYTE_ARRAY) == b"hello"
    assert found.priority == 3
    found.identify(MessageUid("EARTH", int(NOW * 1000)))
    assert found.expires == int(NOW * 1000) + 2000


@pytest.mark.spec("SC-10", "E-435")
@pytest.mark.parametrize("field", ["Msg_MsgID", "Msg_CorrelID"])
@pytest.mark.parametrize("type_name", [MQ_STYLE, ""])
def test_over_long_ids_are_refused(field: str, type_name: str) -> None:
    message = EveryplaceMessage(type_name)
    message.identify(MOON)
    message[field] = bytes(25)
    with pytest.raises(EveryplaceError) as caught:
        BaseTransformer().to_mq(message, ORDERS, MQPMO.NONE, NOW)
    assert caught.value.code is Code.BRIDGE_ID_TOO_LONG
