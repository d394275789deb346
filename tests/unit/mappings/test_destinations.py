"""URIs of destinations (jms-mapping.md 7); rows without a remark are as IBM's JMS client 9.4.3 has them."""

from __future__ import annotations

from typing import Any

import pytest

import mqbridge
from mqbridge.mappings.destination_texts import MAX_PROPERTIES, MAX_PROPERTY, MAX_TOPIC
from mqbridge.mappings.destinations import (
    APPLICATION,
    QUEUE_DEFAULT,
    Destination,
    DestinationError,
    DestinationKind,
    MessageBody,
    MessageContext,
    TargetClient,
)

QUEUE, TOPIC = DestinationKind.QUEUE, DestinationKind.TOPIC


def test_the_class_is_a_public_name() -> None:
    assert mqbridge.Destination is Destination


@pytest.mark.spec("jms-mapping.md 7.1")
@pytest.mark.spec("jms-mapping.md 11.12")
@pytest.mark.spec("jms-mapping.md 7.4 rule 2")
@pytest.mark.spec("jms-mapping.md 7.4 rule 8")
@pytest.mark.spec("jms-mapping.md 7.4 rule 9")
@pytest.mark.parametrize(
    ("text", "kind", "queue_manager", "name", "uri"),
    [
        ("queue://QM/Q", QUEUE, "QM", "Q", "queue://QM/Q"),
        ("queue:///Q", QUEUE, "", "Q", "queue:///Q"),
        ("queue://Q", QUEUE, "", "Q", "queue:///Q"),  # the documentation has it, IBM's client refuses it
        ("topic://A/B/C", TOPIC, "", "A/B/C", "topic://A/B/C"),
        ("topic:///A", TOPIC, "", "/A", "topic:///A"),
        ("Q", QUEUE, "", "Q", "queue:///Q"),
        ("A/B", QUEUE, "", "A/B", "queue:///A/B"),
        ("queue:///A/B", QUEUE, "", "A/B", "queue:///A/B"),  # only the first slash separates
        ("queue://A/B/C", QUEUE, "A", "B/C", "queue://A/B/C"),
        ("queue:///a%b", QUEUE, "", "a%b", "queue:///a%b"),  # a valid character of names
        ("queue:///a%41b", QUEUE, "", "a%41b", "queue:///a%41b"),  # IBM's client reads aAb, even of what it wrote
        ("topic://a b", TOPIC, "", "a b", "topic://a b"),
        ("topic://a%20b", TOPIC, "", "a b", "topic://a b"),
        ("topic://a%3Fb", TOPIC, "", "a?b", "topic://a%3Fb"),
        ("topic://a%2520b", TOPIC, "", "a%20b", "topic://a%2520b"),
        ("topic://100%", TOPIC, "", "100%", "topic://100%"),
        ("topic://%zz%41", TOPIC, "", "%zz%41", "topic://%zz%41"),
        ("topic://a+b&c", TOPIC, "", "a+b&c", "topic://a+b&c"),
        ("topic://é/€", TOPIC, "", "é/€", "topic://é/€"),
        ("topic://%C3%A9", TOPIC, "", "é", "topic://é"),
    ],
)
def test_names_are_read_and_written(text: str, kind: DestinationKind, queue_manager: str, name: str, uri: str) -> None:
    destination = Destination.parse(text)
    assert (destination.kind, destination.queue_manager, destination.name) == (kind, queue_manager, name)
    assert destination.properties == ()
    assert destination.uri == str(destination) == uri
    assert Destination.parse(uri) == destination
    if kind is TOPIC:
        assert Destination.topic(name) == destination
    else:
        assert Destination.queue(name, queue_manager) == destination


@pytest.mark.spec("jms-mapping.md 7.4 rule 5")
@pytest.mark.spec("jms-mapping.md 7.4 rule 6")
@pytest.mark.parametrize(
    ("query", "properties", "written"),
    [
        ("", (), ""),
        ("priority=3", (("priority", "3"),), "?priority=3"),
        ("zeta=1&alpha=2&Zeta=3", (("zeta", "1"), ("alpha", "2"), ("Zeta", "3")), "?zeta=1&alpha=2&Zeta=3"),
        ("a=b=c", (("a", "b=c"),), "?a=b=c"),
        ("x&y=", (("x", ""), ("y", "")), "?x&y="),
        ("&&priority=3&", (("priority", "3"),), "?priority=3"),
        ("=1", (), ""),
        ("?priority=3", (("?priority", "3"),), "??priority=3"),
        ("path=a%26b+c", (("path", "a&b c"),), "?path=a%26b+c"),
        ("path=a,b%2Cc", (("path", "a,b,c"),), "?path=a,b%2Cc"),
        ("path=100%+x", (("path", "100%+x"),), "?path=100%+x"),
        ("path=%C3%A9", (("path", "é"),), "?path=%C3%A9"),
    ],
)
def test_properties_keep_their_order_and_their_bytes(
    query: str, properties: tuple[tuple[str, str], ...], written: str
) -> None:
    for start in ("queue://QM/Q", "topic://a/b"):
        destination = Destination.parse(f"{start}?{query}")
        assert destination.properties == properties
        assert destination.uri == start + written


