"""SPI NOTIFY: a client that closes a consumer in one thread ends the receive that waits in another."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import (
    MQGMO,
    MQOO,
    MQRC,
    ByteOrder,
    NotificationCode,
    RequestFlags,
    SegmentType,
    SpiVerb,
)
from mqbridge.protocol.structures import SPI, SPNI, spi_base
from support.clients.program import ClientProgram, connects, with_clients

pytestmark = pytest.mark.spec("mq-wire.md 5.12")


def cancels(client: ClientProgram, connection_id: bytes) -> bytes:
    """As IBM's classes for JMS do it."""
    order = client.writer.order
    body = [
        SPI.codec(order)(verb=SpiVerb.NOTIFY, version=1, max_reply_size=12).build(),
        spi_base("SPNU").codec(order)().build(),
        SPNI.codec(order)(reason=int(MQRC.XWAIT_CANCELED), connection_id=connection_id).build(),
    ]
    return client.call(SegmentType.SPI, *body)


def test_the_structure_is_as_a_client_sends_it() -> None:
    sent = "53504e49010000002c000000010000003b080000414d51434541525448202020202020206b01d9ec00000002"
    made = SPNI.codec(ByteOrder.LITTLE)(reason=2107, connection_id=bytes.fromhex(sent[40:]))
    assert made.build().hex() == sent
    assert SPNI.codec(ByteOrder.LITTLE).parse(bytes.fromhex(sent)).connection_id.startswith(b"AMQCEARTH")


def waits(client: ClientProgram) -> int:
    handle = client.opens("TARGET", int(MQOO.INPUT_SHARED | MQOO.OUTPUT))
    options = int(MQGMO.WAIT | MQGMO.NO_SYNCPOINT)
    asked = client.request_msgs(
        handle, RequestFlags.WAITING | RequestFlags.SELECTION, get_msg_options=options, wait_interval=-1
    )
    assert client.sends(asked) == []
    return handle


def test_a_wait_ends_with_the_reason_given() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    waits(client)
    (connection,) = mars.manager.connections
    told = client.sends(cancels(client, connection.id))
    assert [answer.type for answer in told if answer.type == SegmentType.SPI_REPLY] == [SegmentType.SPI_REPLY]
    (message,) = [answer for answer in told if answer.type == SegmentType.ASYNC_MESSAGE]
    assert message.stream.reason_code == MQRC.XWAIT_CANCELED


def test_the_waits_of_others_are_left_alone() -> None:
    stage, mars = with_clients()
    client, other = connects(stage), connects(stage)
    handle = waits(client)
    (first, _) = mars.manager.connections
    assert [answer.type for answer in other.sends(cancels(other, first.id))] == [SegmentType.SPI_REPLY]
    assert client.hears() == []
    other.puts(b"at last", other.opens("TARGET", int(MQOO.OUTPUT)))
    (message,) = client.hears()
    assert (message.type, message.stream.object_handle) == (SegmentType.ASYNC_MESSAGE, handle)


def test_a_client_is_told_why_it_gets_no_more() -> None:
    """The reason stands in the value: listeners of IBM's classes for JMS end in a fault of their own without it."""
    stage, mars = with_clients()
    client = connects(stage)
    handle = waits(client)
    mars.types("ALTER QLOCAL(TARGET) GET(DISABLED)")
    (told,) = [answer for answer in client.hears() if answer.type == SegmentType.NOTIFICATION]
    assert told.notification == (handle, NotificationCode.GET_INHIBITED, MQRC.GET_INHIBITED)


def test_what_a_consumer_has_asked_for_stays_in_force() -> None:
    """A connection consumer of IBM's classes for JMS asks without any flags; while it is being closed it takes a reason
    that it is sent for a message, and never comes to an end."""
    stage, mars = with_clients()
    client = connects(stage)
    waits(client)
    (connection,) = mars.manager.connections
    handle = client.opens("TARGET", int(MQOO.INPUT_SHARED))
    asked = client.request_msgs(handle, RequestFlags.SELECTION, get_msg_options=int(MQGMO.NO_SYNCPOINT))
    assert client.sends(asked) == []
    told = client.sends(cancels(client, connection.id))
    (cancelled,) = [answer for answer in told if answer.type == SegmentType.ASYNC_MESSAGE]
    assert cancelled.stream.object_handle != handle
    mars.put("TARGET", b"still wanted")
    (message,) = client.sends()
    assert (message.type, message.stream.object_handle) == (SegmentType.ASYNC_MESSAGE, handle)
