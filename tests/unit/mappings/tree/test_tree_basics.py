"""Trees of messages: parts by name, values by path, and the same bytes where nothing is changed."""

from __future__ import annotations

import pytest

import mqbridge
from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import TreeError, message_tree
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import make_rfh2

pytestmark = pytest.mark.spec("jms-mapping.md 10")

ORDER = b'<Order id="7"><Item><Price>1</Price></Item><Item><Price cur="EUR">2.5</Price></Item></Order>'


def order(body: bytes = ORDER, domain: str = "XMLNSC") -> Message:
    folders = [f"<mcd><Msd>{domain}</Msd></mcd>".encode(), b"<usr><colour>blue</colour><n dt='i4'>5</n></usr>"]
    header = make_rfh2(ByteOrder.LITTLE, folders, encoding=546, coded_char_set_id=1208)
    return Message.build(header.build() + body, format="MQHRF2", encoding=546, coded_char_set_id=1208)


def test_parts_stand_in_order() -> None:
    assert list(message_tree(order())) == ["Properties", "MQMD", "MQRFH2", "XMLNSC"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("MQMD.Format", "MQHRF2"),
        ("Root.MQMD.Encoding", 546),
        ("MQRFH2.NameValueCCSID", 1208),
        ("MQRFH2.usr.colour", "blue"),
        ("MQRFH2.usr.n", 5),
        ("MQRFH2.usr.n.@dt", "i4"),
        ("XMLNSC.Order.@id", "7"),
        ("XMLNSC.Order.Item.Price", "1"),
        ("XMLNSC.Order.Item[2].Price", "2.5"),
        ("XMLNSC.Order.Item[<].Price.@cur", "EUR"),
        ("XMLNSC.Order.*[2].Price", "2.5"),
        ("XMLNSC.Order.Item[*].Price", ["1", "2.5"]),
        ("MQRFH2.*.colour", ["blue"]),
    ],
)
def test_a_path_leads_to_a_value(path: str, value: object) -> None:
    tree = message_tree(order())
    assert tree[path] == value
    assert path in tree


def test_what_was_not_changed_is_the_message_that_came() -> None:
    message = order()
    tree = message_tree(message)
    assert tree["XMLNSC.Order.@id"] == "7"
    assert tree.message() is message


def test_a_change_is_in_the_next_tree() -> None:
    tree = message_tree(order())
    tree["MQRFH2.usr.colour"] = "red"
    tree["XMLNSC.Order.Item[3].Price"] = 7
    del tree["XMLNSC.Order.Item[1]"]
    again = message_tree(tree.message())
    assert again == tree
    assert again["XMLNSC.Order.Item[*].Price"] == ["2.5", "7"]
    assert again["MQRFH2.usr.colour"] == "red"


def test_the_front_door_gives_the_kind_of_message_back() -> None:
    tree = mqbridge.message_tree(mqbridge.Message('{"a": 1}', properties={"colour": "red"}), domain="JSON")
    tree["JSON.Data.b"] = [True, None]
    message = tree.message()
    assert isinstance(message, mqbridge.Message)
    assert (message.text, message.properties["colour"]) == ('{"a":1,"b":[true,null]}', "red")
    stored = mqbridge.message_tree(message.stored, domain="JSON")
    assert stored.message() is message.stored


def test_an_error_names_the_path() -> None:
    with pytest.raises(TreeError, match=r"XMLNSC\.Order\.None: there is nothing") as caught:
        message_tree(order())["XMLNSC.Order.None"]
    assert caught.value.path == "XMLNSC.Order.None"
