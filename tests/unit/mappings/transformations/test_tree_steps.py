"""Headers and bodies edited by the paths of message trees."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import StepError, read_steps

from .test_header_steps import applied, failure
from .test_value_steps import FOLDERS, chain, message, values

XML = b"<Order><Item id='1'><Price>5</Price></Item><Item><Price>6</Price></Item></Order>"
JSON = b'{"order": {"price": 5}}'


def plain(data: bytes) -> Message:
    return Message.build(data, format="MQSTR", encoding=546, coded_char_set_id=1208)


def test_elements_of_xml_are_set_copied_and_removed() -> None:
    made = applied(
        plain(XML),
        {"set": "XMLNSC.Order.Item[2].Price", "value": "7"},
        {"set": "XMLNSC.Order.Total", "from": "XMLNSC.Order.Item[2].Price"},
        {"remove": "XMLNSC.Order.Item[1]"},
    )
    assert made.data == b"<Order><Item><Price>7</Price></Item><Total>7</Total></Order>"


def test_values_of_json_become_properties() -> None:
    made = applied(plain(JSON), {"set": "usr.price", "from": "JSON.Data.order.price"})
    assert values(made) == {"price": 5}
    assert chain(made).body == JSON


def test_fields_of_headers_are_set() -> None:
    made = applied(message(*FOLDERS), {"set": "MQRFH2.CodedCharSetId", "value": 1208})
    assert chain(made).body_ccsid == 1208


def test_what_is_not_there_is_removed_without_change() -> None:
    given = plain(XML)
    assert applied(given, {"remove": "XMLNSC.Order.None"}) is given


@pytest.mark.parametrize(
    ("data", "item"),
    [
        (b"<Order>", {"set": "XMLNSC.Order.a", "value": 1}),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', {"set": "XMLNSC.a.b", "value": 1}),
        (b"{" * 10_000, {"set": "JSON.Data.a", "value": 1}),
        (XML, {"set": "usr.item", "from": "XMLNSC.Order.Item"}),
    ],
)
def test_bad_bodies_fail_the_step(data: bytes, item: Any) -> None:
    assert failure(plain(data), item).reason == 2110


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"set": "XMLNSC", "value": "x"}, "a whole part of the message"),
        ({"set": "XMLNSC.a..b", "value": "x"}, "no step of a path"),
        ({"set": "XMLNSC.a", "value": "x", "type": "i4"}, "type is for properties"),
        ({"set": "JSON.a", "value": []}, "a string, a number or a boolean"),
    ],
)
def test_wrong_paths_are_told(item: Any, said: str) -> None:
    with pytest.raises(StepError, match=said):
        read_steps([item])