@pytest.mark.spec("jms-mapping.md 7.2")
@pytest.mark.parametrize(
    ("attribute", "name", "literal", "value"),
    [
        ("ccsid", "CCSID", "1208", 1208),
        ("encoding", "encoding", "546", 546),
        ("encoding", "encoding", "273", 273),
        ("expiry", "expiry", "0", 0),
        ("expiry", "expiry", "60000", 60000),
        ("expiry", "expiry", "99999999999", 99999999999),
        ("expiry", "expiry", "-2", APPLICATION),
        ("persistence", "persistence", "1", 1),
        ("persistence", "persistence", "2", 2),
        ("persistence", "persistence", "-1", QUEUE_DEFAULT),
        ("persistence", "persistence", "-2", APPLICATION),
        ("persistence", "persistence", "3", 3),
        ("priority", "priority", "0", 0),
        ("priority", "priority", "9", 9),
        ("priority", "priority", "03", 3),
        ("priority", "priority", "-1", QUEUE_DEFAULT),
        ("priority", "priority", "-2", APPLICATION),
        ("target_client", "targetClient", "0", TargetClient.JMS),
        ("target_client", "targetClient", "1", TargetClient.MQ),
        ("message_body", "messageBody", "0", MessageBody.JMS),
        ("message_body", "messageBody", "1", MessageBody.MQ),
        ("message_body", "messageBody", "2", MessageBody.UNSPECIFIED),
        ("md_read_enabled", "mdReadEnabled", "true", True),
        ("md_read_enabled", "mdReadEnabled", "FALSE", False),
        ("md_write_enabled", "mdWriteEnabled", "true", True),
        ("md_message_context", "mdMessageContext", "0", MessageContext.DEFAULT),
        ("md_message_context", "mdMessageContext", "1", MessageContext.SET_IDENTITY),
        ("md_message_context", "mdMessageContext", "2", MessageContext.SET_ALL),
        ("routing_path", "ibmRoutingPath", "A,B", "A,B"),
    ],
)
def test_known_properties_have_types(attribute: str, name: str, literal: str, value: Any) -> None:
    for start in ("queue:///Q", "topic://a"):
        assert getattr(Destination.parse(start), attribute) is None
        found = getattr(Destination.parse(f"{start}?x=1&{name}={literal}&y=2"), attribute)
        assert (found, type(found)) == (value, type(value))


@pytest.mark.spec("jms-mapping.md 7.2")
@pytest.mark.parametrize(
    ("name", "literal", "value"),
    [
        ("readAheadAllowed", "-1", -1),
        ("putAsyncAllowed", "1", 1),
        ("readAheadClosePolicy", "2", 2),
        ("failIfQuiesce", "0", 0),
        ("receiveCCSID", "819", 819),
        ("receiveConversion", "2", 2),
        ("multicast", "9", 9),
        ("brokerVersion", "1", 1),
        ("wildcardFormat", "1", 1),
        ("mine", "-77", -77),
    ],
)
def test_other_properties_are_read_as_numbers_by_name(name: str, literal: str, value: int) -> None:
    destination = Destination.parse(f"topic://a?{name}={literal}&brokerDurSubQueue=SYSTEM.X")
    assert destination.number(name) == value
    assert destination.number(name + "x") is None
    assert destination.get("brokerDurSubQueue") == "SYSTEM.X"


@pytest.mark.spec("jms-mapping.md 7.4 rule 10")
@pytest.mark.parametrize(
    "query",
    [
        "CCSID=x", "CCSID=-1", "CCSID=2147483648", "encoding=", "expiry=-1", "expiry=-3", "expiry=1e3", "persistence=0",
        "persistence=4", "persistence=-3", "priority=10", "priority=-3", "priority=", "priority=%203", "priority=+3",
        "priority=٣", "targetClient=2", "targetClient=-1", "messageBody=3", "mdMessageContext=3", "mdReadEnabled=1",
        "mdWriteEnabled=", "readAheadAllowed=7", "putAsyncAllowed=x", "failIfQuiesce=true", "receiveConversion=5",
        "receiveCCSID=-1", "readAheadClosePolicy=0", "priority=" + "9" * 5000,
    ],
)  # fmt: skip
def test_wrong_values_are_found_when_they_are_read(query: str) -> None:
    destination = Destination.parse("queue:///Q?" + query)
    name = query.partition("=")[0]
    with pytest.raises(DestinationError, match=name):
        destination.flag(name) if name.startswith("md") and name.endswith("Enabled") else destination.number(name)
    with pytest.raises(DestinationError):
        Destination.queue("Q").with_property(name, destination.get(name))
    assert destination.uri == "queue:///Q?" + query


