"""Steps that change the kind of a JMS message, and its header fields."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.mappings.jms import JmsMessage, Typed
from mqbridge.mappings.jms_headers import DOMAIN_OF_KIND
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import StepError, explain, read_steps
from mqbridge.mappings.transformations.run import Run
from mqbridge.protocol.structures.rfh2 import make_rfh2

from .test_header_steps import SURROUNDINGS, applied, failure
from .test_value_steps import folders, message

MAP = b"<map><elt name=\"N\" dt='i4'>5</elt></map>"
STREAM = b"<stream><elt dt='i4'>5</elt></stream>"


def jms(made: Message) -> JmsMessage:
    return JmsMessage.of(made, now=SURROUNDINGS.now)


def native(data: bytes = b"hello", **fields: Any) -> Message:
    return Message.build(data, **{"format": "MQSTR", "coded_char_set_id": 1208, "encoding": 546, **fields})


@pytest.mark.spec("jms-mapping.md 6")
@pytest.mark.parametrize(
    ("kind", "data", "form", "body"),
    [
        ("text", b"hello", "MQSTR", "hello"),
        ("bytes", b"hello", "", b"hello"),
        ("map", MAP, "MQSTR", {"N": Typed(5, "i4")}),
        ("stream", STREAM, "MQSTR", (Typed(5, "i4"),)),
        ("object", b"\xac\xed\0\5", "", b"\xac\xed\0\5"),
        ("none", b"", "", None),
    ],
)
@pytest.mark.parametrize("given", ["native", *DOMAIN_OF_KIND])
def test_a_message_becomes_one_of_a_kind(given: str, kind: str, data: bytes, form: str, body: Any) -> None:
    before = native(data)
    if given != "native":
        before = message(f"<mcd><Msd>{DOMAIN_OF_KIND[given]}</Msd></mcd>".encode(), b"<usr><a>1</a></usr>", data=data)
    made = applied(before, {"jms": kind})
    assert (jms(made).kind, jms(made).body) == (kind, body)
    assert made.data.endswith(data)
    assert jms(made).provider_properties["JMS_IBM_Format"].value == form
    if given != "native":
        assert jms(made).properties == {"a": Typed("1", "string")}
    assert applied(made, {"jms": kind}).data == made.data


@pytest.mark.spec("jms-mapping.md 6.1")
def test_another_domain_goes_with_what_it_says_of_the_body() -> None:
    foreign = message(b"<mcd><Msd>mrm</Msd><Set>S</Set><Type>T</Type><Fmt>F</Fmt></mcd>")
    made = applied(foreign, {"jms": "bytes"})
    assert (jms(made).kind, jms(made).type) == ("bytes", "T")
    null = message(b'<mcd><Msd>jms_text</Msd><msgbody xsi:nil="true"></msgbody></mcd>', data=b"")
    assert jms(null).body is None
    assert jms(applied(null, {"jms": "text"})).body == ""


def test_a_format_of_bytes_stays() -> None:
    header = make_rfh2(
        native().order, [b"<usr><a>1</a></usr>"], encoding=546, coded_char_set_id=1208, format=b"MYFORMAT",
        name_value_ccsid=1208,
    )  # fmt: skip
    made = applied(
        Message.build(header.build() + b"x", format="MQHRF2", encoding=546, coded_char_set_id=1208), {"jms": "bytes"}
    )
    assert jms(made).provider_properties["JMS_IBM_Format"].value == "MYFORMAT"


@pytest.mark.parametrize(
    ("before", "kind", "what"),
    [
        (native(b"<map"), "map", ""),
        (native(b"\xff"), "text", "body"),
        (native(), "none", "have none"),
        (message(b"<mcd><Msd>jms_text</Msd></mcd>"), "none", "have none"),
        (message(b"<mcd><Msd>jms_text</mcd>"), "bytes", "malformed"),
    ],
)
def test_a_body_that_is_of_another_kind_fails_the_step(before: Message, kind: str, what: str) -> None:
    data = before.data
    failed = failure(before, {"jms": kind})
    assert what in failed.text
    assert before.data == data


def test_a_header_between_prevents_text() -> None:
    made = applied(
        native(), {"add": "dlh", "reason": 2053, "queue": "Q"}, {"add": "rfh2", "folders": {"usr": {"a": 1}}}
    )
    assert "DLH stands in front of the body" in failure(made, {"jms": "text"}).text
    assert jms(applied(made, {"jms": "bytes"})).kind == "bytes"


@pytest.mark.spec("jms-mapping.md 2")
@pytest.mark.parametrize(
    ("item", "header", "value"),
    [
        (
            {"set": "JMSDestination", "value": "queue://QM2/ORDERS?priority=5"},
            "destination",
            "queue://QM2/ORDERS?priority=5",
        ),
        ({"set": "JMSDestination", "value": "topic://a/b"}, "destination", "topic://a/b"),
        ({"set": "JMSReplyTo", "value": "queue:///BACK"}, "reply_to", "queue:///BACK"),
        ({"set": "JMSDeliveryMode", "value": 2}, "delivery_mode", 2),
        ({"set": "JMSDeliveryMode", "value": 1}, "delivery_mode", 1),
        ({"set": "JMSPriority", "value": 9}, "priority", 9),
        ({"set": "JMSExpiration", "value": 1_700_000_060_000}, "expiration", 1_700_000_060_000),
        ({"set": "JMSExpiration", "value": 0}, "expiration", 0),
        ({"set": "JMSType", "value": "T"}, "type", "T"),
        ({"set": "JMSCorrelationID", "value": "c"}, "correlation_id", "c"),
        ({"set": "JMSXGroupSeq", "value": 3}, "group_seq", 3),
    ],
)
@pytest.mark.parametrize(
    "before",
    [
        native(),
        message(b"<mcd><Msd>jms_text</Msd></mcd>", b"<jms><Dst>queue:///Q</Dst></jms>"),
        message(
            b"<mcd><Msd>jms_text</Msd></mcd>",
            b"<jms><Dst>queue:///Q</Dst><Pri>3</Pri><Exp>1</Exp><Dlv>2</Dlv><Cid>x</Cid></jms>",
        ),
    ],
    ids=["native", "few", "all"],
)
def test_header_fields_are_set_where_the_client_reads_them(
    before: Message, item: dict[str, Any], header: str, value: Any
) -> None:
    made = applied(before, item)
    found = getattr(jms(made), header)
    assert (str(found) if header in ("destination", "reply_to") else found) == value


def test_a_destination_is_copied_from_a_property_and_checked() -> None:
    before = message(b"<usr><to>queue:///NEXT</to><wrong>topic://</wrong><n dt='i4'>12</n></usr>")
    assert str(jms(applied(before, {"set": "JMSDestination", "from": "usr.to"})).destination) == "queue:///NEXT"
    assert "JMSDestination" in failure(before, {"set": "JMSDestination", "from": "usr.wrong"}).text
    failed = failure(before, {"set": "JMSPriority", "from": "usr.n"})
    assert (failed.reason, "a whole number from 0 to 9" in failed.text) == (2473, True)
    assert folders(applied(before, {"set": "usr.was", "from": "JMSPriority"}))


def test_what_is_not_in_the_folder_is_not_written_there() -> None:
    before = message(b"<jms><Dst>queue:///Q</Dst></jms>")
    assert applied(before, {"set": "JMSPriority", "value": 9}).data == before.data


@pytest.mark.parametrize(
    ("item", "what"),
    [
        ({"jms": "txt"}, "kinds are text, bytes, map, stream, object, none"),
        ({"jms": True}, "kinds are"),
        ({"jms": "text", "value": 1}, "jms has no key 'value'"),
        ({"set": "JMSMessageID", "value": "ID:00"}, "it follows from the put"),
        ({"set": "JMSTimestamp", "value": 1}, "it follows from the put"),
        ({"set": "JMSDestination", "value": "queue://"}, "JMSDestination"),
        ({"set": "JMSDestination", "value": 5}, "a destination is text"),
        ({"set": "JMSPriority", "value": 10}, "from 0 to 9"),
        ({"set": "JMSPriority", "value": True}, "from 0 to 9"),
        ({"set": "JMSPriority", "value": 1.5}, "cannot be 1.5"),
        ({"set": "JMSPriority", "value": 1, "type": "i4"}, "type is for properties"),
        ({"set": "JMSDeliveryMode", "value": 0}, "from 1 to 2"),
        ({"set": "JMSExpiration", "value": -1}, "a whole number from 0"),
        ({"remove": "JMSDestination"}, "cannot be removed"),
    ],
)
def test_wrong_steps_are_found_when_they_are_read(item: dict[str, Any], what: str) -> None:
    with pytest.raises(StepError) as caught:
        read_steps([item])
    assert str(caught.value).startswith("step 1: ")
    assert what in str(caught.value)


def test_lines_of_explain() -> None:
    steps = read_steps([{"jms": "text"}, {"set": "JMSDestination", "value": "queue:///X"}])
    run = Run(steps, native(), SURROUNDINGS, record=True)
    run.advance()
    assert explain(run) == (
        "jms text     72 bytes in; MQMD.Format MQHRF2, CodedCharSetId 1208, Encoding 546; mcd.Msd 'jms_text'",
        "set JMSDestination 36 bytes in; jms.Dst 'queue:///X'",
    )
