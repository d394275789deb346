"""What a received message says, row by row, where MQRFH2 and descriptor disagree (jms-mapping.md 2, 2.2, 3 and 6.1)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.jms import JmsFormatError, JmsMessage, Typed
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMF, ByteOrder
from mqbridge.protocol.structures.rfh2 import make_rfh2

NOW = 1_700_000_000.0
PUT = 1_690_000_000_120
ID = bytes(range(24))
HEX = "ID:" + ID.hex()
MD: dict[str, Any] = {
    "persistence": 1, "expiry": 600, "priority": 3, "msg_id": ID, "correl_id": b"\7" * 24, "reply_to_q": "BACK",
    "reply_to_q_mgr": "QM", "put_date": "20230722", "put_time": "04264012", "backout_count": 2,
    "user_identifier": "bob", "put_appl_name": "prog", "group_id": b"\5" * 24, "msg_seq_number": 4, "put_appl_type": 11,
}  # fmt: skip
JMS = (
    "<jms><Dst>queue:///SENT</Dst><Rto>queue:///OTHER?priority=7</Rto><Tms>5</Tms><Exp>9</Exp><Pri>8</Pri><Cid>mine</Cid>"
    "<Dlv>1</Dlv><Gid>g</Gid><Seq>6</Seq></jms>"
)
MCD = "<mcd><Msd>jms_text</Msd><Type>T</Type></mcd>"


def built(*folders: str, data: bytes = b"x", form: str = "MQSTR", **fields: Any) -> Message:
    given = {"encoding": 546, "coded_char_set_id": 1208, **MD, **fields}
    if not folders:
        return Message.build(data, format=form, **given)
    header = make_rfh2(
        ByteOrder.LITTLE, [each.encode() for each in folders], encoding=546, coded_char_set_id=1208,
        format=form.ljust(8).encode(), name_value_ccsid=1208,
    )  # fmt: skip
    return Message.build(header.build() + data, format="MQHRF2", **given)


def received(*folders: str, **about: Any) -> JmsMessage:
    return JmsMessage.of(built(*folders, **about), now=NOW)


@pytest.mark.spec("jms-mapping.md 2")
@pytest.mark.spec("jms-mapping.md 11.1")
@pytest.mark.parametrize(
    ("header", "both", "descriptor_alone"),
    [
        ("destination", "queue:///SENT", None),
        ("delivery_mode", 1, 2),
        ("expiration", 9, int(NOW * 1000) + 60_000),
        ("priority", 3, 3),
        ("message_id", HEX, HEX),
        ("timestamp", 5, PUT),
        ("correlation_id", "mine", "ID:" + "07" * 24),
        ("reply_to", "queue://QM/BACK?priority=7", "queue://QM/BACK"),
        ("type", "T", None),
        ("redelivered", True, True),
    ],
)
def test_who_wins_for_each_header_field(header: str, both: Any, descriptor_alone: Any) -> None:
    for message, expected in ((received(MCD, JMS), both), (received(MCD), descriptor_alone)):
        found = getattr(message, header)
        if header == "type" and expected is None:
            expected = "T"
        assert (str(found) if header in ("destination", "reply_to") and found is not None else found) == expected


@pytest.mark.spec("jms-mapping.md 2.2")
@pytest.mark.parametrize(
    ("folders", "fields", "header", "value"),
    [
        ((JMS.replace("mine", HEX),), {}, "correlation_id", HEX),
        ((JMS.replace("<Cid>mine</Cid>", "<Cid xsi:nil='true'></Cid>"),), {}, "correlation_id", ""),
        ((MCD,), {"correl_id": bytes(24)}, "correlation_id", None),
        ((JMS,), {"reply_to_q": "", "reply_to_q_mgr": ""}, "reply_to", "queue:///OTHER?priority=7"),
        ((JMS.replace("queue:///OTHER", "topic://t"),), {}, "reply_to", "queue://QM/BACK?priority=7"),
        ((), {}, "reply_to", "queue://QM/BACK?targetClient=1"),
        ((MCD,), {}, "reply_to", "queue://QM/BACK"),
        ((MCD,), {"reply_to_q": "", "reply_to_q_mgr": ""}, "reply_to", None),
        ((JMS.replace("<Exp>9", "<Exp>0"),), {}, "expiration", int(NOW * 1000) + 60_000),
        ((MCD,), {"expiry": -1}, "expiration", 0),
        (("<mcd><Msd>mrm</Msd></mcd>",), {}, "type", "mcd://mrm"),
        (("<mcd><Msd>mrm</Msd><Set>s</Set></mcd>",), {}, "type", "mcd://mrm/s"),
        (("<mcd><Msd>mrm</Msd><Type>t</Type></mcd>",), {}, "type", "mcd://mrm//t"),
        (("<mcd><Msd>mrm</Msd><Fmt>f</Fmt></mcd>",), {}, "type", "mcd://mrm?format=f"),
        (("<mcd><Msd>jms_null</Msd><Type>t</Type></mcd>",), {}, "type", "mcd://jms_null//t"),
        ((MCD, "<mqps><Top>a/b</Top></mqps>"), {}, "destination", "topic://a/b"),
        ((JMS, "<mqps><Top>a/b</Top></mqps>"), {}, "destination", "queue:///SENT"),
        ((MCD,), {"put_date": "", "put_time": ""}, "timestamp", 0),
        ((MCD,), {"backout_count": 0}, "redelivered", False),
    ],
)  # fmt: skip
def test_values_of_header_fields(folders: tuple[str, ...], fields: dict[str, Any], header: str, value: Any) -> None:
    found = getattr(received(*folders, **fields), header)
    assert (str(found) if header in ("destination", "reply_to") and found is not None else found) == value


@pytest.mark.spec("jms-mapping.md 3.1")
@pytest.mark.parametrize(
    ("flags", "folder", "group_id", "group_seq"),
    [
        (0, "", None, None),
        (MQMF.MSG_IN_GROUP, "", "ID:" + "05" * 24, 4),
        (MQMF.LAST_MSG_IN_GROUP, "", "ID:" + "05" * 24, 4),
        (0, JMS, "g", 6),
        (MQMF.MSG_IN_GROUP, JMS, "g", 4),
    ],
)
def test_groups_and_who_sent(flags: int, folder: str, group_id: str | None, group_seq: int | None) -> None:
    found = received(MCD, *([folder] if folder else []), msg_flags=int(flags))
    assert (found.group_id, found.group_seq) == (group_id, group_seq)
    assert (found.headers.user_id, found.headers.app_id, found.delivery_count) == ("bob", "prog", 3)


@pytest.mark.spec("jms-mapping.md 3.2")
@pytest.mark.parametrize(
    ("name", "fields", "value"),
    [
        *((f"JMS_IBM_Report_{name}", {"report": bits}, Typed(bits, "i4")) for name, bits in (
            ("Exception", 0x01000000), ("Exception", 0x03000000), ("Exception", 0x07000000), ("Expiration", 0x200000),
            ("Expiration", 0x600000), ("Expiration", 0xE00000), ("COA", 0x100), ("COA", 0x300), ("COA", 0x700),
            ("COD", 0x800), ("COD", 0x1800), ("COD", 0x3800), ("PAN", 1), ("NAN", 2), ("Pass_Msg_ID", 0x80),
            ("Pass_Correl_ID", 0x40), ("Discard_Msg", 0x8000000),
        )),
        ("JMS_IBM_MsgType", {"msg_type": 1}, Typed(1, "i4")),
        ("JMS_IBM_Feedback", {"feedback": 275}, Typed(275, "i4")),
        ("JMS_IBM_Format", {}, Typed("MQSTR", "string")),
        ("JMS_IBM_PutApplType", {}, Typed(11, "i4")),
        ("JMS_IBM_Encoding", {}, Typed(546, "i4")),
        ("JMS_IBM_Character_Set", {}, Typed("UTF-8", "string")),
        ("JMS_IBM_PutDate", {}, Typed("20230722", "string")),
        ("JMS_IBM_PutTime", {}, Typed("04264012", "string")),
        ("JMS_IBM_Last_Msg_In_Group", {"msg_flags": int(MQMF.LAST_MSG_IN_GROUP)}, Typed(True, "boolean")),
        ("JMS_IBM_ArmCorrelator", {}, Typed("arm", "string")),
        ("JMS_IBM_RMCorrelator", {}, Typed("wrm", "string")),
        ("JMS_IBM_Retain", {}, Typed(1, "i4")),
    ],
)  # fmt: skip
def test_properties_of_the_provider(name: str, fields: dict[str, Any], value: Typed) -> None:
    more = "<mqext><Arm>arm</Arm><Wrm>wrm</Wrm></mqext>", "<mqps><Top>t</Top><Ret>1</Ret></mqps>"
    found = received(MCD, *more, **fields).provider_properties
    assert found[name] == value
    if name in ("JMS_IBM_Feedback", "JMS_IBM_Last_Msg_In_Group") or "Report" in name:
        assert name not in received(MCD).provider_properties


NUMBERS = (
    "Report", "MsgType", "Expiry", "Feedback", "Encoding", "CodedCharSetId", "Priority", "Persistence", "BackoutCount",
    "PutApplType", "MsgSeqNumber", "Offset", "MsgFlags", "OriginalLength",
)  # fmt: skip
TEXTS = (
    "Format", "ReplyToQ", "ReplyToQMgr", "UserIdentifier", "ApplIdentityData", "PutApplName", "PutDate", "PutTime",
    "ApplOriginData",
)  # fmt: skip
BYTES = ("MsgId", "CorrelId", "AccountingToken", "GroupId")


@pytest.mark.spec("jms-mapping.md 3.2")
@pytest.mark.parametrize(
    ("suffix", "dt"),
    [
        *((each, "i4") for each in NUMBERS),
        *((each, "string") for each in TEXTS),
        *((each, "bin.hex") for each in BYTES),
    ],
)
def test_the_descriptor_itself_is_read_and_written_where_the_destination_allows_it(suffix: str, dt: str) -> None:
    name = f"JMS_IBM_MQMD_{suffix}"
    value = {"i4": 1, "string": "X", "bin.hex": b"\1".ljust(32 if suffix == "AccountingToken" else 24, b"\1")}[dt]
    sent = JmsMessage("bytes", b"x", properties={name: Typed(value, dt)})
    made = sent.message("queue:///Q?mdWriteEnabled=true&mdMessageContext=2&targetClient=1", now=NOW)
    found = JmsMessage.of(made, "queue:///Q?mdReadEnabled=true").provider_properties[name]
    assert found.dt == dt
    assert found.value == value or suffix == "BackoutCount"  # which the queue manager counts
    assert name not in JmsMessage.of(made).provider_properties
    plain = sent.message("queue:///Q?targetClient=1", now=NOW)
    there = JmsMessage.of(plain, "queue:///Q?mdReadEnabled=true").provider_properties[name]
    assert there.value != value or suffix in ("Persistence", "MsgSeqNumber", "BackoutCount")


@pytest.mark.spec("jms-mapping.md 6.1")
@pytest.mark.parametrize(
    ("folders", "form", "data", "kind", "type_"),
    [
        ((), "", b"", "none", None),
        (("<usr></usr>",), "MQSTR", b"", "none", None),
        (("<mcd><Type>t</Type></mcd>",), "", b"", "none", "t"),
        ((), "MQSTR", b"x", "text", None),
        ((), "", b"x", "bytes", None),
        ((), "MYFORMAT", b"x", "bytes", None),
        *(((f"<mcd><Msd>jms_{kind}</Msd><Type>t</Type></mcd>",), "", data, kind, "t") for kind, data in (
            ("text", b"x"), ("bytes", b"x"), ("map", b"<map></map>"), ("stream", b"<stream></stream>"),
            ("object", b"x"), ("none", b""),
        )),
        (("<usr></usr>",), "MQSTR", b"x", "text", None),
        (("<mcd><Type>t</Type></mcd>",), "", b"x", "bytes", "t"),
        (("<mcd><Msd>xmlnsc</Msd><Set>s</Set><Type>t</Type><Fmt>f</Fmt></mcd>",), "MQSTR", b"x", "text",
         "mcd://xmlnsc/s/t?format=f"),
        (("<mcd><Msd>mrm</Msd></mcd>",), "", b"x", "bytes", "mcd://mrm"),
    ],
)  # fmt: skip
def test_the_kind_of_message(folders: tuple[str, ...], form: str, data: bytes, kind: str, type_: str | None) -> None:
    message = built(*folders, data=data, form=form)
    found, whole = JmsMessage.of(message), JmsMessage.of(message, "queue:///Q?messageBody=1")
    assert (found.kind, found.type) == (kind, type_)
    assert (whole.kind, whole.body) == ("bytes", message.data)


@pytest.mark.spec("jms-mapping.md 6 rule 2")
@pytest.mark.spec("jms-mapping.md 6 rule 6")
@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("<map><elt name=\"a\" dt='i4'>5</elt><b>x</b></map>", {"a": Typed(5, "i4"), "b": Typed("x", "string")}),
        ("<map><a>1</a><a>2</a></map>", {"a": Typed("2", "string")}),
        ("<map><elt name=\"a\" xsi:nil='true'></elt></map>", {"a": Typed(None, "null")}),
    ],
)
def test_both_styles_of_maps_are_read(body: str, value: dict[str, Typed]) -> None:
    assert received("<mcd><Msd>jms_map</Msd></mcd>", data=body.encode()).body == value


@pytest.mark.spec("jms-mapping.md 6 rule 4")
def test_the_last_header_in_front_says_how_text_is_written() -> None:
    with pytest.raises(JmsFormatError, match="body"):  # the header says UTF-8
        _ = received(MCD, data=b"\xe9").body
    header = make_rfh2(
        ByteOrder.BIG, [MCD.encode()], encoding=546, coded_char_set_id=819, format=b"MQSTR   ", name_value_ccsid=1208
    )
    message = Message.build(header.build() + b"\xe9", format="MQHRF2", encoding=273, coded_char_set_id=1208)
    assert JmsMessage.of(message).body == "é"


@pytest.mark.spec("jms-mapping.md 3.2")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JMS_IBM_ExceptionMessage", "x"),
        ("JMS_IBM_ExceptionReason", 5),
        ("JMS_IBM_ExceptionTimestamp", Typed(5, "i8")),
        ("JMS_IBM_ExceptionProblemDestination", "x"),
        ("JMS_IBM_System_MessageID", "x"),
        ("JMS_IBM_PutApplType", 5),
        ("JMS_IBM_PutDate", "20230722"),
        ("JMS_IBM_PutTime", "04264012"),
        ("JMS_IBM_Retain", 1),
    ],
)
def test_properties_that_are_set_to_no_effect(name: str, value: Any) -> None:
    plain = JmsMessage("text", "x").message("queue:///Q", now=NOW)
    made = JmsMessage("text", "x", properties={name: value}).message("queue:///Q", now=NOW)
    assert (made.raw_md, made.data) == (plain.raw_md, plain.data)


@pytest.mark.spec("jms-mapping.md 3.1")
@pytest.mark.parametrize("name", ["JMSXRcvTimestamp", "JMSXState", "JMSXProducerTXID", "JMSXConsumerTXID"])
def test_properties_that_mq_does_not_have(name: str) -> None:
    with pytest.raises(JmsFormatError):
        JmsMessage("text", "x", properties={name: 1})
    assert not hasattr(received(MCD).headers, name)
    assert name not in received(MCD).properties
