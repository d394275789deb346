"""From a bus to MQ: each row of the tables (jms-mapping.md 8.2)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.mq import TransmittedMessage
from mqbridge.mappings.service_integration import Bus, BusDestination, BusError, BusMessage, from_mq, to_mq
from mqbridge.protocol.constants import MQRC
from support.service_integration.messages import destinations_in, jms_message, plain_message

BUS = Bus(
    "WAS",
    "WASQM",
    "MQ",
    frozenset(("PARIS", "bad name")),
    {
        "ANSWERS": BusDestination("WAS", "answers, new"),
        "NEXT": BusDestination("WAS", "ANSWERS"),
        "STOCK": BusDestination("PARIS", "STOCK.IN"),
        "R9": BusDestination("MQ", "R@QM9"),
        "odd alias": BusDestination("PARIS", "ELSE"),
    },
)


def reply(text: str) -> Destination:
    return Destination.parse(text, conforming=False)


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.spec("jms-mapping.md 11.13")
@pytest.mark.parametrize(
    ("bus", "identifier", "names"),
    [
        ("PARIS", "ORDERS", ("ORDERS", "PARIS")),  # indirect
        ("PARIS", "ORDERS@QM2", ("ORDERS@QM2", "PARIS")),  # indirect, of the form queue@queueManager
        ("MQ", "ORDERS@QM2", ("ORDERS", "QM2")),  # direct, of that form
        ("MQ", "ORDERS", ("ORDERS", "MQ")),  # direct, another
    ],
)
def test_names_of_the_transmission_queue_header(bus: str, identifier: str, names: tuple[str, str]) -> None:
    sent = to_mq(BUS, BusMessage(plain_message(), resolved=BusDestination(bus, identifier)))
    assert (sent.remote_q_name, sent.remote_q_mgr_name) == names


@pytest.mark.spec("jms-mapping.md 8.1")
def test_a_topic_has_no_transmission_queue_header() -> None:
    sent = to_mq(BUS, BusMessage(jms_message(dst="x"), destination=Destination.topic("a/b")))
    assert (sent.remote_q_name, sent.remote_q_mgr_name) == ("", "")
    assert destinations_in(sent.message)[0] == "topic://a/b"


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.parametrize(
    ("bus", "identifier", "missing_on", "alias_for", "text", "reason"),
    [
        ("PARIS", "orders, new", "PARIS", True, "bus PARIS needs an alias", MQRC.OBJECT_NAME_ERROR),
        ("PARIS", "X" * 49, "PARIS", True, "bus PARIS needs an alias", MQRC.OBJECT_NAME_ERROR),
        ("PARIS", "X" * 45 + "@QM2", "PARIS", True, "bus PARIS needs an alias", MQRC.OBJECT_NAME_ERROR),
        ("MQ", "orders new@QM2", "MQ", True, "bus MQ needs an alias", MQRC.OBJECT_NAME_ERROR),
        ("MQ", "ORDERS@QM 2", "WAS", False, "no queue manager", MQRC.OBJECT_NAME_ERROR),
        ("MQ", "@QM2", "MQ", True, "bus MQ needs an alias", MQRC.OBJECT_NAME_ERROR),
        ("bad name", "ORDERS", "WAS", False, "needs a virtual queue manager", MQRC.OBJECT_NAME_ERROR),
        ("ROME", "ORDERS", "WAS", False, "does not know bus ROME", MQRC.UNKNOWN_REMOTE_Q_MGR),
        ("WAS", "ORDERS", "WAS", False, "not behind the link", MQRC.UNKNOWN_REMOTE_Q_MGR),
    ],
)
def test_what_has_no_names_in_mq(
    bus: str, identifier: str, missing_on: str, alias_for: bool, text: str, reason: int
) -> None:
    target = BusDestination(bus, identifier)
    with pytest.raises(BusError, match=text) as caught:
        to_mq(BUS, BusMessage(plain_message(), resolved=target))
    error = caught.value
    assert (error.bus, error.alias_for, error.reason) == (missing_on, target if alias_for else None, reason)


@pytest.mark.spec("jms-mapping.md 8.1")
@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.spec("jms-mapping.md 11.13")
@pytest.mark.parametrize(
    ("reply_to", "set_by_program", "names"),
    [
        ("queue://WAS/R", ("MINE", "QM7"), ("MINE", "QM7")),  # the application has set JMS_IBM_MQMD_ReplyToQ, …QMgr
        (None, ("MINE", ""), ("MINE", "")),
        ("queue://WAS/R", None, ("R", "WASQM")),  # a queue: the virtual name, which is not the bus's
        ("queue:///R", None, ("R", "WASQM")),
        ("queue://WAS/NEXT", None, ("NEXT", "WASQM")),  # an alias keeps its own bus and id
        ("queue://WAS/answers, new", None, ("ANSWERS", "WASQM")),  # a conforming alias on the local bus
        ("queue://PARIS/STOCK.IN", None, ("STOCK", "WASQM")),
        ("queue://MQ/R@QM9", None, ("R9", "WASQM")),
        ("topic://answers", None, ("", "")),
        (None, None, ("", "")),
    ],
)
def test_reply_names_of_the_descriptor(
    reply_to: str | None, set_by_program: tuple[str, str] | None, names: tuple[str, str]
) -> None:
    given = BusMessage(
        plain_message(reply_to_q="OLD", reply_to_q_mgr="OLDER"),
        reply_to=None if reply_to is None else reply(reply_to),
        reply_names=set_by_program,
    )
    assert destinations_in(to_mq(BUS, given).message) == (None, None, *names)


@pytest.mark.spec("jms-mapping.md 8.2")
def test_a_bus_without_virtual_queue_manager_gives_its_own_name() -> None:
    sent = to_mq(Bus("WAS"), BusMessage(plain_message(), reply_to=reply("queue://WAS/R")))
    assert destinations_in(sent.message)[2:] == ("R", "WAS")


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.parametrize(
    ("uri", "target"),
    [
        ("queue://PARIS/R", BusDestination("PARIS", "R")),
        ("queue://MQ/R@QM8", BusDestination("MQ", "R@QM8")),
        ("queue://WAS/R@QM8", BusDestination("WAS", "R@QM8")),
        ("queue:///R@QM8", BusDestination("WAS", "R@QM8")),
        ("queue://WAS/not, so", BusDestination("WAS", "not, so")),
        ("queue://PARIS/ELSE", BusDestination("PARIS", "ELSE")),  # its alias has no name of MQ either
    ],
)
def test_reply_destinations_that_need_an_alias_on_the_local_bus(uri: str, target: BusDestination) -> None:
    with pytest.raises(BusError, match=r"bus WAS needs an alias .* on bus") as caught:
        to_mq(BUS, BusMessage(jms_message(), reply_to=reply(uri)))
    assert (caught.value.bus, caught.value.alias_for) == ("WAS", target)


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.spec("jms-mapping.md 7.3")
def test_uris_of_a_message_with_an_mqrfh2() -> None:
    given = BusMessage(
        jms_message(dst="queue:///OLD", rto="queue:///OLD"),
        resolved=BusDestination("MQ", "ORDERS@QM2"),
        destination=Destination.parse("queue://MQ/ORDERS@QM2?priority=7", conforming=False),
        forward_path=(BusDestination("PARIS", "a, b"), BusDestination("ROME", "C")),
        reply_to=Destination.parse("queue://WAS/answers, new?targetClient=1", conforming=False),
        reverse_path=(BusDestination("WAS", "answers, new"), BusDestination("PARIS", "B")),
    )
    sent = to_mq(BUS, given)
    assert destinations_in(sent.message) == (
        "queue://QM2/ORDERS?priority=7&ibmRoutingPath=PARIS%3Aa%252C%2520b%2CROME%3AC",
        "queue://WASQM/ANSWERS?targetClient=1&ibmRoutingPath=PARIS%3AB",
        "ANSWERS",
        "WASQM",
    )
    back = from_mq(BUS, sent)
    assert (back.forward_path, back.destination and back.destination.name) == (given.forward_path, "ORDERS@QM2")
    assert back.reverse_path == (BusDestination("WAS", "ANSWERS"), BusDestination("PARIS", "B"))


@pytest.mark.spec("jms-mapping.md 8.2")
def test_uris_of_destinations_elsewhere() -> None:
    rows = [
        ("queue://PARIS/ORDERS", "queue://PARIS/ORDERS"),
        ("queue://WAS/ORDERS", "queue://WASQM/ORDERS"),
        ("queue:///ORDERS", "queue:///ORDERS"),
        ("topic://a?x=1", "topic://a?x=1"),
    ]
    for given, uri in rows:
        message = BusMessage(jms_message(), destination=reply(given), reply_to=Destination.topic("t"))
        assert destinations_in(to_mq(BUS, message).message) == (uri, "topic://t", "", "")


@pytest.mark.spec("jms-mapping.md 8.2")
def test_no_mqrfh2_is_written_where_there_is_none() -> None:
    message = plain_message()
    sent = to_mq(BUS, BusMessage(message, BusDestination("MQ", "Q@QM2"), Destination.queue("Q", "QM2")))
    assert sent == TransmittedMessage(message, "Q", "QM2")
    assert sent.message is message


@pytest.mark.spec("jms-mapping.md 8")
@pytest.mark.parametrize(
    ("bus", "text"),
    [
        (lambda: Bus("my bus"), "bus my bus needs a virtual queue manager"),
        (lambda: Bus("WAS", "x" * 49), "needs a virtual queue manager"),
        (lambda: Bus("WAS", "WASQM", indirect=frozenset(("WASQM",))), "itself"),
        (lambda: Bus("MQ"), "itself"),
        (lambda: Bus("WAS", aliases={"A": BusDestination("ROME", "Q")}), "does not know"),
        (lambda: Bus("WAS", aliases={"A": BusDestination("WAS", "B"), "B": BusDestination("WAS", "A")}), "itself"),
    ],
)
def test_buses_that_cannot_be(bus: object, text: str) -> None:
    assert callable(bus)
    with pytest.raises(BusError, match=text):
        bus()
