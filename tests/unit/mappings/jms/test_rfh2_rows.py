"""MQRFH2 as JMS messages have it, row by row (jms-mapping.md 4 and 5)."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from mqbridge.mappings.jms import JmsFormatError, JmsMessage, Typed
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures.rfh2 import make_rfh2

NOW = 1_700_000_000.0
HEADER = ">4siiii8sii"
MCD = "<mcd><Msd>jms_text</Msd></mcd>"


def sent(**headers: Any) -> bytes:
    return JmsMessage("text", "x", **headers).message("queue:///Q?priority=5&persistence=2", now=NOW).data


def received(*folders: str, ccsid: int = 1208, order: ByteOrder = ByteOrder.BIG, blank: str = " ") -> JmsMessage:
    codec = "utf-8" if ccsid == 1208 else f"utf-16-{'be' if order is ByteOrder.BIG else 'le'}"
    header = make_rfh2(
        order, [each.encode(codec) for each in folders], blank=blank.encode(codec), encoding=273,
        coded_char_set_id=1208, format=b"MQSTR   ", name_value_ccsid=ccsid,
    )  # fmt: skip
    return JmsMessage.of(
        Message.build(header.build() + b"x", format="MQHRF2", encoding=order.encoding, coded_char_set_id=1208)
    )


def raw(*parts: bytes, length: int | None = None) -> JmsMessage:
    rest = b"".join(parts)
    size = 36 + len(rest) if length is None else length
    header = struct.pack(HEADER, b"RFH ", 2, size, 273, 1208, b"MQSTR   ", 0, 1208)
    return JmsMessage.of(Message.build(header + rest + b"x", format="MQHRF2", encoding=273, coded_char_set_id=1208))


def folder(text: bytes, length: int | None = None) -> bytes:
    return struct.pack(">i", len(text) if length is None else length) + text


@pytest.mark.spec("jms-mapping.md 4.1")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("StrucId", b"RFH "), ("Version", 2), ("StrucLength", None), ("Encoding", 273), ("CodedCharSetId", 1208),
        ("Format", b"MQSTR   "), ("Flags", 0), ("NameValueCCSID", 1208),
    ],
)  # fmt: skip
def test_the_fixed_part(name: str, value: bytes | int | None) -> None:
    data = sent()
    fields = dict(zip(
        ("StrucId", "Version", "StrucLength", "Encoding", "CodedCharSetId", "Format", "Flags", "NameValueCCSID"),
        struct.unpack(HEADER, data[:36]), strict=True,
    ))  # fmt: skip
    assert fields[name] == (len(data) - 1 if value is None else value)
    assert fields["StrucLength"] % 4 == 0


@pytest.mark.spec("jms-mapping.md 4.2 rule 1")
@pytest.mark.spec("jms-mapping.md 4.2 rule 7")
@pytest.mark.parametrize(
    ("parts", "length"),
    [
        ((folder(b"<mcd></mcd>"),), None),
        ((folder(b"<mcd></mcd> ", -4),), None),
        ((folder(b"<mcd></mcd> ", 16),), None),
        ((folder(b"<mcd></mcd> ", 2**31 - 4),), None),
        ((folder(b"<mcd></mcd> "), b"\0\0"), None),
        ((folder(b"<mcd></mcd> "),), 32),
        ((folder(b"<mcd></mcd> "),), 4000),
        ((folder(b"<mcd></mcd> "),), -1),
    ],
    ids=["odd", "negative", "too long", "endless", "no length", "short header", "long header", "negative header"],
)
def test_lengths_that_cannot_be(parts: tuple[bytes, ...], length: int | None) -> None:
    with pytest.raises(JmsFormatError):
        _ = raw(*parts, length=length).kind


@pytest.mark.spec("jms-mapping.md 4.2 rule 2")
@pytest.mark.spec("jms-mapping.md 11.6")
@pytest.mark.parametrize("text", ["", "a", "ab", "abc", "é", "€", "é€", "🙂", "Äpfel"])
@pytest.mark.parametrize(("ccsid", "order"), [
    (1208, ByteOrder.BIG), (1208, ByteOrder.LITTLE), (1200, ByteOrder.BIG), (1200, ByteOrder.LITTLE),
    (13488, ByteOrder.BIG), (17584, ByteOrder.LITTLE),
])  # fmt: skip
@pytest.mark.parametrize("blank", [" ", "\0"])
def test_folders_are_padded_in_their_own_character_set(text: str, ccsid: int, order: ByteOrder, blank: str) -> None:
    found = received(MCD, f"<usr><a>{text}</a></usr>", ccsid=ccsid, order=order, blank=blank)
    assert (found.kind, found.properties) == ("text", {"a": Typed(text, "string")})
    if ccsid == 1208:
        data = sent(properties={"a": text})
        (size,) = struct.unpack_from(">i", data, 36)
        assert size % 4 == 0
        assert data[40 : 40 + size].rstrip(b" ") == MCD.encode()
        assert JmsMessage.of(Message.build(data, format="MQHRF2", encoding=273, coded_char_set_id=1208)).properties


@pytest.mark.spec("jms-mapping.md 4.2 rule 3")
def test_the_order_of_folders_and_which_of_two_counts() -> None:
    data = sent(properties={"a": 1, "JMS_IBM_ArmCorrelator": "arm"})
    places = [data.index(each) for each in (b"<mcd>", b"<jms>", b"<usr>", b"<mqext>")]
    assert places == sorted(places)
    twice = received(MCD, "<usr><a>1</a></usr>", "<mcd><Msd>jms_bytes</Msd></mcd>", "<usr><a>2</a></usr>")
    assert (twice.kind, twice.properties["a"].value) == ("text", "1")


@pytest.mark.spec("jms-mapping.md 4.2 rule 4")
@pytest.mark.spec("jms-mapping.md 4.2 rule 6")
@pytest.mark.parametrize("text", [
    "<usr><a dt='i4'>5</a></usr>", '<usr><a dt="i4">5</a></usr>', "<usr content='properties'><a dt='i4'>5</a></usr>",
    "<usr><b xsi:nil='true'></b><a dt='i4'>5</a></usr>", '<usr><b xsi:nil="true"></b><a dt="i4">5</a></usr>',
])  # fmt: skip
def test_folders_are_nearly_xml(text: str) -> None:
    assert received(MCD, text).properties["a"] == Typed(5, "i4")


@pytest.mark.spec("jms-mapping.md 4.3")
@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, '<mcd><Msd>jms_text</Msd></mcd>'),
        ({}, "<jms><Dst>queue:///Q?priority=5&amp;persistence=2</Dst><Tms>1700000000000</Tms><Pri>5</Pri><Dlv>2</Dlv></jms>"),
        ({"correlation_id": "c"}, "<Cid>c</Cid>"),
        ({"reply_to": "topic://t"}, "<Rto>topic://t</Rto>"),
        ({"expiration": 1_700_000_001_000}, "<Exp>1700000001000</Exp>"),
        ({"group_id": "g", "group_seq": 2}, "<Gid>g</Gid><Seq>2</Seq>"),
        ({"properties": {"a": 1}}, "<usr><a dt='i4'>1</a></usr>"),
        ({"properties": {"JMS_IBM_ArmCorrelator": "x"}}, "<mqext><Arm>x</Arm></mqext>"),
        ({"properties": {"JMS_IBM_RMCorrelator": "y"}}, "<mqext><Wrm>y</Wrm></mqext>"),
    ],
)  # fmt: skip
def test_elements_of_folders_as_they_are_written(given: dict[str, Any], text: str) -> None:
    data = sent(**given)
    assert text.encode() in data
    assert (b"<usr>" in data) is ("a" in given.get("properties", {}))
    assert (b"<mqext>" in data) is ("<mqext>" in text)


@pytest.mark.spec("jms-mapping.md 4.3")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("<usr><a>1</a></usr>", {"a"}),
        ("<mq_usr><a>1</a><g><b>1</b></g></mq_usr>", {"mq_usr.a", "mq_usr.g.b"}),
        ("<own content='properties'><a>1</a></own>", {"own.a"}),
        ("<own><a>1</a></own>", set()),
        ("<psc><Command>Publish</Command></psc>", set()),
        ("<pscr><Completion>ok</Completion></pscr>", set()),
        ("<usr><a.b>1</a.b><c>1</c></usr>", {"c"}),
    ],
)
def test_which_folders_have_properties(text: str, names: set[str]) -> None:
    header = make_rfh2(ByteOrder.BIG, [text.encode()], encoding=273, coded_char_set_id=1208, format=b"MQSTR   ",
                       name_value_ccsid=1208)  # fmt: skip
    message = Message.build(header.build() + b"x", format="MQHRF2", encoding=273, coded_char_set_id=1208)
    assert {each.name for each in read_properties(message)} == names
    hidden = not text.startswith("<usr")
    assert JmsMessage.of(message).kind == "text"
    assert bool(JmsMessage.of(message).properties) is not hidden


@pytest.mark.spec("jms-mapping.md 4.4")
@pytest.mark.parametrize(
    ("attributes", "text", "value"),
    [
        ("", "x", Typed("x", "string")), (" dt='string'", "x", Typed("x", "string")), ("", "", Typed("", "string")),
        (" dt='boolean'", "1", Typed(True, "boolean")), (" dt='boolean'", "0", Typed(False, "boolean")),
        (" dt='bin.hex'", "0aFF", Typed(b"\n\xff", "bin.hex")), (" dt='bin.hex'", "", Typed(b"", "bin.hex")),
        (" dt='i1'", "-128", Typed(-128, "i1")), (" dt='i2'", "32767", Typed(32767, "i2")),
        (" dt='i4'", "+5", Typed(5, "i4")), (" dt='i8'", str(-(2**63)), Typed(-(2**63), "i8")),
        (" dt='int'", "5", Typed(5, "i8")), (" dt='r4'", "1.5E0", Typed(1.5, "r4")),
        (" dt='r8'", "-2.5e-3", Typed(-0.0025, "r8")), (" dt='r8'", "Infinity", Typed(float("inf"), "r8")),
        (" xsi:nil='true'", "", Typed(None, "null")),
    ],
)  # fmt: skip
def test_types_of_properties(attributes: str, text: str, value: Typed) -> None:
    assert received(MCD, f"<usr><a{attributes}>{text}</a></usr>").properties["a"] == value


@pytest.mark.spec("jms-mapping.md 4.4")
@pytest.mark.parametrize(("dt", "text"), [
    ("i1", "128"), ("i2", "-32769"), ("i4", "2147483648"), ("i8", str(2**63)), ("i4", "1e3"), ("i4", ""),
    ("i4", "x"), ("boolean", "2"), ("bin.hex", "0"), ("bin.hex", "zz"), ("r8", "x"), ("odd", "1"),
])  # fmt: skip
def test_values_that_a_type_does_not_have(dt: str, text: str) -> None:
    with pytest.raises(JmsFormatError):
        _ = received(MCD, f"<usr><a dt='{dt}'>{text}</a></usr>").properties


@pytest.mark.spec("jms-mapping.md 4.5")
@pytest.mark.parametrize(
    ("text", "written", "read"),
    [
        ("&", b"&amp;", ["&amp;"]), ("<", b"&lt;", ["&lt;"]), (">", b"&gt;", ["&gt;", ">"]),
        ('"', b"&quot;", ["&quot;", '"']), ("'", b"&apos;", ["&apos;", "'"]), ("\n", b"\n", ["\n"]),
        ("🙂", b"&#x1f642;", ["&#x1f642;", "🙂"]),
    ],
)  # fmt: skip
def test_characters_that_are_escaped(text: str, written: bytes, read: list[str]) -> None:
    assert b"<usr><a>" + written + b"</a></usr>" in sent(properties={"a": text})
    for each in read:
        assert received(MCD, f"<usr><a>{each}</a></usr>").properties["a"].value == text


@pytest.mark.spec("jms-mapping.md 5")
@pytest.mark.parametrize(
    ("key", "with_header", "without"),
    [
        ("format", "MQHRF2", "MQSTR"), ("coded_char_set_id", 1208, 819), ("encoding", 273, 546),
        ("put_appl_type", 28, 28), ("version", 2, 2), ("msg_id", bytes(24), bytes(24)),
        ("msg_type", 8, 8), ("report", 0, 0),
    ],
)  # fmt: skip
def test_the_descriptor(key: str, with_header: Any, without: Any) -> None:
    for uri, value in (("queue:///Q", with_header), ("queue:///Q?targetClient=1", without)):
        there = f"{uri}{'&' if '?' in uri else '?'}CCSID=819&encoding=546"
        message = JmsMessage("text", "é").message(there, now=NOW)
        assert getattr(message.md, key) == value
        assert message.data.endswith(b"\xe9")
