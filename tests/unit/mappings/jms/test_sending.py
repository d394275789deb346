"""What is written for a JMS message, row by row (jms-mapping.md 1, 2.1, 3, 5)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsFormatError, JmsMessage, Typed
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import PropertyView
from mqbridge.protocol.constants import MQMF

NOW = 1_700_000_000.5
MS = 1_700_000_000_500
MY_ID = b"my own id".ljust(24, b"\0")


def sent(uri: str = "queue:///Q", kind: str = "text", body: Any = "x", **headers: Any) -> Message:
    return JmsMessage(kind, body, **headers).message(uri, now=NOW)


def jms(message: Message, name: str) -> Any:
    return PropertyView.of(message).folder("jms").get(name)


def has_header(message: Message) -> bool:
    return message.md.format == "MQHRF2"


@pytest.mark.spec("jms-mapping.md 1")
@pytest.mark.spec("jms-mapping.md 11.10")
@pytest.mark.parametrize(
    ("properties", "header"),
    [
        ("", True), ("targetClient=0", True), ("targetClient=1", False),
        ("messageBody=0", True), ("messageBody=0&targetClient=0", True), ("messageBody=0&targetClient=1", True),
        ("messageBody=1", False), ("messageBody=1&targetClient=0", False), ("messageBody=1&targetClient=1", False),
        ("messageBody=2", True), ("messageBody=2&targetClient=0", True), ("messageBody=2&targetClient=1", False),
    ],
)  # fmt: skip
def test_who_gets_an_mqrfh2(properties: str, header: bool) -> None:
    made = sent(f"queue:///Q?{properties}" if properties else "queue:///Q")
    assert has_header(made) is header
    if not header:
        assert (made.md.format, made.md.encoding, made.md.coded_char_set_id, made.data) == ("MQSTR", 273, 1208, b"x")


@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.parametrize(
    ("mode", "asked", "persistence", "written"),
    [
        (2, "", 1, 2), (1, "", 0, 1), (2, "-2", 1, 2), (1, "-2", 0, 1), (2, "1", 0, 1), (1, "2", 1, 2),
        (2, "-1", 2, None), (1, "-1", 2, None), (2, "3", 1, 2), (1, "3", 0, 1),
    ],
)  # fmt: skip
def test_delivery_mode(mode: int, asked: str, persistence: int, written: int | None) -> None:
    made = sent(f"queue:///Q?persistence={asked}" if asked else "queue:///Q", delivery_mode=mode)
    assert (made.md.persistence, jms(made, "Dlv")) == (persistence, written)


@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.parametrize(
    ("priority", "asked", "field", "written"),
    [(4, "", 4, None), (0, "", 0, 0), (9, "-2", 9, 9), (9, "7", 7, 7), (9, "4", 4, None), (9, "-1", -1, None)],
)
def test_priority(priority: int, asked: str, field: int, written: int | None) -> None:
    made = sent(f"queue:///Q?priority={asked}" if asked else "queue:///Q", priority=priority)
    assert (made.md.priority, jms(made, "Pri")) == (field, written)


@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.spec("jms-mapping.md 11.3")
@pytest.mark.parametrize(
    ("expiration", "asked", "field", "written"),
    [
        (0, "", -1, None),
        (MS + 60_050, "", 600, MS + 60_050),
        (MS + 214_748_364_700, "", 2_147_483_647, MS + 214_748_364_700),
        (MS + 214_748_364_800, "", -1, MS + 214_748_364_800),
        (MS + 400_000_000_000, "", -1, MS + 400_000_000_000),
        (MS - 5, "", 1, MS - 5),
        (MS + 60_000, "0", -1, None),
        (0, "5000", 50, MS + 5000),
        (MS + 60_000, "5000", 50, MS + 5000),
        (MS + 60_000, "-2", 600, MS + 60_000),
    ],
)
def test_expiration(expiration: int, asked: str, field: int, written: int | None) -> None:
    made = sent(f"queue:///Q?expiry={asked}" if asked else "queue:///Q", expiration=expiration)
    assert (made.md.expiry, jms(made, "Exp")) == (field, written)


def test_an_expiration_needs_the_time() -> None:
    with pytest.raises(JmsFormatError, match="time"):
        JmsMessage("text", "x", expiration=5).message("queue:///Q")
    assert jms(JmsMessage("text", "x").message("queue:///Q"), "Tms") is None
    assert jms(sent(timestamp=5), "Tms") == 5
    assert jms(sent(), "Tms") == MS


@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.spec("jms-mapping.md 11.2")
@pytest.mark.parametrize(
    ("given", "field", "written"),
    [
        (None, bytes(24), None),
        ("my own id", MY_ID, "my own id"),
        ("é" * 20, ("é" * 12).encode(), "é" * 20),
        ("ID:" + "0A" * 24, b"\n" * 24, "ID:" + "0A" * 24),
        ("ID:414d", b"AM".ljust(24, b"\0"), "ID:414d"),
        ("ID:" + "0a" * 30, b"\n" * 24, "ID:" + "0a" * 30),
        (b"\xfe" * 24, b"\xfe" * 24, "ID:" + "fe" * 24),
        ("", bytes(24), ""),
    ],
)
def test_correlation_ids(given: str | bytes | None, field: bytes, written: str | None) -> None:
    made = sent(correlation_id=given)
    assert (made.md.correl_id, jms(made, "Cid")) == (field, written)


@pytest.mark.parametrize("given", ["ID:", "ID:4", "ID:xyz", "ID:41 4d"])
def test_ids_without_hexadecimal_digits_are_refused(given: str) -> None:
    if given == "ID:":
        assert sent(correlation_id=given).md.correl_id == bytes(24)
        return
    with pytest.raises(JmsFormatError, match="hexadecimal"):
        JmsMessage("text", "x", correlation_id=given)
    with pytest.raises(JmsFormatError, match="hexadecimal"):
        JmsMessage("text", "x", group_id=given)


@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.spec("jms-mapping.md 11.5")
@pytest.mark.parametrize(
    ("uri", "names", "kind"),
    [
        ("queue:///R", ("R", ""), 1),
        ("queue://QM/R?priority=5&persistence=2", ("R", "QM"), 1),
        ("queue:///A/B", ("A/B", ""), 1),
        ("topic://a/b?priority=3", ("", ""), 8),
        (None, ("", ""), 8),
    ],
)
def test_reply_destinations(uri: str | None, names: tuple[str, str], kind: int) -> None:
    made = sent(reply_to=uri)
    assert ((made.md.reply_to_q, made.md.reply_to_q_mgr), made.md.msg_type) == (names, kind)
    assert jms(made, "Rto") == uri
    assert uri is None or uri.replace("&", "&amp;").encode() in made.data


@pytest.mark.spec("jms-mapping.md 2.1")
@pytest.mark.parametrize(
    ("given", "kind", "folder"),
    [
        (None, "text", "<mcd><Msd>jms_text</Msd></mcd>"),
        ("kind", "text", "<mcd><Msd>jms_text</Msd><Type>kind</Type></mcd>"),
        ("mcd://m/s/t?format=f", "text", "<mcd><Msd>m</Msd><Set>s</Set><Type>t</Type><Fmt>f</Fmt></mcd>"),
        ("mcd://mrm//type", "bytes", "<mcd><Msd>mrm</Msd><Type>type</Type></mcd>"),
        ("mcd://", "text", "<mcd><Msd>jms_text</Msd></mcd>"),
        ("mcd://mrm/set/type", "map", "<mcd><Msd>jms_map</Msd><Type>mcd://mrm/set/type</Type></mcd>"),
    ],
)  # fmt: skip
def test_types(given: str | None, kind: str, folder: str) -> None:
    assert (
        folder.encode()
        in sent(kind=kind, body={} if kind == "map" else b"" if kind == "bytes" else "x", type=given).data
    )


def test_a_message_of_another_provider_has_its_group_ids_and_properties() -> None:
    made = sent(group_id="ID:theirs", group_seq=1, properties={"JMS_OTHER_name": 5}, foreign=True)
    assert (made.md.group_id, jms(made, "Gid")) == (b"ID:theirs".ljust(24, b"\0"), "ID:theirs")
    assert JmsMessage.of(made).properties == {"JMS_OTHER_name": Typed(5, "i4")}


@pytest.mark.parametrize("name", ["JMSXOther", "JMSOther", "JMS_IBM_Other"])
def test_a_message_of_another_provider_has_no_properties_of_ours(name: str) -> None:
    with pytest.raises(JmsFormatError):
        JmsMessage("text", "x", properties={name: 5}, foreign=True)


@pytest.mark.spec("jms-mapping.md 3.1")
@pytest.mark.spec("jms-mapping.md 11.11")
@pytest.mark.parametrize(
    ("uri", "given", "field"),
    [
        ("queue:///Q", {"group_id": "my group", "group_seq": 3}, (b"my group".ljust(24, b"\0"), 3, MQMF.MSG_IN_GROUP)),
        ("queue:///Q", {"group_id": "ID:" + "0b" * 24}, (b"\x0b" * 24, 1, MQMF.MSG_IN_GROUP)),
        ("queue:///Q", {"group_id": "long group " * 5}, (b"long group long group lo", 1, MQMF.MSG_IN_GROUP)),
        ("queue:///Q", {"group_seq": 7}, (bytes(24), 7, MQMF.MSG_IN_GROUP)),
        ("queue:///Q", {}, (bytes(24), 1, 0)),
        ("topic://t", {"group_id": "my group", "group_seq": 3}, (bytes(24), 1, 0)),
        ("queue:///Q", {"group_id": "my group", "group_seq": 0}, (bytes(24), 1, 0)),
        ("queue:///Q", {"group_id": "my group", "group_seq": -1}, (bytes(24), 1, 0)),
        ("queue:///Q", {"group_id": "my group", "group_seq": 1_000_000_000}, (bytes(24), 1, 0)),
    ],
)
def test_groups_of_both_domains(uri: str, given: dict[str, Any], field: tuple[bytes, int, int]) -> None:
    made = sent(uri, **given)
    assert (made.md.group_id, made.md.msg_seq_number, made.md.msg_flags) == field
    assert (jms(made, "Gid"), jms(made, "Seq")) == (given.get("group_id"), given.get("group_seq"))
    found = JmsMessage.of(made)
    assert found.group_seq == (None if uri == "queue:///Q" and not given else given.get("group_seq", 1))
    if "group_seq" not in given or "group_id" in given:
        assert found.group_id == given.get("group_id")
    else:  # the queue manager chooses the id
        assert found.group_id == "ID:" + "00" * 24


@pytest.mark.spec("jms-mapping.md 3.2")
@pytest.mark.parametrize(
    ("name", "value", "key", "field"),
    [
        ("JMS_IBM_Report_Exception", 0x01000000, "report", 0x01000000),
        ("JMS_IBM_Report_Expiration", 0x00E00000, "report", 0x00E00000),
        ("JMS_IBM_Report_COA", 0x300, "report", 0x300),
        ("JMS_IBM_Report_COD", 0x3800, "report", 0x3800),
        ("JMS_IBM_Report_PAN", 1, "report", 1),
        ("JMS_IBM_Report_NAN", 2, "report", 2),
        ("JMS_IBM_Report_Pass_Msg_ID", 0x80, "report", 0x80),
        ("JMS_IBM_Report_Pass_Correl_ID", 0x40, "report", 0x40),
        ("JMS_IBM_Report_Discard_Msg", 0x8000000, "report", 0x8000000),
        ("JMS_IBM_MsgType", 70_000, "msg_type", 70_000),
        ("JMS_IBM_Feedback", 66_000, "feedback", 66_000),
        ("JMS_IBM_Last_Msg_In_Group", True, "msg_flags", MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP),
        ("JMS_IBM_Format", "MYFORMAT", None, "MYFORMAT"),
        ("JMS_IBM_Encoding", 546, None, 546),
        ("JMS_IBM_Character_Set", "ISO-8859-1", None, "ISO-8859-1"),
        ("JMS_IBM_ArmCorrelator", "arm", None, "arm"),
        ("JMS_IBM_RMCorrelator", "wrm", None, "wrm"),
    ],
)
def test_properties_of_the_provider(name: str, value: Any, key: str | None, field: Any) -> None:
    made = sent(properties={name: value})
    if key is not None:
        assert getattr(made.md, key) == field
    assert JmsMessage.of(made).provider_properties[name].value == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JMS_IBM_Report_COA", 1), ("JMS_IBM_Report_PAN", 2), ("JMS_IBM_MsgType", "8"), ("JMS_IBM_None", 1),
        ("JMSType", "x"), ("JMS_IBM_Character_Set", "nothing"), ("null", 1), ("a.b", 1), ("1a", 1), ("", 1),
        ("a", b"x"),
        ("a", Typed("x", "char")), ("a", Typed(300, "i1")), ("a", Typed("x", "odd")), ("a", [1]), ("x" * 4096, 1),
    ],
)  # fmt: skip
def test_properties_that_no_message_has(name: str, value: Any) -> None:
    with pytest.raises(JmsFormatError):
        JmsMessage("text", "x", properties={name: value})


@pytest.mark.spec("jms-mapping.md 3.2")
@pytest.mark.parametrize(
    ("properties", "written"),
    [
        ("", set()),
        ("mdReadEnabled=true", set()),
        ("mdWriteEnabled=true", {"priority", "correl_id"}),
        ("mdWriteEnabled=true&mdMessageContext=1", {"priority", "correl_id", "user_identifier"}),
        ("mdWriteEnabled=true&mdMessageContext=2", {"priority", "correl_id", "user_identifier", "appl_origin_data"}),
    ],
)
def test_the_descriptor_is_written_where_the_destination_allows_it(properties: str, written: set[str]) -> None:
    wanted = {
        "priority": 2,
        "correl_id": b"correl".ljust(24, b"\0"),
        "user_identifier": "somebody",
        "appl_origin_data": "orig",
    }
    given = {
        "JMS_IBM_MQMD_Priority": 2, "JMS_IBM_MQMD_CorrelId": b"correl", "JMS_IBM_MQMD_UserIdentifier": "somebody",
        "JMS_IBM_MQMD_ApplOriginData": "orig",
    }  # fmt: skip
    made = sent(f"queue:///Q?{properties}" if properties else "queue:///Q", properties=given, correlation_id="other")
    assert {key for key, value in wanted.items() if getattr(made.md, key) == value} == written
    found = JmsMessage.of(made, "queue:///Q?mdReadEnabled=true").provider_properties
    assert found["JMS_IBM_MQMD_Priority"] == Typed(made.md.priority, "i4")
    assert not any(name.startswith("JMS_IBM_MQMD") for name in JmsMessage.of(made).provider_properties)


@pytest.mark.spec("jms-mapping.md 5")
@pytest.mark.spec("jms-mapping.md 6")
@pytest.mark.parametrize(
    ("kind", "body", "form", "data"),
    [
        ("text", "é", "MQSTR", "é".encode()), ("bytes", b"\0", "", b"\0"), ("object", b"\xac\xed", "", b"\xac\xed"),
        ("object", None, "", b""), ("none", None, "", b""), ("stream", [], "MQSTR", b"<stream></stream>"),
        ("map", {"a": None}, "MQSTR", b"<map><elt name=\"a\" xsi:nil='true'></elt></map>"),
    ],
)  # fmt: skip
def test_bodies_and_their_formats(kind: str, body: Any, form: str, data: bytes) -> None:
    made = sent(kind=kind, body=body)
    assert (made.md.format, made.md.encoding, made.md.coded_char_set_id, made.md.version) == ("MQHRF2", 273, 1208, 2)
    assert made.md.put_appl_type == 28
    assert made.data.endswith(data)
    assert made.data[20:28] == form.ljust(8).encode()
    assert sent("queue:///Q?targetClient=1", kind, body).data == data


@pytest.mark.spec("jms-mapping.md 6")
def test_map_bodies_in_both_forms() -> None:
    jms_message = JmsMessage("map", {"a": 1, "b": "<"})
    made = jms_message.message("queue:///Q", compatible_maps=True)
    assert made.data.endswith(b"<map><a dt='i4'>1</a><b>&lt;</b></map>")
    assert JmsMessage.of(made).body == jms_message.body
    for name in ("with blank", "1", "elt", "a<"):
        with pytest.raises(JmsFormatError, match="older form"):
            JmsMessage("map", {name: 1}).message("queue:///Q", compatible_maps=True)
    with pytest.raises(JmsFormatError, match="quotes"):
        JmsMessage("map", {'a"b': 1}).message("queue:///Q")


@pytest.mark.parametrize(
    ("kind", "body"),
    [("text", b"x"), ("bytes", "x"), ("map", "x"), ("stream", "x"), ("none", "x"), ("object", "x"), ("odd", None)],
)
def test_bodies_that_a_kind_cannot_have(kind: str, body: Any) -> None:
    with pytest.raises(JmsFormatError):
        JmsMessage(kind, body)


@pytest.mark.spec("jms-mapping.md 11.9")
@pytest.mark.spec("jms-mapping.md 2.2")
@pytest.mark.parametrize(("matching", "header"), [(True, False), (False, True)])
def test_the_reply_to_a_message_without_mqrfh2(matching: bool, header: bool) -> None:
    request = Message.build(b"x", format="MQSTR", reply_to_q="R", reply_to_q_mgr="QM", msg_id=b"\1" * 24)
    asked = JmsMessage.of(request, target_client_matching=matching)
    answer = asked.reply("text", "y").message(now=NOW)
    assert has_header(answer) is header
    assert answer.md.correl_id == b"\1" * 24


@pytest.mark.spec("jms-mapping.md 7.3")
def test_a_reply_keeps_the_routing_path_and_all_other_properties() -> None:
    uri = "queue://QM/R?ibmRoutingPath=abc%3A1&odd=1&priority=3"
    request = sent(reply_to=uri)
    answer = JmsMessage.of(request).reply("text", "y", properties={"a": 1}).message(now=NOW)
    assert jms(answer, "Dst") == uri
    assert Destination.parse(jms(answer, "Dst")).routing_path == "abc:1"
    assert (answer.md.priority, has_header(answer)) == (3, True)
    with pytest.raises(JmsFormatError, match="destination"):
        JmsMessage("text", "x").message()
