"""Paths: what they lead to, what they set, make and delete, and which are none."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import Element, MessageTree, TreeError, message_tree
from support.wire.tree_messages import bare, order, with_rfh2

pytestmark = pytest.mark.spec("jms-mapping.md 10")


def json_tree(body: bytes = b'{"a": [1, {"b": 2}, []], "x.y": {"": 3}, "a": 4}') -> MessageTree[Message]:
    return message_tree(bare(body), domain="JSON")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("JSON.Data.a.Item", 1),
        ("JSON.Data.a.Item[2].b", 2),
        ("JSON.Data.a[2]", 4),
        ("JSON.Data.a[<]", 4),
        ('JSON.Data."x.y".""', 3),
        ("JSON.Data.*[3]", 4),
        ("JSON.Data.a.*", [1, json_tree()["JSON.Data.a.Item[2]"], json_tree()["JSON.Data.a.Item[3]"]]),
        ("JSON.*.a.Item.b", []),
        ("JSON.*.a.Item[*].b", [2]),
        ("*.Data.a", [json_tree()["JSON.Data.a"]]),
    ],
)
def test_what_a_path_leads_to(path: str, value: object) -> None:
    assert json_tree()[path] == value


@pytest.mark.parametrize(
    "path", ["", ".", "a.", ".a", "a..b", "a[0]", "a[x]", "a[1", "a[1]b", '"a', 'a"b"', "@a.b", "a.@b[1]", "a.@", "[1]",
             "x" * 9000, "XMLNSC.a[9999999999]", "a.@b.c"],
)  # fmt: skip
def test_what_is_no_path(path: str) -> None:
    tree = json_tree()
    with pytest.raises(TreeError) as caught:
        tree[path]
    assert caught.value.path == path
    with pytest.raises(TreeError):
        _ = path in tree


@pytest.mark.parametrize(
    ("path", "value", "json"),
    [
        ("JSON.Data.a.Item[4]", 5, b'{"a":[1,{"b":2},[],5],"x.y":{"":3},"a":4}'),
        ("JSON.Data.a[3]", None, b'{"a":[1,{"b":2},[]],"x.y":{"":3},"a":4,"a":null}'),
        ("JSON.Data.new.deep", [1, [2]], b'{"a":[1,{"b":2},[]],"x.y":{"":3},"a":4,"new":{"deep":[1,[2]]}}'),
        ("JSON.Data.a.Item[*]", 0, b'{"a":[0,0,0],"x.y":{"":3},"a":4}'),
        ("JSON.Data.*", 0, b'{"a":0,"x.y":0,"a":0}'),
        ("JSON.Data", [], b"[]"),
        ("JSON", {"Data": {"one": True}}, b'{"one":true}'),
        ("JSON.Data.a[2].now", "an object", b'{"a":[1,{"b":2},[]],"x.y":{"":3},"a":{"now":"an object"}}'),
        ("JSON.Data.a", {"c": {}}, b'{"a":{"c":{}},"x.y":{"":3},"a":4}'),
        ("JSON.Data.a", Element("other", 7), b'{"a":7,"x.y":{"":3},"a":4}'),
    ],
)
def test_what_is_set(path: str, value: object, json: bytes) -> None:
    tree = json_tree()
    tree[path] = value
    assert tree.message().data == json


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("JSON.Data.a.Item[9]", 1, "there are 3 of Item"),
        ("JSON.Data.none[2]", 1, "there are 0 of none"),
        ("JSON.Data.none[*]", 1, "there is nothing to set"),
        ("JSON.Data.none.*[1]", 1, r"\* names no element that could be made"),
        ("JSON.Data.a.other", 1, "elements of an array are called Item"),
        ("JSON.Data.@a", 1, "JSON has no attributes"),
        ("JSON.Data.a", b"1", "JSON has no bytes"),
        ("JSON.Data.a", float("nan"), "JSON has no nan"),
        ("JSON.Data.a", 10**400, "400 characters at most"),
        ("JSON.Data.a", {1: 2}, "a name is text, not int"),
        ("*[9]", 1, "there is nothing to set"),
        ("Other", 1, "there is nothing"),
        ("@MQMD", 1, "a part has no attributes"),
    ],
)
def test_what_cannot_be_set(path: str, value: object, what: str) -> None:
    tree = json_tree()
    with pytest.raises(TreeError, match=what):
        tree[path] = value
    assert not tree.changed
    assert tree == json_tree()


@pytest.mark.parametrize("path", ["MQDLH.Nothing", "MQRFH2.Flags", "MQRFH2.usr.x", "MQRFH.a", "XML.a.b", "JMSMap.a"])
def test_what_cannot_be_set_makes_no_part(path: str) -> None:
    tree = message_tree(bare(b""))
    with pytest.raises(TreeError):
        tree[path] = object()
    assert not tree.changed
    assert list(tree) == ["Properties", "MQMD"]


@pytest.mark.parametrize(
    ("path", "json"),
    [
        ("JSON.Data.a", b'{"x.y":{"":3},"a":4}'),
        ("JSON.Data.a[2]", b'{"a":[1,{"b":2},[]],"x.y":{"":3}}'),
        ("JSON.Data.a[*]", b'{"x.y":{"":3}}'),
        ("JSON.Data.a.Item[<]", b'{"a":[1,{"b":2}],"x.y":{"":3},"a":4}'),
        ("JSON.Data.a.Item[*].b", b'{"a":[1,{},[]],"x.y":{"":3},"a":4}'),
        ("JSON.Data.*", b"{}"),
    ],
)
def test_what_is_deleted(path: str, json: bytes) -> None:
    tree = json_tree()
    del tree[path]
    assert tree.message().data == json


def test_nothing_cannot_be_deleted() -> None:
    for path in ("JSON.Data.none", "JSON.Data.a[3]", "MQRFH2", "XMLNSC.a", "Properties.Priority"):
        with pytest.raises(TreeError) as caught:
            del json_tree()[path]
        assert caught.value.path == path


def test_get_has_a_default() -> None:
    tree = message_tree(order())
    assert tree.get("MQRFH2.usr.colour") == "blue"
    assert tree.get("MQRFH2.usr.none", "x") == "x"
    assert tree.get("MQDLH.Reason") is None
    assert tree.get("MQRFH2.*.none", "x") == []


def test_an_element_has_others_in_it() -> None:
    element = message_tree(order())["XMLNSC.Order"]
    assert isinstance(element, Element)
    assert [child.name for child in element] == ["Item", "Item"]
    assert len(element) == 2
    assert element.attributes == {"id": "7"}
    assert repr(element) == "<Element Order of 2 elements>"


def test_items_are_every_value_below_a_path() -> None:
    tree = message_tree(order())
    assert list(tree.items("XMLNSC.Order")) == [
        ("XMLNSC.Order.@id", "7"),
        ("XMLNSC.Order.Item.Price", "1"),
        ("XMLNSC.Order.Item[2].Price.@cur", "EUR"),
        ("XMLNSC.Order.Item[2].Price", "2.5"),
    ]
    assert list(tree.items("MQRFH2.usr.colour")) == [("MQRFH2.usr.colour", "blue")]
    assert ("MQMD.Format", "MQHRF2") in list(tree.items())
    assert list(tree.items("JSON")) == []
    with pytest.raises(TreeError, match="name an element, not an attribute"):
        list(tree.items("XMLNSC.Order.@id"))


def test_an_element_is_copied_from_one_part_to_another() -> None:
    tree = message_tree(order())
    tree["XMLNSC.Order.Copy"] = tree["XMLNSC.Order.Item[2]"]
    tree["XMLNSC.Order.Copy.Price"] = "3"
    assert tree["XMLNSC.Order.Item[2].Price"] == "2.5"
    assert tree["XMLNSC.Order.Copy.Price.@cur"] == "EUR"
    tree["MQRFH2.usr.order"] = tree["XMLNSC.Order.Copy"]
    assert tree["MQRFH2.usr.order.Price"] == "3"
    other = message_tree(with_rfh2(b"{}", "<mcd><Msd>JSON</Msd></mcd>"))
    other["JSON.Data.order"] = tree["XMLNSC.Order"]
    items = b'{"Item":{"Price":"1"},"Item":{"Price":"2.5"},"Copy":{"Price":"3"}}'
    assert other.message().data.endswith(b'{"order":' + items + b"}")
    with pytest.raises(TreeError, match="a header is set by a mapping"):
        other["MQMD"] = "x"


@pytest.mark.parametrize("value", [{"Flags": 1, "usr": {"a": [1, 2]}}])
def test_a_header_is_set_by_a_mapping(value: dict[str, Any]) -> None:
    tree = message_tree(order())
    tree["MQRFH2"] = value
    assert (tree["MQRFH2.Flags"], tree["MQRFH2.usr.a[2]"]) == (1, 2)
