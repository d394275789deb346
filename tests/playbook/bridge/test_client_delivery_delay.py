"""Delivery delay of clients: SPI PUT with a delay (client-observed.md O-071, 6.2)."""

from __future__ import annotations

import pytest

from mqbridge.mappings.delayed import DELAY_QUEUE
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC, SegmentType, SpiVerb
from mqbridge.protocol.structures import SPI
from mqbridge.protocol.structures.md import MD1
from mqbridge.protocol.structures.pmo import make_pmo
from mqbridge.protocol.structures.spi_base import SPPU
from mqbridge.protocol.structures.spi_put import SPPI
from support.clients.program import ClientProgram, connects, with_clients

pytestmark = pytest.mark.spec("client-observed.md 6.2")

ACCESS = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)


def spi_put(client: ClientProgram, handle: int, data: bytes, delay: int, options: int = 0) -> tuple[int, int]:
    """As IBM's JMS client puts it: descriptor and options of version 1."""
    order = client.writer.order
    described = MD1.codec(order)(expiry=-1, persistence=1).build() + make_pmo(order, 1, options=options).build()
    body = [
        SPI.codec(order)(verb=SpiVerb.PUT, version=1, max_reply_size=12).build(),
        SPPU.codec(order)(length=12 + len(described)).build(),
        described,
        SPPI.codec(order)(length=32 + len(data), data_length=len(data), delivery_delay=delay).build(),
        data,
    ]
    return client.asks(client.call(SegmentType.SPI, *body, handle=handle)).outcome


def test_a_delayed_message_comes_later_even_after_a_restart() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", ACCESS)
    assert spi_put(client, handle, b"later", 20_000) == (0, 0)
    assert client.puts(b"now", handle).outcome == (0, 0)
    assert mars.contents("TARGET") == [b"now"]
    stage.wait(5)
    mars.restart()
    assert (mars.contents("TARGET"), mars.depth(DELAY_QUEUE)) == ([], 1)
    stage.wait_until(lambda: mars.contents("TARGET"), 20)
    assert mars.contents("TARGET") == [b"later"]


def test_a_waiting_get_has_it_when_its_time_has_come() -> None:
    stage, _ = with_clients(conversations=0)
    client = connects(stage, conversations=0)
    handle = client.opens("TARGET", ACCESS)
    assert spi_put(client, handle, b"later", 3000) == (0, 0)
    waiting = client.get_segment(handle, int(MQGMO.WAIT), gmo={"wait_interval": 10_000})
    assert client.sends(waiting, seconds=2.8) == []
    stage.wait(0.3)
    (answer,) = client.hears()
    assert answer.outcome == (0, 0)
    assert answer.body.endswith(b"later")


def test_under_syncpoint_it_needs_the_commit() -> None:
    stage, mars = with_clients()
    client = connects(stage)
    handle = client.opens("TARGET", ACCESS)
    assert spi_put(client, handle, b"undone", 1000, int(MQPMO.SYNCPOINT)) == (0, 0)
    assert client.backs_out() == (0, 0)
    assert spi_put(client, handle, b"kept", 1000, int(MQPMO.SYNCPOINT)) == (0, 0)
    stage.wait(3)
    assert mars.contents("TARGET") == []
    assert client.commits() == (0, 0)
    stage.wait(0.1)
    assert mars.contents("TARGET") == [b"kept"]


def test_what_is_wrong_is_told_at_once() -> None:
    stage, mars = with_clients()
    mars.types("ALTER QLOCAL(TARGET) PUT(DISABLED)")
    client = connects(stage)
    handle = client.opens("TARGET", ACCESS)
    assert spi_put(client, handle, b"later", 1000) == (2, MQRC.PUT_INHIBITED)
    assert mars.depth(DELAY_QUEUE) == 0
