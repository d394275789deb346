"""What messages are for packets, and packets for messages."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.partner.from_packets import answer, delivered
from mqbridge.bridge.agents.partner.guarantees import guarantees
from mqbridge.bridge.agents.partner.numbers import TABLE, SequenceNumbers
from mqbridge.bridge.agents.partner.settings import PartnerSettings
from mqbridge.bridge.agents.partner.to_packets import put_fields, unwrapped, values_of
from mqbridge.bridge.store.interface import PutRecord, StoreDamaged
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import wrap_head
from mqbridge.mappings.properties import Property, read_properties
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.mappings.templates import BuildError, Values, read_protocol
from mqbridge.protocol.constants import MQFMT, MQMT, MQRO
from support.templates.thesis import shipped

TEXT = """
[protocol]
name = "fields"

[framing]
kind = "close"

[[transaction]]
name = "all"
recognise = [{{ position = 0, text = "A" }}]
template = "41"
field = [
    {{ name = "body", position = 1, length = 8, type = "{kind}", map = "message", extends = true {more} }},
    {{ name = "id", length = 24, type = "bytes", map = "message-id", compute = "random", extends = true }},
    {{ name = "short", length = 4, type = "unsigned", map = "correlation-id", extends = true }},
    {{ name = "life", length = 4, type = "unsigned", map = "expiry", extends = true }},
    {{ name = "rank", length = 4, type = "unsigned", map = "priority", extends = true }},
    {{ name = "part", length = 4, type = "unsigned", map = "part-number", extends = true }},
    {{ name = "sent", length = 8, type = "time", form = "milliseconds", map = "time-stamp", extends = true }},
]

