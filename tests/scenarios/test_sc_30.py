"""SC-30: programs of JMS and programs of a device."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.device.device_file import Gateway
from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError, NoMatchingMessage
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.jms_message import JmsKind, JmsMessage
from mqbridge.protocol.everyplace.jms_selector import selecting
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.token import Token
from support.gateway_device import enrol, gateway_of, operate
from support.jms.dictated import Dictated
from support.jms.exchange import Exchange
from support.processes.ports import free_port
from support.processes.running_service import MakeService

CHANNEL: Final = (
    "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(ALL)\n"
    "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('checks') AUTHADD(ALL)\n"
    "DEFINE CHANNEL(EXCHANGE) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('checks')\n"
)
SERIALIZED: Final = bytes.fromhex("aced0005740003616263")
"""The string abc, as Java writes it."""
INBOX: Final = "SYSTEM.DEFAULT.LOCAL.QUEUE"


@pytest.fixture
def moon(tmp_path: Path) -> Iterator[QueueManager]:
    with QueueManager.create(tmp_path / "moon.mqe", "MOON") as found:
        yield found


def put(moon: QueueManager, text: str, **properties: Any) -> None:
    message = JmsMessage(JmsKind.TEXT, text)
    for name, value in properties.items():
        message.set_property(name, value)
    moon.put(INBOX, message.message)


def texts(moon: QueueManager, selector: str) -> list[Any]:
    """What a consumer with a selector receives, until there is no more."""
    wanted, found = selecting(selector), []
    while True:
        try:
            found.append(JmsMessage.of(moon.get(INBOX, wanted)).body)
        except NoMatchingMessage:
            return found


@pytest.mark.spec("SC-30", "E-530", "E-538", "E-555", "E-556", "E-562")
@pytest.mark.parametrize(
    ("kind", "body"), [(JmsKind.TEXT, "Grüße"), (JmsKind.BYTES, b"\x00\xff"), (JmsKind.OBJECT, SERIALIZED)]
)
def test_messages_are_read_as_message_objects_with_the_mapped_fields(
    moon: QueueManager, kind: JmsKind, body: Any
) -> None:
    sent = JmsMessage(kind, body)
    sent.correlation_id, sent.reply_to = "order 17", "MOON+REPLIES"
    sent.set_property("colour", "blue")
    moon.put(INBOX, sent.message)
    (fields,) = moon.browse(INBOX)
    assert fields.get("MQe_JMS_VERSION", FieldType.SHORT) == 1
    assert fields.get("MQe_JMS_CLASS", FieldType.ASCII) == kind.value
    assert fields.get("MQe_JMS_BODY", FieldType.BYTE_ARRAY) == (body.encode() if isinstance(body, str) else body)
    assert (fields.correl_id, fields.reply_to) == (b"order 17", ("REPLIES", "MOON"))
    assert fields.get("MQe_JMS_PROPERTIES", FieldType.FIELDS).get("colour") == "blue"
    received = JmsMessage.of(moon.get(INBOX))
    assert (received.kind, received.body, received.reply_to) == (kind, body, "MOON+REPLIES")
    assert fields.uid is not None
    assert received.timestamp == fields.uid.time


@pytest.mark.spec("SC-30", "E-545", "E-548", "E-552")
def test_two_consumers_with_colour_selectors_get_their_two_messages_each(moon: QueueManager) -> None:
    for number, colour in enumerate(["blue", "red", "blue", "red", "green"]):
        put(moon, f"{colour} {number}", colour=colour, number=number)
    put(moon, "no colour")
    moon.put(INBOX, "no JMS message")
    assert texts(moon, "colour = 'blue'") == ["blue 0", "blue 2"]
    assert texts(moon, "colour = 'red' AND number = 3") == ["red 3"]
    assert texts(moon, "colour = 'red'") == ["red 1"]
    assert texts(moon, "colour = 7") == []
    assert texts(moon, "number = '4'") == []
    assert texts(moon, "colour IS NULL") == ["no colour"]
    assert texts(moon, "") == ["green 4"]
    assert len(moon.browse(INBOX)) == 1


@pytest.mark.spec("SC-30", "E-548")
@pytest.mark.parametrize("selector", ["colour <> 'blue'", "colour = 'a' OR colour = 'b'", "colour LIKE 'b%'"])
def test_unsupported_operators_are_refused_when_the_consumer_is_created(selector: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        selecting(selector)
    assert caught.value.code is Code.SYNTAX


@pytest.mark.spec("SC-30", "E-564")
def test_with_expiration_0_nothing_expires(moon: QueueManager) -> None:
    never, soon = JmsMessage(JmsKind.TEXT, "never"), JmsMessage(JmsKind.TEXT, "soon")
    never.message.expire_at(0)
    soon.expiration = int(time.time() * 1000) + 200
    moon.put(INBOX, never.message)
    moon.put(INBOX, soon.message)
    time.sleep(0.25)
    assert texts(moon, "") == ["never"]


GATEWAY: Final = """
[everyplace]
name = "HUB"