@pytest.mark.spec("jms-mapping.md 7.4 rule 4")
def test_the_last_of_several_counts_and_case_does_not_matter() -> None:
    destination = Destination.parse("queue:///Q?priority=3&Priority=4")
    assert destination.priority == 4  # as IBM's client has it


@pytest.mark.spec("jms-mapping.md 7.4 rule 7")
def test_properties_are_set_in_their_place() -> None:
    given = Destination.parse("queue://QM/Q?a=x,y&priority=3&b=%2C")
    assert given.with_property("priority", 7).uri == "queue://QM/Q?a=x,y&priority=7&b=%2C"
    assert given.with_property("mdReadEnabled", True).uri == "queue://QM/Q?a=x,y&priority=3&b=%2C&mdReadEnabled=true"
    assert given.with_property("targetClient", TargetClient.MQ).uri.endswith("&targetClient=1")
    assert given.with_property("a", None).uri == "queue://QM/Q?priority=3&b=%2C"
    assert given.with_property("c", "x&y z~").uri == "queue://QM/Q?a=x,y&priority=3&b=%2C&c=x%26y+z%7E"
    assert given.uri == "queue://QM/Q?a=x,y&priority=3&b=%2C"
    made = Destination.queue("Q", "QM", priority=7, mdReadEnabled=False, ibmRoutingPath="a&b")
    assert made.uri == "queue://QM/Q?priority=7&mdReadEnabled=false&ibmRoutingPath=a%26b"
    assert Destination.topic("a", expiry=APPLICATION).uri == "topic://a?expiry=-2"
    assert Destination(QUEUE, "Q", "", (("priority", "7"), ("x", "&"))).uri == "queue:///Q?priority=7&x=%26"


@pytest.mark.spec("jms-mapping.md 7.3")
def test_a_reply_goes_to_the_whole_destination_with_its_routing_path() -> None:
    reply_to = Destination.parse("queue://WAS/ANSWERS?ibmRoutingPath=A%3AB&mine=1")
    assert reply_to.routing_path == "A:B"
    assert reply_to.with_property("priority", 3).uri == "queue://WAS/ANSWERS?ibmRoutingPath=A%3AB&mine=1&priority=3"


@pytest.mark.spec("jms-mapping.md 7.4 rule 3")
@pytest.mark.spec("jms-mapping.md 7.4 rule 10")
@pytest.mark.parametrize(
    "text",
    [
        "", "queue://", "queue:///", "queue://A/", "queue://?priority=3", "topic://", "topic://?x=1", "QUEUE:///Q",
        "TOPIC://x", "queue:Q", "queue:/Q", "mailto://x", "Q?priority=3", "queue:///a b", "queue:///a@b", "queue:///é",
        "queue:///" + "x" * 49, "x" * 49, "queue://" + "x" * 49 + "/Q", "queue://a b/Q", "queue:///Q\n",
        "topic://" + "x" * (MAX_TOPIC + 1), "queue:///Q?" + "&" * MAX_PROPERTIES,
        "queue:///Q?x=" + "x" * (MAX_PROPERTY - 1),
    ],
)  # fmt: skip
def test_what_is_no_destination(text: str) -> None:
    with pytest.raises(DestinationError) as caught:
        Destination.parse(text)
    assert len(str(caught.value)) < 200


def test_what_cannot_be_made() -> None:
    for name, queue_manager in (("", ""), ("x" * 49, ""), ("a b", ""), ("a?b", ""), ("Q", "a b"), ("Q", "a/b")):
        with pytest.raises(DestinationError):
            Destination.queue(name, queue_manager)
    with pytest.raises(DestinationError):
        Destination.topic("")
    for name in ("", "a=b", "a&b", "a?b"):
        with pytest.raises(DestinationError):
            Destination.topic("a").with_property(name, 1)
    with pytest.raises(DestinationError):
        Destination.topic("a").with_property("x", "\ud800")
    with pytest.raises(DestinationError):
        Destination.queue("Q").with_property("x", "x" * MAX_PROPERTY)
    full = Destination(QUEUE, "Q", "", tuple((f"p{count}", "") for count in range(MAX_PROPERTIES)))
    with pytest.raises(DestinationError):
        full.with_property("one", "more")


@pytest.mark.spec("jms-mapping.md 8")
def test_names_of_a_bus_are_accepted_where_they_are_expected() -> None:
    destination = Destination.parse("queue://WAS/orders, new?x=1", conforming=False)
    assert (destination.queue_manager, destination.name) == ("WAS", "orders, new")
    with pytest.raises(DestinationError):
        Destination.parse("queue:///" + "x" * 49, conforming=False)
