"""Headers in a tree: fields, folders, names and values; and the tree as text and JSON."""

from __future__ import annotations

import json
import traceback

import pytest

from mqbridge.mappings.jms import Typed
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import wrap_head
from mqbridge.mappings.tree import TreeError, message_tree
from mqbridge.protocol.chain import walk
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import IIH, make_rfh2
from support.wire.tree_messages import ORDER, bare, order, with_rfh, with_rfh2

pytestmark = pytest.mark.spec("jms-mapping.md 10.1 rule 3")


def test_the_descriptor_behind_a_transmission_queue_header_is_the_second() -> None:
    inner = bare(b"data", format="MQSTR", reply_to_q="ANSWERS")
    head = wrap_head(inner.raw_md, "Q", "QM2", 1208, msg_id=bytes(24), expiry=-1)
    tree = message_tree(Message(head[:324], head[324:] + inner.data, order=ByteOrder.LITTLE, ccsid=1208))
    assert list(tree) == ["Properties", "MQMD", "MQXQH", "MQMD[2]", "BLOB"]
    assert (tree["MQXQH.RemoteQName"], tree["MQMD[2].ReplyToQ"]) == ("Q", "ANSWERS")
    tree["MQXQH.RemoteQName"] = "OTHER"
    tree["MQMD[2].Priority"] = 7
    again = message_tree(tree.message())
    assert (again["MQXQH.RemoteQName"], again["MQMD[2].Priority"], again["MQMD.Format"]) == ("OTHER", 7, "MQXMIT")
    for name in ("MQXQH", "MQMD[2]"):
        with pytest.raises(TreeError, match="belong together"):
            del tree[name]


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("MQRFH2.StrucId", "RFH", "it says how the header is laid out and stays"),
        ("MQRFH2.StrucLength", 40, "it says how the header is laid out and stays"),
        ("MQRFH2.NameValueCCSID", 1200, "it says how the header is laid out and stays"),
        ("MQRFH2.Flags", -1, "RFH2.Flags: value -1 does not fit"),
        ("MQRFH2.Format", "TOO LONG FOR IT", "takes 15 bytes"),
        ("MQRFH2.Flags.x", 1, "nothing is below a field"),
        ("MQRFH2.usr", 5, "a folder is set by a mapping of its elements"),
        ("MQRFH2.usr.a b", 5, "can name no element of a folder"),
        ("MQRFH2.usr.n", 1 << 70, "the number does not fit into 64 bits"),
        ("MQRFH2.usr.n.@dt", "boolean", "'5' is no boolean"),
        ("MQRFH2.usr.n.@xsi:nil", "true", "set the value to None instead"),
        ("MQRFH2.usr." + ".".join("a" * 20), 1, "nested deeper than 15"),
        ("MQRFH2[3].usr.n", 1, "there are 1 of MQRFH2"),
        ("MQRFH2.new[2].x", 1, r"there is no new\[2\]"),
        ("MQCIH.Flags", -1, "CIH.Flags: value -1 does not fit"),
    ],
)
def test_what_a_header_has_not_is_refused(path: str, value: object, what: str) -> None:
    tree = message_tree(order())
    with pytest.raises(TreeError, match=what):
        tree[path] = value
    assert not tree.changed


def test_fields_of_the_fixed_part_stay() -> None:
    tree = message_tree(order())
    with pytest.raises(TreeError, match="a field of the fixed part stays"):
        del tree["MQRFH2.Flags"]


@pytest.mark.spec("jms-mapping.md 4.4")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a<b", "<v>a&lt;b</v>"),
        (True, "<v dt='boolean'>1</v>"),
        (7, "<v dt='i8'>7</v>"),
        (0.5, "<v dt='r8'>0.5</v>"),
        (b"\1\2", "<v dt='bin.hex'>0102</v>"),
        (None, "<v xsi:nil='true'></v>"),
        ("", "<v></v>"),
        (Typed(7, "i2"), "<v dt='i2'>7</v>"),
        (Typed("x", "char"), "<v dt='char'>x</v>"),
        (Typed(None, "null"), "<v xsi:nil='true'></v>"),
        ({"a": 1, "b": {"@dt": "i4", "": 2}}, "<v><a dt='i8'>1</a><b dt='i4'>2</b></v>"),
    ],
)
def test_values_of_folders_have_types(value: object, text: str) -> None:
    tree = message_tree(with_rfh2(ORDER))
    tree["MQRFH2.usr.v"] = value
    message = tree.message()
    assert f"<usr>{text}</usr>".encode() in message.data
    assert message_tree(message) == tree


def test_a_value_keeps_its_type_where_it_fits() -> None:
    tree = message_tree(with_rfh2(ORDER, "<usr><a dt='i2'>1</a><b dt='r4'>1</b><c dt='i1'>1</c></usr>"))
    tree["MQRFH2.usr.a"] = 2
    tree["MQRFH2.usr.b"] = 2.5
    tree["MQRFH2.usr.c"] = 1000
    assert b"<a dt='i2'>2</a><b dt='r4'>2.5</b><c dt='i8'>1000</c>" in tree.message().data


def test_elements_of_folder_jms_need_no_type() -> None:
    tree = message_tree(with_rfh2(ORDER, "<jms><Dst>queue:///Q</Dst><Pri>4</Pri></jms>"))
    assert tree["MQRFH2.jms.Pri"] == 4
    tree["MQRFH2.jms.Pri"] = 5
    tree["MQRFH2.jms.Exp"] = 99
    assert b"<jms><Dst>queue:///Q</Dst><Pri>5</Pri><Exp>99</Exp></jms>" in tree.message().data