[[everyplace.listener]]
name = "plain"
adapter = "tcp"
endpoint = "tcp:0:interface=127.0.0.1"
"""
DEVICES: Final = (
    "DEFINE QLOCAL(ORDERS)",
    "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)",
    "SET AUTHREC OBJTYPE(QMGR) GROUP('devices') AUTHADD(CONNECT)",
    "DEFINE QREMOTE(TO.MOON) RNAME(REPLIES) RQMNAME(MOON) XMITQ(EVERYPLACE.HUB)",
)


@pytest.mark.slow
@pytest.mark.spec("SC-30", "E-427", "E-433", "E-556", "E-559", "E-562")
@pytest.mark.interop("Java, Maven and IBM's client libraries")
def test_ibms_client_and_a_device_program_over_a_gateway(make_service: MakeService, tmp_path: Path) -> None:
    service = gateway_of(
        make_service,
        tmp_path / "earth",
        GATEWAY,
        mqsc=CHANNEL,
        listen=f"tcp:{free_port()}:interface=127.0.0.1",
    )
    service.mqsc(*DEVICES)
    changed = operate(service, "admin", "HUB", "update", "bridge", "MQ", "--transformer", "jms")
    assert changed.exit_code == 0, changed.output
    token = Token.parse(enrol(service, "MOON")["token"])
    address = service.ready["everyplace"]["plain"].rpartition("//")[2]
    way = Gateway(ConnectionDefinition("HUB", "tcp", address), ("EARTH",), {"key": token.key("MOON")})
    with (
        QueueManager.create(tmp_path / "moon.mqe", "MOON", way) as moon,
        Exchange.ibm(
            "jakarta", tmp_path / "java", port=service.port, channel="EXCHANGE", queue_manager=service.name
        ) as java,
    ):
        moon.definitions.define(QueueDefinition(QueueKind.LOCAL, Address("REPLIES", "MOON")))
        for kind, body in ((JmsKind.TEXT, "two apples"), (JmsKind.BYTES, b"\x00\xff"), (JmsKind.OBJECT, SERIALIZED)):
            order = JmsMessage(kind, body)
            order.set_property("colour", "blue")
            order.set_property("number", 7)
            order.type, order.correlation_id, order.reply_to = "order", "order 17", "MOON+REPLIES"
            uid = moon.put("ORDERS@EARTH", order.message)
            theirs = java.read("receive queue:///ORDERS")
            assert theirs["kind"] == f"string {kind.value.removeprefix('jms_')}"
            assert (theirs[".colour"], theirs[".number"]) == ("string blue", "i8 7")
            assert (theirs["JMSType"], theirs["JMSCorrelationID"]) == ("string order", "string order 17")
            assert theirs["JMSMessageID"] == f"string {order.message_id}"
            assert kind is JmsKind.OBJECT or theirs["body"] == (
                "string two apples" if isinstance(body, str) else "bin.hex 00ff"
            )
            assert theirs["JMSReplyTo"] == "string queue://MOON/REPLIES"
            java.read("answer message-id", Dictated(kind.value.removeprefix("jms_"), body).lines())
            reply = JmsMessage.of(moon.wait("REPLIES", selecting(""), timeout=60))
            assert (reply.kind, reply.body) == (kind, body)
            assert reply.correlation_id == theirs["JMSMessageID"].removeprefix("string ")
            assert reply.message.uid is not None
            assert reply.message.uid.origin == "HUB"
            assert uid.origin == "MOON"
        java.read("write queue:///TO.MOON", Dictated("text", "a plain one", {}, {"colour": "red"}).lines())
        last = JmsMessage.of(moon.wait("REPLIES", selecting("colour = 'red'"), timeout=60))
        assert (last.body, last.expiration) == ("a plain one", 0)
