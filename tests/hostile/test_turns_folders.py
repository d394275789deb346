"""Messages whose folders are more than anybody needs: refused where a program puts them, harmless where they are."""

from __future__ import annotations

import time
from typing import Any

import pytest

from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import MAX_TAGS, PropertyView, read_properties, without_properties
from mqbridge.mappings.selectors import compile_selector
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC, ByteOrder
from mqbridge.protocol.structures import make_rfh2
from mqbridge.protocol.structures.rfh2 import MAX_FOLDERS
from support.queue_manager.host import Host
from support.queue_manager.pubsub_host import reason_of

USUAL = 100
"""A message is as hard as this many usual ones at the most."""
SELECTOR = "colour = 'red' OR size > 5 AND taste LIKE 'b%d'"


def message(*folders: bytes, **fields: Any) -> bytes:
    values: dict[str, Any] = {"encoding": 546, "coded_char_set_id": 1208, "name_value_ccsid": 1208, **fields}
    return make_rfh2(ByteOrder.LITTLE, folders, format=b"MQSTR   ", **values).build() + b"text"


def groups(count: int, name: bytes = b"usr") -> bytes:
    return b"<" + name + b"><colour>red</colour>" + b"<a></a>" * count + b"</" + name + b">"


MANY_GROUPS = message(groups(330_000))
MANY_FOLDERS = message(*[b"<a></a> "] * 330_000)
MANY_REFERENCES = message(b"<usr><a>" + b"&amp;" * 500_000 + b"</a></usr>")
MANY_ATTRIBUTES = message(b"<usr" + b" a='b'" * 500_000 + b"></usr>")
NO_END = message(b"<usr" + b" " * 3_000_000, b"<" + b"a" * 1_000_000)
DEEP = message(b"<usr>" + b"<a>" * 200_000 + b"</a>" * 200_000 + b"</usr>")
SHARED_OUT = message(*[groups(MAX_TAGS // 20)] * 100)
HOSTILE = {
    "groups": MANY_GROUPS,
    "folders": MANY_FOLDERS,
    "references": MANY_REFERENCES,
    "attributes": MANY_ATTRIBUTES,
    "no end": NO_END,
    "depth": DEEP,
    "shared out": SHARED_OUT,
}


@pytest.fixture
def host() -> Host:
    host = Host()
    host.local("Q", MAXMSGL=100 << 20)
    return host


def put(host: Host, data: bytes, version: int = 2, **options: Any) -> int:
    given = Message.build(data, version=version, format="MQHRF2", encoding=546, coded_char_set_id=1208)
    return reason_of(
        host.send, "Q", given, options=PutOptions(application=options.pop("application", None) or _nobody())
    )


def _nobody() -> Any:
    from mqbridge.bridge.queue_manager import Application

    return Application()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("groups", MQRC.PROPERTIES_TOO_BIG),
        ("references", MQRC.PROPERTIES_TOO_BIG),
        ("shared out", MQRC.PROPERTIES_TOO_BIG),
        ("depth", MQRC.PROPERTIES_TOO_BIG),
        ("folders", MQRC.RFH_ERROR),
    ],
)
def test_a_program_cannot_put_them(host: Host, name: str, reason: int) -> None:
    assert put(host, HOSTILE[name]) == reason
    assert host.depth("Q") == 0


def test_who_puts_with_an_old_descriptor_cannot_put_too_many_properties(host: Host) -> None:
    assert put(host, MANY_GROUPS, version=1) == MQRC.PROPERTIES_TOO_BIG
    assert put(host, MANY_FOLDERS, version=1) == 0  # headers are looked at in version 2; nobody takes it apart


def test_as_many_as_are_allowed_can_be_put_and_asked_for(host: Host) -> None:
    assert put(host, message(groups(MAX_TAGS // 2 - 2))) == 0
    assert put(host, message(groups(MAX_TAGS // 2 - 1))) == MQRC.PROPERTIES_TOO_BIG
    assert put(host, message(*[b"<a/>"] * MAX_FOLDERS)) == 0
    assert put(host, message(*[b"<a/>"] * (MAX_FOLDERS + 1))) == MQRC.RFH_ERROR


def test_folders_that_hold_no_properties_may_be_as_long_as_they_are(host: Host) -> None:
    assert put(host, message(groups(20_000, b"mine"), b"<usr><size>9</size></usr>")) == 0
    handle = host.open("Q", int(MQOO.BROWSE), selection_string="size = '9'")
    assert host.read(handle, MQGMO.BROWSE_FIRST) is not None


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "shared out"])
def test_where_one_came_by_a_channel_it_is_never_lost_and_never_selected_too_late(host: Host, name: str) -> None:
    """A channel puts what it is given: nobody looks into it."""
    given = Message.build(HOSTILE[name], msg_seq_number=1, format="MQHRF2", encoding=546, coded_char_set_id=1208)
    host.send("Q", given, options=PutOptions(direct=True))
    selecting = host.open("Q", int(MQOO.INPUT_SHARED), selection_string=SELECTOR)
    assert host.read(selecting) is None
    got = host.got("Q")
    assert got.data.endswith(b"text")


@pytest.mark.parametrize("name", HOSTILE)
def test_looking_into_one_costs_no_more_than_looking_into_usual_ones(name: str) -> None:
    usual = Message.build(
        message(groups(40)), msg_seq_number=1, format="MQHRF2", encoding=546, coded_char_set_id=1208, persistence=0
    )
    hostile = usual.copy(HOSTILE[name])
    selector = compile_selector(SELECTOR)

    def once(given: Message) -> float:
        began = time.process_time()
        selector.selects(PropertyView.of(given).get)
        read_properties(given)
        without_properties(given)
        return time.process_time() - began

    assert min(once(hostile) for _ in range(3)) < 20 * USUAL * min(once(usual) for _ in range(20))


def test_patterns_are_given_up_where_they_would_take_long() -> None:
    text = "a" * 200_000
    for letter in "_a":
        selector = compile_selector("p LIKE '%" + letter * 5_000 + "b%'")
        assert selector.decide({"p": text}.get) is None
        assert selector.decide({"p": "a" * 700}.get) is False
    many = compile_selector(" OR ".join("p LIKE '%aaaaaab%'" for _ in range(400)))
    assert many.decide({"p": text}.get) is None
    assert many.decide({"p": "aaaaaaab"}.get) is True
