"""Properties of messages by name: folders, fields of the descriptor, synonyms of JMS (mqi.md 15, jms-mapping.md 2)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import PropertyView, Value, read_properties
from mqbridge.mappings.selectors import compile_selector
from mqbridge.protocol.constants import MQMF, MQTYPE, ByteOrder
from mqbridge.protocol.structures import make_rfh2
from mqbridge.protocol.text import encode_field, encode_text
from support.captures.vectors import VECTORS


def message(
    *folders: str, body: bytes = b"body", order: ByteOrder = ByteOrder.BIG, ccsid: int = 1208, **fields: Any
) -> Message:
    header = make_rfh2(
        order,
        [encode_text(folder, ccsid, order=order) for folder in folders],
        blank=encode_text(" ", ccsid, order=order),
        encoding=273,
        coded_char_set_id=1208,
        format=encode_field("MQSTR", 8, 819),
        name_value_ccsid=ccsid,
    )
    fields.setdefault("encoding", 273 if order == ByteOrder.BIG else 546)
    return Message.build(header.build() + body, format="MQHRF2", coded_char_set_id=1208, **fields)


def get(wanted: str, *folders: str, **fields: Any) -> Value:
    return PropertyView.of(message(*folders, **fields)).get(wanted)


JMS = (
    "<mcd><Msd>jms_text</Msd><Type>invoice</Type></mcd>",
    "<jms><Dst>queue:///APP.IN</Dst><Rto>queue://QM/R?a=1&amp;b=2</Rto><Tms>1700000000000</Tms><Exp>1700000060000</Exp>"
    "<Pri>7</Pri><Dlv>2</Dlv><Cid>order 1</Cid><Gid>g</Gid><Seq>3</Seq></jms>",
    "<usr><flag dt='boolean'>1</flag><n dt='i4'>42</n><big dt=\"i8\">1099511627776</big><half dt='r8'>1.5</half>"
    "<tenth dt='r4'>0.1</tenth><colour>red</colour><empty></empty><nil xsi:nil='true'></nil>"
    "<raw dt='bin.hex'>00ff</raw><b dt='i1'>-1</b><s dt='i2'>-2</s><i dt='int'>5</i></usr>",
    "<mqext><Arm>arm</Arm></mqext>",
)


@pytest.mark.spec("jms-mapping.md 4.4")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flag", True), ("n", 42), ("big", 1 << 40), ("half", 1.5), ("colour", "red"), ("empty", ""), ("nil", None),
        ("raw", b"\0\xff"), ("b", -1), ("s", -2), ("i", 5), ("usr.colour", "red"), ("none", None), ("mqext.Arm", "arm"),
        ("mcd.Msd", "jms_text"), ("jms.Dst", "queue:///APP.IN"), ("jms.Tms", 1700000000000), ("jms.Pri", 7),
        ("tenth", 0.10000000149011612), ("Colour", None), ("other.colour", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("order", [ByteOrder.BIG, ByteOrder.LITTLE])
@pytest.mark.parametrize("ccsid", [1208, 1200])
def test_values_of_folders(name: str, value: Value, order: ByteOrder, ccsid: int) -> None:
    found = get(name, *JMS, order=order, ccsid=ccsid)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.spec("mqi.md 15.3")
def test_all_properties_with_their_types() -> None:
    found = {each.name: each for each in read_properties(message(*JMS, "<psc><Command>Publish</Command></psc>"))}
    assert found["flag"].type == MQTYPE.BOOLEAN
    assert found["nil"].value is None
    assert [found[name].type for name in ("b", "s", "n", "big", "i")] == [0x10, 0x20, 0x40, 0x80, 0x80]
    assert [found[name].type for name in ("tenth", "half", "raw", "colour")] == [0x100, 0x200, 8, 0x400]
    assert (found["jms.Tms"].type, found["jms.Tms"].value) == (MQTYPE.INT64, 1700000000000)
    assert not any(name.startswith("psc") for name in found)


@pytest.mark.spec("jms-mapping.md 4.3")
@pytest.mark.parametrize(
    ("folder", "name", "value"),
    [
        ("<mq_usr><g><h><x>1</x></h></g></mq_usr>", "mq_usr.g.h.x", "1"),
        ("<mine content='properties'><x>1</x></mine>", "mine.x", "1"),
        ("<mine><x>1</x></mine>", "mine.x", None),
        ("<psc><x>1</x></psc>", "psc.x", None),
        ("<mqps><Top>a/b</Top></mqps>", "mqps.Top", "a/b"),
        ("<usr><JMSFoo>1</JMSFoo><Like>2</Like><x>3</x></usr>", "x", "3"),
        ("<usr><a.b>1</a.b></usr>", "usr.a.b", None),
        ("<usr><n dt='i4'>x</n><x>3</x></usr>", "n", None),
        ("<usr><n dt='i4'>x</n><x>3</x></usr>", "x", "3"),
        ("<usr><x>3</x></us>", "x", None),
        ("<usr ><x>3</x></usr>", "x", "3"),
        ("<usr/>", "x", None),
        ("<jms><Tms>soon</Tms><Dst>q</Dst></jms>", "jms.Tms", None),
    ],
)
def test_what_is_a_property(folder: str, name: str, value: Value) -> None:
    assert get(name, folder) == value


def test_of_several_folders_all_count_and_the_last_value() -> None:
    found = message("<usr><a>1</a><b>1</b></usr>", "<usr><b>2</b></usr>")
    second = message("<usr><c>3</c></usr>")
    header = found.data[: -len(b"body")].replace(b"MQSTR   ", b"MQHRF2  ")
    both = Message.build(header + second.data, format="MQHRF2", encoding=273, coded_char_set_id=1208)
    view = PropertyView.of(both)
    assert [view.get(name) for name in "abc"] == ["1", "2", "3"]


@pytest.mark.spec("mqi.md 15.4")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JMSCorrelationID", "order 1"), ("JMSDeliveryMode", 2), ("JMSDestination", "queue:///APP.IN"),
        ("JMSExpiration", 1700000060000), ("JMSMessageID", "ID:" + "ab" * 24), ("JMSPriority", 4),
        ("JMSRedelivered", False), ("JMSReplyTo", "queue:///OTHER?a=1&b=2"), ("JMSTimestamp", 1700000000000),
        ("JMSType", "invoice"), ("JMSXAppID", "app"), ("JMSXDeliveryCount", 1), ("JMSXGroupID", "g"),
        ("JMSXGroupSeq", 9), ("JMSXUserID", "alice"),
    ],
)  # fmt: skip
def test_synonyms_where_the_folders_have_them(name: str, value: Value) -> None:
    fields = {
        "msg_id": b"\xab" * 24, "correl_id": b"\1" * 24, "priority": 4, "persistence": 0, "user_identifier": "alice",
        "put_appl_name": "app", "reply_to_q": "OTHER", "put_date": "20260101", "put_time": "00000000",
        "group_id": b"\2" * 24, "msg_seq_number": 9, "msg_flags": int(MQMF.MSG_IN_GROUP),
    }  # fmt: skip
    assert get(name, *JMS, **fields) == value


@pytest.mark.spec("mqi.md 15.4")
@pytest.mark.parametrize(
    ("name", "fields", "value"),
    [
        ("JMSCorrelationID", {"correl_id": b"\xcd" * 24}, "ID:" + "cd" * 24),
        ("JMSCorrelationID", {}, None),
        ("JMSDeliveryMode", {"persistence": 1}, 2),
        ("JMSDeliveryMode", {"persistence": 0}, 1),
        ("JMSDestination", {}, None),
        ("JMSExpiration", {}, 0),
        ("JMSExpiration", {"expiry": 600, "put_date": "20270115", "put_time": "08000000"}, 1_800_000_060_000),
        ("JMSExpiration", {"expiry": 600}, None),
        ("JMSPriority", {"priority": 9}, 9),
        ("JMSRedelivered", {"backout_count": 1}, True),
        ("JMSXDeliveryCount", {"backout_count": 1}, 2),
        ("JMSReplyTo", {"reply_to_q": "R", "reply_to_q_mgr": "QM"}, "queue://QM/R"),
        ("JMSReplyTo", {"reply_to_q": "R"}, "queue:///R"),
        ("JMSReplyTo", {}, None),
        ("JMSTimestamp", {"put_date": "20270115", "put_time": "08000012"}, 1_800_000_000_120),
        ("JMSTimestamp", {}, None),
        ("JMSType", {}, None),
        ("JMSXGroupID", {"group_id": b"\2" * 24, "msg_flags": int(MQMF.LAST_MSG_IN_GROUP)}, "ID:" + "02" * 24),
        ("JMSXGroupID", {"group_id": b"\2" * 24}, None),
        ("JMSXGroupSeq", {"msg_seq_number": 5, "msg_flags": int(MQMF.MSG_IN_GROUP)}, 5),
        ("JMSXGroupSeq", {}, None),
        ("JMSXUserID", {}, ""),
    ],
)
def test_synonyms_out_of_the_descriptor(name: str, fields: dict[str, Any], value: Value) -> None:
    assert PropertyView.of(Message.build(b"text", **fields)).get(name) == value
    assert get(name, "<usr><x>1</x></usr>", **fields) == value


@pytest.mark.spec("jms-mapping.md 2.2")
@pytest.mark.parametrize(
    ("folder", "value"),
    [
        ("<mcd><Msd>mrm</Msd><Set>S</Set><Type>T</Type><Fmt>F</Fmt></mcd>", "mcd://mrm/S/T?format=F"),
        ("<mcd><Msd>xml</Msd></mcd>", "mcd://xml"),
        ("<mcd><Msd>mrm</Msd><Type>T</Type></mcd>", "mcd://mrm//T"),
        ("<mcd><Msd>jms_null</Msd></mcd>", "mcd://jms_null"),
        ("<mcd><Msd>jms_map</Msd><Type>T</Type></mcd>", "T"),
        ("<mcd><Type>T</Type></mcd>", "T"),
        ("<mcd><Msd>jms_none</Msd></mcd>", None),
    ],
)
def test_type_of_jms(folder: str, value: Value) -> None:
    assert get("JMSType", folder) == value


@pytest.mark.spec("client-observed.md O-097")
def test_an_id_as_correlation_is_selected_by_that_of_the_descriptor() -> None:
    folder = f"<jms><Cid>ID:{'ff' * 24}</Cid></jms>"
    assert get("JMSCorrelationID", folder, correl_id=b"\1" * 24) == "ID:" + "01" * 24
    assert get("JMSCorrelationID", "<jms><Cid>ID:short</Cid></jms>", correl_id=b"\1" * 24) == "ID:short"


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.spec("mqi.md 15.3")
@pytest.mark.parametrize(
    ("selector", "fields"),
    [
        ("Root.MQMD.Priority = 5", {"priority": 5}),
        ('Root.MQMD.MsgId = "0x' + "ab" * 24 + '"', {"msg_id": b"\xab" * 24}),
        ('Root.MQMD.CorrelId = "0x61' + "00" * 23 + '"', {"correl_id": b"a"}),
        ("Root.MQMD.Format = 'MQHRF2'", {}),
        ("Root.MQMD.Format = 'MQHRF2  '", {}),
        ("Root.MQMD.ReplyToQ LIKE 'REPLY.%'", {"reply_to_q": "REPLY.1"}),
        ("Root.MQMD.MsgType = 8 AND Root.MQMD.Report = 0", {}),
        ("Root.MQMD.Expiry = -1 AND Root.MQMD.MsgSeqNumber = 1 AND Root.MQMD.OriginalLength = -1", {}),
        ("Root.MQMD.Persistence = 1", {"persistence": 1}),
        ("Root.MQMD.UserIdentifier = 'alice'", {"user_identifier": "alice"}),
        ('Root.MQMD.GroupId <> "0x00"', {}),
    ],
)  # fmt: skip
def test_fields_of_the_descriptor(selector: str, fields: dict[str, Any]) -> None:
    view = PropertyView.of(message("<usr><x>1</x></usr>", **fields))
    assert compile_selector(selector).selects(view.get)
    assert not compile_selector(f"NOT ({selector})").selects(view.get)


def test_headers_beyond_the_first_look_are_found() -> None:
    long = message(f"<usr><pad>{'x' * 100_000}</pad></usr>", "<usr><n dt='i4'>1</n></usr>")
    assert PropertyView.of(long).get("n") == 1


@pytest.mark.parametrize("data", [b"", b"RFH ", b"RFH \0\0\0\2\0\0\xff\xff" + bytes(60), b"\0" * 100])
def test_malformed_headers_have_no_properties(data: bytes) -> None:
    broken = Message.build(data, format="MQHRF2", encoding=273)
    view = PropertyView.of(broken)
    assert view.get("x") is view.get("jms.Cid") is view.get("JMSDestination") is None
    assert read_properties(broken) == []


def test_malformed_descriptors_have_nothing() -> None:
    broken = Message(b"XX  " + bytes(320), b"", order=ByteOrder.LITTLE, ccsid=1208)
    view = PropertyView.of(broken)
    assert view.get("JMSPriority") is view.get("Root.MQMD.Priority") is view.get("x") is None


def recorded(name: str) -> list[bytes]:
    lines = (VECTORS / "ibm-client" / name).read_text(encoding="ascii").splitlines()
    return [bytes.fromhex(line.split()[2]) for line in lines if line[:2] in ("C>", "S>")]


@pytest.mark.spec("client-observed.md O-062")
def test_what_a_client_really_wrote() -> None:
    """Properties of the MQ classes for Java: double quotes around types, and the type of a string."""
    segment = next(raw for raw in recorded("mqi-props.hex.txt") if b'<colour dt="string">red' in raw)
    start = segment.index(b"RFH ")
    order: ByteOrder = ByteOrder.BIG if segment[start + 4 : start + 8] == b"\0\0\0\2" else ByteOrder.LITTLE
    found = Message.build(segment[start:], format="MQHRF2", encoding=273 if order == ByteOrder.BIG else 546)
    view = PropertyView.of(found)
    assert [view.get(name) for name in ("flag", "big", "ratio", "colour", "size")] == [
        True,
        1 << 40,
        1.5,
        "red",
        42,
    ]
    assert compile_selector("colour = 'red' AND size > 40 AND flag").selects(view.get)
