"""Domains JMSMap and JMSStream: typed entries by name and by place."""

from __future__ import annotations

import pytest

from mqbridge.mappings.jms import JmsMessage, Typed
from mqbridge.mappings.tree import TreeError, message_tree
from support.wire.tree_messages import bare, with_rfh2

pytestmark = pytest.mark.spec("jms-mapping.md 10.2")

MAP = (
    b"""<map><elt name="count" dt='i4'>5</elt><elt name="a b">x &amp; y</elt>"""
    b"""<elt name="none" xsi:nil='true'></elt></map>"""
)
STREAM = b"<stream><elt dt='i8'>7</elt><elt>abc</elt><elt dt='bin.hex'>00FF</elt></stream>"


def test_a_map_has_entries_by_name() -> None:
    message = with_rfh2(MAP, "<mcd><Msd>jms_map</Msd></mcd>", format="MQSTR")
    tree = message_tree(message)
    assert list(tree.items("JMSMap")) == [
        ("JMSMap.count.@dt", "i4"),
        ("JMSMap.count", 5),
        ("JMSMap.a b", "x & y"),
        ("JMSMap.none", None),
    ]
    tree["JMSMap.count"] = 6
    tree["JMSMap.price"] = Typed(2.5, "r4")
    tree["JMSMap.raw"] = b"\1"
    del tree["JMSMap.none"]
    changed = tree.message()
    assert message_tree(changed) == tree
    assert JmsMessage.of(changed).body == {
        "count": Typed(6, "i4"),
        "a b": Typed("x & y", "string"),
        "price": Typed(2.5, "r4"),
        "raw": Typed(b"\1", "bin.hex"),
    }


def test_a_stream_has_entries_by_place() -> None:
    tree = message_tree(with_rfh2(STREAM, "<mcd><Msd>jms_stream</Msd></mcd>", format="MQSTR"))
    assert tree["JMSStream.elt[*]"] == [7, "abc", b"\0\xff"]
    tree["JMSStream.elt[4]"] = True
    tree["JMSStream.elt.@dt"] = "i2"
    assert JmsMessage.of(tree.message()).body == (
        Typed(7, "i2"),
        Typed("abc", "string"),
        Typed(b"\0\xff", "bin.hex"),
        Typed(True, "boolean"),
    )


def test_both_styles_of_maps_are_read_and_the_newer_is_written() -> None:
    tree = message_tree(bare(b"<map><count dt='i4'>5</count></map>"), domain="JMSMap")
    assert tree["JMSMap.count"] == 5
    tree["JMSMap.b"] = "c"
    assert tree.message().data == b"""<map><elt name="count" dt='i4'>5</elt><elt name="b">c</elt></map>"""


def test_a_new_map_gets_its_word_in_the_header() -> None:
    tree = message_tree(with_rfh2(b"", "<usr><a>1</a></usr>"))
    tree["JMSMap"] = {"a": 1, "b": None}
    again = message_tree(tree.message())
    assert again["MQRFH2.mcd.Msd"] == "jms_map"
    assert (again["JMSMap.a"], again["JMSMap.b"]) == (1, None)
    assert again == tree


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("JMSMap.count.x", 1, "nested deeper than 1"),
        ("JMSMap.count", {"x": 1}, "nested deeper than 1"),
        ("JMSMap.big", 1 << 70, "is no long"),
        ("JMSMap.c", Typed("ab", "char"), "is no char"),
        ("JMSMap.d", object(), "JMS has no object"),
        ("JMSMap.count.@dt", "boolean", "is no boolean"),
        ("JMSMap.count.@x", "1", "there is no attribute but dt"),
        ('JMSMap."a""b"', 1, "no double quotes"),
    ],
)
def test_what_jms_has_not_is_refused(path: str, value: object, what: str) -> None:
    tree = message_tree(bare(MAP), domain="JMSMap")
    with pytest.raises(TreeError, match=what):
        tree[path] = value


@pytest.mark.parametrize(
    ("domain", "body", "what"),
    [
        ("JMSMap", b"<map><elt>1</elt></map>", "an entry of the map has no name"),
        ("JMSMap", b"<stream></stream>", "the body of a map message is no <map>"),
        ("JMSStream", b"<stream><elt dt='i4'>x</elt></stream>", "'x' is no int"),
        ("JMSStream", b"<stream>" + b"<elt>1</elt>" * 250_001 + b"</stream>", "more than 250000 elements"),
    ],
)
def test_malformed_bodies_are_refused_when_touched(domain: str, body: bytes, what: str) -> None:
    tree = message_tree(bare(body), domain=domain)
    assert tree["MQMD.Format"] == "MQSTR"
    with pytest.raises(TreeError, match=what):
        tree[domain]
