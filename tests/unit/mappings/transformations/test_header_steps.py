"""Headers taken out and put in front, with what they say of the data behind them."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.dead_letter import dead_letter
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties
from mqbridge.mappings.transformations import Finished, Run, StepFailed, Surroundings, explain, read_steps
from mqbridge.protocol.chain import HeaderChain, walk
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures.mde import MDE
from mqbridge.protocol.structures.rfh2 import make_rfh2
from mqbridge.protocol.structures.xqh import XQH
from mqbridge.protocol.text import encode_field

SURROUNDINGS = Surroundings(ccsid=1208, queue_manager="QM1", queue="ORDERS.IN", now=1_700_000_000.0)
TEXT = "Grüße"


def applied(message: Message, *items: Any) -> Message:
    outcome = Run(read_steps(items), message, SURROUNDINGS).advance()
    assert isinstance(outcome, Finished), outcome
    return outcome.messages[0]


def failure(message: Message, *items: Any) -> StepFailed:
    outcome = Run(read_steps(items), message, SURROUNDINGS).advance()
    assert isinstance(outcome, StepFailed)
    return outcome


def rfh2(
    format_name: str, encoding: int, ccsid: int, *, order: ByteOrder = ByteOrder.BIG, ebcdic: bool = False
) -> bytes:
    own = 500 if ebcdic else 819
    return make_rfh2(
        order,
        [b"<usr><colour>red</colour></usr>"],
        struc_id=encode_field("RFH", 4, own),
        encoding=encoding,
        coded_char_set_id=ccsid,
        format=encode_field(format_name, 8, own),
    ).build()


def message(data: bytes, format_name: str, encoding: int, ccsid: int) -> Message:
    return Message.build(data, format=format_name, encoding=encoding, coded_char_set_id=ccsid)


def described(made: Message) -> tuple[str, int, int]:
    return made.md.format, made.md.encoding, made.md.coded_char_set_id


def chain(made: Message) -> HeaderChain:
    return walk(made.md.format, made.md.encoding, made.md.coded_char_set_id, made.data)


@pytest.mark.spec("jms-mapping.md 10.1")
def test_a_header_that_goes_leaves_what_it_said_of_the_data() -> None:
    given = message(rfh2("MQSTR", 546, 850) + TEXT.encode("cp850"), "MQHRF2", 273, 1208)
    made = applied(given, "strip-rfh2")
    assert described(made) == ("MQSTR", 546, 850)
    assert made.data.decode("cp850") == TEXT
    run = Run(read_steps(["strip-rfh2"]), given, SURROUNDINGS, record=True)
    run.advance()
    length = len(given.data) - len(made.data)
    assert explain(run) == (f"strip-rfh2   {length} bytes out; MQMD.Format MQSTR, CodedCharSetId 850, Encoding 546",)


@pytest.mark.spec("jms-mapping.md 10.1")
@pytest.mark.parametrize("ccsid", [0, -2])
def test_an_inherited_ccsid_stays_that_of_the_header(ccsid: int) -> None:
    given = message(rfh2("MQSTR", 546, ccsid) + TEXT.encode("cp850"), "MQHRF2", 273, 850)
    assert described(applied(given, "strip-rfh2")) == ("MQSTR", 546, 850)


@pytest.mark.spec("jms-mapping.md 10.1")
def test_a_header_between_others_leaves_what_it_said_to_the_one_in_front() -> None:
    inner = message(rfh2("MQSTR", 546, 850, order=ByteOrder.BIG) + b"x", "MQHRF2", 273, 1208)
    given = dead_letter(inner, 2053, "Q", "QM1", put_appl_type=7, put_appl_name="test", now=1_700_000_000.0)
    made = applied(given, "strip-rfh2")
    assert described(made) == described(given)
    links = chain(made).links
    assert [link.name for link in links] == ["DLH"]
    assert (chain(made).body_format, chain(made).body_encoding, chain(made).body_ccsid) == ("MQSTR", 546, 850)
    assert made.data[:172][:104] == given.data[:104]
    assert applied(given, "strip-dlh") == inner
    assert applied(given, "strip-headers") == applied(inner, "strip-rfh2")


def test_an_ebcdic_header_in_front_gets_an_ebcdic_format() -> None:
    inner = rfh2("MQSTR", 546, 850, order=ByteOrder.LITTLE) + b"x"
    mde = MDE.codec(ByteOrder.BIG)(
        struc_id=encode_field("MDE", 4, 500),
        encoding=546,
        coded_char_set_id=1208,
        format=encode_field("MQHRF2", 8, 500),
    )
    made = applied(message(mde.build() + inner, "MQHMDE", 785, 500), "strip-rfh2")
    assert described(made) == ("MQHMDE", 785, 500)
    header = chain(made).links[0].header.record
    assert (header.format.decode("cp500"), header.encoding, header.coded_char_set_id) == ("MQSTR   ", 546, 850)


@pytest.mark.parametrize("word", ["strip-rfh2", "strip-headers", "strip-dlh", "strip-xqh", "strip-properties"])
def test_a_message_without_the_header_is_the_same(word: str) -> None:
    given = message(b"x", "MQSTR", 546, 1208)
    assert applied(given, word) is given


@pytest.mark.parametrize("word", ["strip-rfh2", "strip-headers"])
def test_a_malformed_header_fails_the_step(word: str) -> None:
    assert failure(message(b"RFH " + bytes(40), "MQHRF2", 546, 1208), word).reason == 2142


def test_all_headers_of_a_name_go() -> None:
    given = message(rfh2("MQHRF2", 273, 1208) + rfh2("MQSTR", 546, 850) + b"x", "MQHRF2", 273, 1208)
    made = applied(given, "strip-rfh2")
    assert (described(made), made.data) == (("MQSTR", 546, 850), b"x")


def test_the_message_of_a_transmission_queue_gets_its_own_descriptor_back() -> None:
    own = Message.build(
        b"x", order=ByteOrder.BIG, ccsid=500, format="MQSTR", encoding=785, coded_char_set_id=500, priority=3
    )
    header = XQH.codec(ByteOrder.BIG)(
        struc_id=encode_field("XQH", 4, 500),
        remote_q_name=encode_field("Q", 48, 500),
        remote_q_mgr_name=encode_field("QM2", 48, 500),
    )
    given = message(header.build() + own.raw_md + own.data, "MQXMIT", 785, 500)
    assert applied(given, "strip-xqh") == own
    assert applied(given, "strip-headers") == own


def test_a_dead_letter_header_is_added_and_taken_out() -> None:
    given = message(b"x", "MQSTR", 546, 1208)
    made = applied(given, {"add": "dlh", "reason": 2053, "queue": "Q"})
    header = chain(made).links[0].header.record
    assert (header.reason, header.dest_q_name.rstrip(), header.dest_q_mgr_name.rstrip()) == (2053, b"Q", b"QM1")
    assert header.put_date == b"20231114"
    assert applied(made, "strip-dlh") == given


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ({"add": "rfh2", "folders": {"usr": {"a": 5}}}, "RFH2"),
        ({"add": "rfh2"}, "RFH2"),
        ({"add": "cih", "fields": {"TransactionId": "ABCD"}}, "CIH"),
        ({"add": "iih", "fields": {"TranInstanceId": "0102", "LTermOverride": "L"}}, "IIH"),
        ({"add": "wih", "fields": {"ServiceName": "S"}}, "WIH"),
    ],
)
@pytest.mark.parametrize("ccsid", [850, 0])
def test_a_header_that_is_added_takes_over_what_the_descriptor_said(item: Any, name: str, ccsid: int) -> None:
    given = message(b"x", "MQSTR", 785, ccsid)
    made = applied(given, item)
    found = chain(made)
    assert [link.name for link in found.links] == [name]
    assert (found.body_format, found.body_encoding, found.body_ccsid) == ("MQSTR", 785, ccsid or 1208)
    assert applied(made, f"strip-{name.lower()}").data == b"x"


def test_folders_hold_properties() -> None:
    made = applied(
        message(b"x", "MQSTR", 785, 1208),
        {"add": "rfh2", "folders": {"usr": {"a": 5, "b.c": "x"}, "mine": {"d": True}}},
    )
    assert [(each.name, each.value) for each in read_properties(made)] == [("a", 5), ("b.c", "x"), ("mine.d", True)]


def test_the_body_is_described_anew_and_no_byte_of_it_changes() -> None:
    plain = applied(message(b"x", "", 546, 0), {"describe": {"format": "MQSTR", "ccsid": 850}})
    assert (described(plain), plain.data) == (("MQSTR", 546, 850), b"x")
    given = message(rfh2("", 546, 1208) + b"x", "MQHRF2", 273, 1208)
    made = applied(given, {"describe": {"format": "MQSTR", "ccsid": 850, "encoding": 273}})
    assert described(made) == described(given)
    found = chain(made)
    assert (found.body_format, found.body_encoding, found.body_ccsid) == ("MQSTR", 273, 850)
    assert found.body == b"x"
    assert applied(made, {"describe": {"ccsid": 850}}) is made


def test_headers_and_body_are_converted() -> None:
    given = message(rfh2("MQSTR", 273, 850) + TEXT.encode("cp850"), "MQHRF2", 273, 1208)
    made = applied(given, {"convert": {"ccsid": 1208, "encoding": 546}})
    assert described(made) == ("MQHRF2", 546, 1208)
    assert chain(made).body.decode() == TEXT
    assert given.data.endswith(TEXT.encode("cp850"))


@pytest.mark.parametrize(
    ("format_name", "ccsid", "reason"), [("", 850, 2110), ("MQSTR", 64000, 2111), ("MQEVENT", 850, 2110)]
)
def test_what_cannot_be_converted_fails_the_step(format_name: str, ccsid: int, reason: int) -> None:
    found = failure(message(b"x", format_name, 273, ccsid), {"convert": {"ccsid": 1208}})
    assert found.reason == reason
