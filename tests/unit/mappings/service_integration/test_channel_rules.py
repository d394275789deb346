"""What a bus does to messages on its channels, in and out, and that nothing is lost between (jms-mapping.md 8)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import TransmittedMessage
from mqbridge.mappings.service_integration import Bus, BusDestination, BusError, ChannelRules
from mqbridge.protocol.constants import MQRC
from support.service_integration.messages import destinations_in, jms_message, plain_message

BUS = Bus(
    "WAS",
    "WASQM",
    indirect=frozenset(("PARIS",)),
    aliases={"NEW": BusDestination("WAS", "orders, new"), "STOCK": BusDestination("PARIS", "S.IN")},
)
RULES = ChannelRules(BUS, "QM1", {"orders, new": "ORDERS", "other, old": "OLD"})


def received(message: Message, queue: str, queue_manager: str) -> TransmittedMessage:
    return RULES.received(TransmittedMessage(message, queue, queue_manager))


def sent(message: Message, queue: str = "Q", queue_manager: str = "QM2") -> TransmittedMessage:
    return RULES.sent(TransmittedMessage(message, queue, queue_manager))


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.parametrize(
    ("names", "placed"),
    [
        (("orders, new", "WASQM"), ("ORDERS", "QM1")),  # as `destinations` says
        (("NEW", "WASQM"), ("ORDERS", "QM1")),  # by an alias
        (("BILLS", "WASQM"), ("BILLS", "QM1")),  # the queue of the same name
        (("BILLS", "WAS"), ("BILLS", "QM1")),
        (("BILLS", "QM1"), ("BILLS", "QM1")),  # our own name is as good
        (("BILLS", ""), ("BILLS", "QM1")),
        (("STOCK", "WASQM"), ("S.IN", "PARIS")),  # an alias of a destination of a foreign bus
        (("BILLS", "PARIS"), ("BILLS", "PARIS")),  # forwarded to a foreign bus
        (("BILLS", "QM9"), ("BILLS", "QM9")),  # or to another queue manager
    ],
)
def test_a_message_in_is_put_to_the_queue_that_is_its_destination(
    names: tuple[str, str], placed: tuple[str, str]
) -> None:
    message = plain_message()
    found = received(message, *names)
    assert (found.remote_q_name, found.remote_q_mgr_name) == placed
    assert found.message is message


@pytest.mark.spec("jms-mapping.md 8.3")
def test_a_destination_without_a_queue_is_refused() -> None:
    for name in ("bills, new", "x@QM7"):
        with pytest.raises(BusError, match="bus WAS has no destination") as caught:
            received(plain_message(), name, "WASQM")
        assert (caught.value.bus, caught.value.reason) == ("WAS", MQRC.UNKNOWN_OBJECT_NAME)


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.parametrize(
    ("dst", "rto", "names", "after"),
    [
        (
            "queue://WASQM/orders, new?a=1&ibmRoutingPath=x,y&b=2",
            "queue://WASQM/NEW?ibmRoutingPath=x,y&b=%2C",
            ("NEW", "WASQM"),
            (
                "queue://QM1/ORDERS?a=1&ibmRoutingPath=x,y&b=2",
                "queue://QM1/ORDERS?ibmRoutingPath=x,y&b=%2C",
                "ORDERS",
                "QM1",
            ),
        ),
        ("queue:///ANY", "queue:///R?a=1", ("R", "QM2"), ("queue:///ANY", "queue://QM2/R?a=1", "R", "QM2")),
        ("topic://a/b", "topic://c", ("", ""), ("topic://a/b", "topic://c", "", "")),
        (None, "queue://PARIS/R", ("R", "PARIS"), (None, "queue://PARIS/R", "R", "PARIS")),
        ("queue://WASQM/STOCK", None, ("STOCK", "WASQM"), ("queue://PARIS/S.IN", None, "S.IN", "PARIS")),
        ("queue://", "queue://WAS/R", ("", ""), ("queue://", "queue://QM1/R", "", "")),
    ],
)
def test_names_of_the_bus_in_a_message_become_those_of_queues(
    dst: str | None, rto: str | None, names: tuple[str, str], after: tuple[object, ...]
) -> None:
    message = jms_message(dst=dst, rto=rto, reply_to_q=names[0], reply_to_q_mgr=names[1])
    assert destinations_in(received(message, "ORDERS", "WASQM").message) == after


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.parametrize(
    ("dst", "rto", "names", "after"),
    [
        (  # a queue of ours is the destination as which the bus knows it, under a name that MQ can have
            "queue://QM2/Q?a=x,y&ibmRoutingPath=x,y",
            "queue://QM1/ORDERS?ibmRoutingPath=x,y&b=%2C",
            ("ORDERS", "QM1"),
            ("queue://QM2/Q?a=x,y&ibmRoutingPath=x,y", "queue://WASQM/NEW?ibmRoutingPath=x,y&b=%2C", "NEW", "WASQM"),
        ),
        ("queue:///Q", "queue:///R", ("R", "QM1"), ("queue:///Q", "queue://WASQM/R", "R", "WASQM")),
        ("queue:///Q", "queue:///R", ("R", ""), ("queue:///Q", "queue://WASQM/R", "R", "WASQM")),
        ("queue://QM1/OLD", None, ("", ""), ("queue://WASQM/other, old", None, "", "")),
        (
            "queue:///Q",
            "queue://PARIS/S.IN",
            ("S.IN", "PARIS"),
            ("queue:///Q", "queue://WASQM/STOCK", "STOCK", "WASQM"),
        ),
        ("queue:///Q", "topic://a", ("", ""), ("queue:///Q", "topic://a", "", "")),
        (  # JMS_IBM_MQMD_ReplyToQ: the descriptor says something else than the URI
            "queue:///Q",
            "queue://QM1/R",
            ("MINE", "QM7"),
            ("queue:///Q", "queue://WASQM/R", "MINE", "QM7"),
        ),
        ("queue:///Q", "queue://QM7/R", ("MINE", "QM7"), ("queue:///Q", "queue://QM7/R", "MINE", "QM7")),
        ("queue:///Q", "topic://a", ("MINE", "QM7"), ("queue:///Q", "topic://a", "MINE", "QM7")),
    ],
)
def test_names_of_queues_in_a_message_become_those_of_the_bus(
    dst: str | None, rto: str | None, names: tuple[str, str], after: tuple[object, ...]
) -> None:
    message = jms_message(dst=dst, rto=rto, reply_to_q=names[0], reply_to_q_mgr=names[1])
    found = sent(message)
    assert (found.remote_q_name, found.remote_q_mgr_name) == ("Q", "QM2")
    assert destinations_in(found.message) == after
    assert bytes(found.message.body).endswith(b"hello")


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.parametrize(
    ("names", "after"),
    [
        (("R", "QM1"), ("R", "WASQM")),
        (("R", ""), ("R", "WASQM")),
        (("ORDERS", "QM1"), ("NEW", "WASQM")),
        (("R", "QM9"), ("R", "QM9")),  # no JMS message: a program has set the descriptor
        (("", ""), ("", "")),
    ],
)
def test_a_message_without_an_mqrfh2_has_its_names_in_the_descriptor(
    names: tuple[str, str], after: tuple[str, str]
) -> None:
    message = plain_message(reply_to_q=names[0], reply_to_q_mgr=names[1])
    found = sent(message).message
    assert destinations_in(found) == (None, None, *after)
    assert found is message or names != after


@pytest.mark.spec("jms-mapping.md 8.2")
@pytest.mark.parametrize(
    ("rto", "names", "text"),
    [
        ("queue://QM1/OLD", ("OLD", "QM1"), r"bus WAS needs an alias .* 'other, old' on bus WAS"),
        ("queue://QM9/R", ("R", "QM9"), r"bus WAS needs an alias .* 'R@QM9' on bus MQ"),
        ("queue://PARIS/R", ("R", "PARIS"), r"bus WAS needs an alias .* 'R' on bus PARIS"),
    ],
)
def test_a_reply_destination_without_an_alias_is_refused(rto: str, names: tuple[str, str], text: str) -> None:
    message = jms_message(rto=rto, reply_to_q=names[0], reply_to_q_mgr=names[1])
    with pytest.raises(BusError, match=text):
        sent(message)


@pytest.mark.spec("jms-mapping.md 8.2")
def test_the_names_of_a_message_that_leaves_are_explained() -> None:
    found = RULES.explain("ORDERS", "QM2")
    assert str(found) == "RemoteQName ORDERS, RemoteQMgrName QM2 (jms-mapping.md 8.2)"
    assert RULES.explain("S.IN", "PARIS")[:2] == ("S.IN", "PARIS")
    assert RULES.explain("S.IN", "MQ")[:2] == ("S.IN", "MQ")
    with pytest.raises(BusError):
        RULES.explain("S.IN", "WASQM")


@pytest.mark.spec("jms-mapping.md 7.3")
def test_what_came_in_goes_out_as_it_came() -> None:
    """Replies go back by the path that came, and a message that only passes through keeps every byte of its URIs."""
    request = jms_message(rto="queue://QM2/R?ibmRoutingPath=x,y%2c~&p=1", reply_to_q="R", reply_to_q_mgr="QM2")
    on_queue = received(request, "NEW", "WASQM").message
    _, rto, queue, queue_manager = destinations_in(on_queue)
    answer = sent(jms_message(dst=str(rto)), queue, queue_manager)
    assert (answer.remote_q_name, answer.remote_q_mgr_name) == ("R", "QM2")
    assert destinations_in(answer.message)[0] == "queue://QM2/R?ibmRoutingPath=x,y%2c~&p=1"