[[session.initiator.state]]
name = "ready"
rule = [{{ on = "put", send = "all", accepted = true }}]
"""


def values(message: Message, kind: str = "text", more: str = "", most: int = 1000) -> dict[str, Any]:
    protocol = read_protocol(TEXT.format(kind=kind, more=more), "fields.toml")
    return values_of(message, ("", ""), put_fields(protocol, "initiator"), 1208, most)


def message(body: bytes = b"12", **fields: Any) -> Message:
    return Message.build(body, **({"format": "MQSTR", "coded_char_set_id": 1208} | fields))


@pytest.mark.spec("M-165")
@pytest.mark.parametrize(
    ("kind", "fields", "body", "found"),
    [
        ("text", {}, "zwölf".encode(), "zwölf"),
        ("text", {"coded_char_set_id": 500}, "zwölf".encode("cp500"), "zwölf"),
        ("text", {"format": ""}, b"\xff\xfe", b"\xff\xfe"),
        ("bytes", {}, "zwölf".encode(), "zwölf".encode()),
        ("unsigned", {}, b"12", 12),
        ("decimal", {}, b"0012", 12),
    ],
)
def test_data_are_text_where_the_field_is(kind: str, fields: dict[str, Any], body: bytes, found: object):
    assert values(message(body, **fields), kind)["message"] == found


@pytest.mark.parametrize(
    ("made", "kind", "why"),
    [
        (message(b"twelve"), "unsigned", "is no number"),
        (message(b"\xff"), "text", "not valid in CCSID"),
        (message(bytes(2000)), "text", "2000 bytes of data; a packet has at most 1000"),
    ],
)
def test_data_that_no_field_holds_are_refused(made: Message, kind: str, why: str):
    with pytest.raises(BuildError, match=why):
        values(made, kind)


def test_the_descriptor_and_properties_fill_fields_that_have_room():
    made = message(
        msg_id=b"m" * 24, correl_id=b"c" * 24, expiry=-1, priority=7, put_date="20261123", put_time="23000000"
    )
    found = values(with_properties(made, [Property.of("part_number", "9"), Property.of("other", 1)]))
    assert found["message-id"] == b"m" * 24
    assert "correlation-id" not in found, "four bytes have no room for it"
    assert (found["expiry"], found["priority"], found["part-number"]) == (0, 7, 9)
    assert found["time-stamp"] == 1_795_474_800.0
    assert "other" not in found


@pytest.mark.spec("M-120", "M-145")
def test_a_message_of_a_transmission_queue_is_unwrapped():
    inner = message(b"hola", msg_id=b"m" * 24)
    head = wrap_head(inner.raw_md, "FAR.Q", "SATURN", 1208, msg_id=b"x" * 24, expiry=-1)
    outer = Message(head[:324], head[324:] + b"hola", order=inner.order, ccsid=1208)
    found, queue, manager = unwrapped(outer)
    assert (found.data, queue, manager) == (b"hola", "FAR.Q", "SATURN")
    assert unwrapped(inner) == (inner, "", "")
    with pytest.raises(BuildError):
        unwrapped(Message(head[:324], b"short", order=inner.order, ccsid=1208))


def packet(**fields: Any) -> Values:
    return Values("all", {"body": "text", **fields}, {})


def test_packets_become_messages_and_what_the_descriptor_cannot_hold_becomes_properties():
    protocol = read_protocol(TEXT.format(kind="text", more=""), "fields.toml")
    made = delivered(protocol, packet(id=b"id", short=77, life=50, rank=300, part=4), ("", 0), "REPLIES")
    found = {each.name: each.value for each in read_properties(made)}
    assert made.md.msg_id == b"id".ljust(24, b"\0")
    assert (made.md.expiry, made.md.persistence, made.md.reply_to_q) == (50, 1, "REPLIES")
    assert found == {"correlation_id": 77, "priority": 300, "part_number": 4}
    assert made.data.endswith(b"text")


@pytest.mark.spec("mqi.md 2.4")
@pytest.mark.parametrize("options", [0, MQRO.PASS_MSG_ID, MQRO.PASS_CORREL_ID, MQRO.PASS_DISCARD_AND_EXPIRY])
def test_an_answer_has_the_ids_that_were_asked_for(options: int):
    asked = message(msg_id=b"m" * 24, correl_id=b"c" * 24, report=int(options), expiry=99, priority=3, persistence=0)
    protocol = read_protocol(TEXT.format(kind="bytes", more=""), "fields.toml")
    made = answer(protocol, packet(body=b"raw bytes"), (str(MQFMT.STRING), 437), asked).md
    assert made.correl_id == (b"c" if options == MQRO.PASS_CORREL_ID else b"m") * 24
    assert made.msg_id == (b"m" * 24 if options == MQRO.PASS_MSG_ID else bytes(24))
    assert made.expiry == (99 if options == MQRO.PASS_DISCARD_AND_EXPIRY else -1)
    assert (made.msg_type, made.priority, made.persistence) == (MQMT.REPLY, 3, 0)
    assert (made.format, made.coded_char_set_id) == ("MQSTR", 437)


def test_numbers_that_are_given_back_come_again_and_damage_is_named():
    store = MemoryStore()
    numbers = SequenceNumbers("host", store)
    before = dict(numbers.counters.numbers)
    assert numbers.counters.next("n", 1, 9, 1) == 1
    taken = numbers.taken_since(before)
    numbers.give_back(taken)
    assert numbers.counters.next("n", 1, 9, 1) == 1
    store.commit([[numbers.keep({"n": 1})]])
    assert SequenceNumbers("host", store).counters.next("n", 1, 9, 1) == 2
    store.commit([[PutRecord(TABLE, b"host", b"{")]])
    with pytest.raises(StoreDamaged):
        SequenceNumbers("host", store)


@pytest.mark.spec("M-175")
def test_the_log_says_what_is_guaranteed():
    settings = PartnerSettings(name="a", send="A")
    (line,) = guarantees(shipped("mq-capture"), settings)
    assert line == "messages of A arrive at least once: no packet has an id by which a repeat is known"
    (line,) = guarantees(shipped("myopenq-framed"), settings)
    assert line == "messages of A arrive exactly once, known by put.digest"
    (line,) = guarantees(read_protocol(TEXT.format(kind="text", more=""), "fields.toml"), settings)
    assert line == "messages of A arrive at most once: the script awaits no confirmation"