def test_a_folder_keeps_its_attributes_and_other_folders_their_bytes() -> None:
    tree = message_tree(with_rfh2(ORDER, "<f content='properties'><a z='1'>b</a></f>", '<g  h = "i" >x</g>   '))
    assert tree["MQRFH2.f.@content"] == "properties"
    tree["MQRFH2.f.a"] = "c"
    data = tree.message().data
    assert b"<f content='properties'><a z='1'>c</a></f>" in data
    assert b'<g  h = "i" >x</g>   ' in data


def test_folders_in_utf_16_follow_the_byte_order_of_the_header() -> None:
    folder = "<usr><a>é</a></usr>".encode("utf-16-be")
    header = make_rfh2(ByteOrder.BIG, [folder], blank=b"\0 ", name_value_ccsid=1200, coded_char_set_id=1208)
    tree = message_tree(bare(header.build(), format="MQHRF2", encoding=273))
    assert tree["MQRFH2.usr.a"] == "é"
    tree["MQRFH2.usr.a"] = "ü"
    link = walk("MQHRF2", 273, 1208, tree.message().data).links[0]
    assert link.header.rest[4:].decode("utf-16-be").rstrip() == "<usr><a>ü</a></usr>"


def test_names_and_values_of_version_1() -> None:
    tree = message_tree(with_rfh(b"", 'Command  Publish "a b" "c ""d""" last'))
    values = [tree[path] for path in ("MQRFH.Command", 'MQRFH."a b"', "MQRFH.last")]
    assert values == ["Publish", 'c "d"', ""]
    tree["MQRFH.Command"] = "Deregister now"
    del tree["MQRFH.last"]
    assert message_tree(tree.message()) == tree
    assert b'Command "Deregister now" "a b" "c ""d"""' in tree.message().data
    with pytest.raises(TreeError, match="names and values are text"):
        tree["MQRFH.Command.x"] = "1"


def secret_message() -> Message:
    header = IIH.codec(ByteOrder.LITTLE)(authenticator=b"password", format=b"MQSTR   ", encoding=546)
    return bare(header.build() + b"data", format="MQIMS")


def test_passwords_are_masked_where_a_tree_is_shown() -> None:
    tree = message_tree(secret_message())
    assert tree["MQIIH.Authenticator"] == "password"
    assert tree.plain()["MQIIH"]["Authenticator"] == "********"
    assert "password" not in "\n".join(tree.lines())
    assert b"password".hex() not in json.dumps(tree.plain())


@pytest.mark.parametrize("password", ["secret and long", "sécret€"])
def test_errors_do_not_tell_passwords(password: str) -> None:
    tree = message_tree(secret_message())
    tree["MQMD.CodedCharSetId"] = 819
    with pytest.raises(TreeError) as caught:
        message_tree(tree.message())["MQIIH.Authenticator"] = password
    assert "cret" not in "".join(traceback.format_exception_only(caught.value))
    assert caught.value.__cause__ is not None
    assert "cret" not in str(caught.value.__cause__)


def test_a_tree_as_lines() -> None:
    lines = list(message_tree(order()).lines())
    assert lines[lines.index("MQRFH2") :] == [
        "MQRFH2",
        "  Version  2",
        "  StrucLength  120",
        "  Encoding  546",
        "  CodedCharSetId  1208",
        "  Format  ",
        "  Flags  0",
        "  NameValueCCSID  1208",
        "  mcd",
        "    Msd  XMLNSC",
        "  usr",
        "    colour  blue",
        "    n  5",
        "      @dt  i4",
        "XMLNSC",
        "  Order",
        "    @id  7",
        "    Item",
        "      Price  1",
        "    Item[2]",
        "      Price  2.5",
        "        @cur  EUR",
    ]


def test_a_tree_as_plain_values() -> None:
    plain = message_tree(order()).plain()
    assert plain["XMLNSC"] == {"Order": {"@id": "7", "Item": [{"Price": "1"}, {"Price": {"@cur": "EUR", "": "2.5"}}]}}
    assert plain["MQMD"]["MsgId"] == "00" * 24
    assert plain["MQRFH2"]["usr"] == {"colour": "blue", "n": {"@dt": "i4", "": 5}}
    assert json.loads(json.dumps(plain)) == plain


def test_what_is_malformed_is_shown_as_its_error() -> None:
    tree = message_tree(order(b"<a>"))
    assert tree.plain()["XMLNSC"]["error"].startswith("no XML")
    assert list(tree.faults()) == ["XMLNSC"]
    assert message_tree(order(b"<error>x</error>")).faults() == {}
    assert next(line for line in tree.lines() if line.startswith("XMLNSC")).startswith("XMLNSC  no XML")
    data = bytearray(order().data)
    data[4] = 9
    broken = message_tree(bare(bytes(data), format="MQHRF2"))
    assert broken.plain()["MQRFH2"] == {"error": "RFH2 at offset 4: Version is 9"}


def test_long_values_are_cut_where_a_tree_is_shown() -> None:
    assert message_tree(bare(b"\1" * 1000)).plain()["BLOB"]["BLOB"] == "01" * 256 + "... (1000 bytes)"
    text = message_tree(bare(b"<a>" + b"x" * 9000 + b"</a>"), domain="XML").plain()["XML"]["a"]
    assert text == "x" * 4096 + "... (9000 characters)"
    many = message_tree(bare(b"[" + b"1," * 30_000 + b"1]"), domain="JSON")
    assert len(list(many.lines())) < 10_100
    assert len(json.dumps(many.plain())) < 100_000
