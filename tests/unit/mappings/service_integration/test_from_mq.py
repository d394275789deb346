"""From MQ to a bus: each row of the table (jms-mapping.md 8.3), and folder sib (8.4)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import TransmittedMessage
from mqbridge.mappings.properties import PropertyView
from mqbridge.mappings.service_integration import (
    Bus,
    BusData,
    BusDestination,
    BusMessage,
    bus_data_of,
    from_mq,
    with_bus_data,
)
from support.service_integration.messages import jms_message, plain_message

BUS = Bus(
    "WAS",
    "WASQM",
    "MQ",
    frozenset(("PARIS",)),
    {"STOCK": BusDestination("PARIS", "STOCK.IN"), "NEXT": BusDestination("WAS", "STOCK")},
)


def arrived(message: Message, queue: str = "ORDERS", queue_manager: str = "WASQM") -> BusMessage:
    return from_mq(BUS, TransmittedMessage(message, queue, queue_manager))


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.spec("jms-mapping.md 11.13")
@pytest.mark.parametrize(
    ("queue", "queue_manager", "resolved"),
    [
        ("ORDERS", "WASQM", BusDestination("WAS", "ORDERS")),  # the virtual name reads as the local bus
        ("ORDERS", "WAS", BusDestination("WAS", "ORDERS")),
        ("ORDERS", "PARIS", BusDestination("PARIS", "ORDERS")),  # a foreign bus: forwarded
        ("ORDERS", "QM9", BusDestination("QM9", "ORDERS")),
        ("STOCK", "WASQM", BusDestination("PARIS", "STOCK.IN")),  # an alias
        ("NEXT", "WASQM", BusDestination("PARIS", "STOCK.IN")),  # an alias of an alias
        ("STOCK", "PARIS", BusDestination("PARIS", "STOCK")),  # an alias of this bus is none of another
    ],
)
def test_the_transmission_queue_header_names_the_destination(
    queue: str, queue_manager: str, resolved: BusDestination
) -> None:
    assert arrived(plain_message(), queue, queue_manager).resolved == resolved


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.spec("jms-mapping.md 11.13")
@pytest.mark.parametrize(
    ("uri", "queue_manager", "name", "path"),
    [
        ("queue://WASQM/ORDERS?priority=7", "WAS", "ORDERS", ()),
        ("queue://PARIS/ORDERS", "PARIS", "ORDERS", ()),
        ("queue://QM2/ORDERS", "MQ", "ORDERS@QM2", ()),
        ("queue:///ORDERS", "", "ORDERS", ()),
        ("queue://WAS/STOCK", "WAS", "STOCK", ()),
        ("topic://a/b?ibmRoutingPath=PARIS%3AB", "", "a/b", (BusDestination("PARIS", "B"),)),
        ("queue://WAS/O?ibmRoutingPath=of%2Bothers", "WAS", "O", ("of+others",)),
    ],
)
def test_the_uri_becomes_the_destination_and_its_path_the_forward_path(
    uri: str, queue_manager: str, name: str, path: tuple[object, ...]
) -> None:
    found = arrived(jms_message(dst=uri))
    assert found.destination is not None
    assert (found.destination.queue_manager, found.destination.name) == (queue_manager, name)
    assert found.destination.properties == Destination.parse(uri).properties
    assert found.forward_path == path


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.parametrize("message", [plain_message(), jms_message(), jms_message(dst="queue://")])
def test_without_a_uri_the_destination_is_made_from_where_it_is_delivered(message: Message) -> None:
    assert arrived(message, "NEXT").destination == Destination(DestinationKind.QUEUE, "NEXT", "WAS")
    assert from_mq(BUS, TransmittedMessage(message, "", "")).destination is None


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.spec("jms-mapping.md 11.13")
@pytest.mark.parametrize(
    ("queue", "queue_manager", "path"),
    [
        ("R", "WAS", (BusDestination("WAS", "R"),)),  # the local bus
        ("R", "WASQM", (BusDestination("WAS", "R"),)),
        ("R", "PARIS", (BusDestination("PARIS", "R"),)),  # a foreign bus defined on it
        ("R", "QM9", (BusDestination("MQ", "R@QM9"),)),  # anything else
        ("R", "", (BusDestination("MQ", "R"),)),
        ("", "", ()),
    ],
)
def test_reply_names_become_the_first_element_of_the_reverse_path(
    queue: str, queue_manager: str, path: tuple[BusDestination, ...]
) -> None:
    found = arrived(plain_message(reply_to_q=queue, reply_to_q_mgr=queue_manager))
    assert found.reverse_path == path
    expected = Destination(DestinationKind.QUEUE, path[0].identifier, path[0].bus) if path else None
    assert found.reply_to == expected


@pytest.mark.spec("jms-mapping.md 8.3")
@pytest.mark.spec("jms-mapping.md 7.3")
@pytest.mark.spec("jms-mapping.md 11.13")
@pytest.mark.parametrize(
    ("uri", "names", "path", "reply_to"),
    [
        (
            "queue://ELSE/WHERE?priority=7&ibmRoutingPath=PARIS%3AB%2CROME%3AC&x=1",
            ("R", "WASQM"),
            (BusDestination("WAS", "R"), BusDestination("PARIS", "B"), BusDestination("ROME", "C")),
            "queue://WAS/R?priority=7&ibmRoutingPath=PARIS%3AB%2CROME%3AC&x=1",
        ),
        ("queue:///R?x=1", ("R", "QM9"), (BusDestination("MQ", "R@QM9"),), "queue://MQ/R@QM9?x=1"),
        ("queue:///R?ibmRoutingPath=?!", ("R", "QM9"), (BusDestination("MQ", "R@QM9"), "?!"), None),
        ("topic://a?ibmRoutingPath=A%3AB", ("", ""), (BusDestination("A", "B"),), "topic://a?ibmRoutingPath=A%3AB"),
        ("queue://WASQM/R", ("", ""), (), "queue://WAS/R"),
    ],
)
def test_the_uri_adds_its_path_and_its_properties(
    uri: str, names: tuple[str, str], path: tuple[object, ...], reply_to: str | None
) -> None:
    found = arrived(jms_message(rto=uri, reply_to_q=names[0], reply_to_q_mgr=names[1]))
    assert found.reverse_path == path
    assert found.reply_to is not None
    assert reply_to is None or found.reply_to.uri == reply_to


DATA = BusData("answers", 7, "2", 60000, "ann", b"\x01\xfe", "JMS:map", "9D_1")


@pytest.mark.spec("jms-mapping.md 8.4")
def test_data_of_the_bus_are_kept_in_a_folder_of_their_own() -> None:
    given = jms_message(dst="queue:///Q", user_identifier="bob")
    sent = with_bus_data(given, DATA)
    assert PropertyView.of(sent).folder("sib") == {
        "RTopic": "answers", "RPri": "7", "RPer": "2", "RTTL": "60000", "JsApiUserId": "ann", "JsDst": "01fe",
        "JsFmt": "JMS:map", "JsSysMsgId": "9D_1",
    }  # fmt: skip
    assert bus_data_of(sent) == DATA  # of what the descriptor says too, the MQRFH2 counts
    assert PropertyView.of(sent).folder("jms") == PropertyView.of(given).folder("jms")


@pytest.mark.spec("jms-mapping.md 8.4")
def test_the_folder_is_written_only_into_an_mqrfh2_and_only_with_values() -> None:
    for given, data in ((plain_message(), DATA), (jms_message(), BusData())):
        assert with_bus_data(given, data) is given
    assert PropertyView.of(with_bus_data(jms_message(), BusData(reply_priority=0))).folder("sib") == {"RPri": "0"}


@pytest.mark.spec("jms-mapping.md 8.4")
def test_what_the_mqrfh2_does_not_say_is_guessed_from_the_descriptor() -> None:
    assert bus_data_of(plain_message(user_identifier="bob")) == BusData(user="bob", format="JMS:text")
    assert bus_data_of(plain_message(format="")) == BusData(format="JMS:bytes")
    assert bus_data_of(jms_message(user_identifier="bob")) == BusData(user="bob")
    wrong = with_bus_data(jms_message(), BusData(reply_priority=7, destination=b"x"))
    wrong = wrong.copy(bytes(wrong.body).replace(b"<RPri>7<", b"<RPri>x<").replace(b"<JsDst>78<", b"<JsDst>7g<"))
    assert bus_data_of(wrong) == BusData()
