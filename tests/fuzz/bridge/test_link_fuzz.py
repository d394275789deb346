"""Whatever a provider says on an open connection, it is given up with one reason or goes on, and no message is lost."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.agents.linking.jms_mapping import JmsMapping
from mqbridge.bridge.links.careful_codec import Decoded, decode_carefully
from mqbridge.bridge.links.codec import decode, encode
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError
from support.linking import amqp_bytes as amqp
from support.linking import raw_provider as raw
from support.linking.hostile_provider import AttackedLink, HostileProvider, run
from support.linking.raw_provider import RawProvider

SECONDS = 5.0
"""Of processor time for one seed, or one message."""
SEEDS = 60
NOW = 1_700_000_000.0
MAPPING = JmsMapping("warehouse")


def test_a_link_survives_what_a_provider_says() -> None:
    for seed in range(SEEDS):
        started = time.process_time()
        run(seed)
        assert time.process_time() - started < SECONDS, seed


@given(st.binary(max_size=300))
def test_any_bytes_on_an_open_connection(data: bytes) -> None:
    provider = RawProvider()
    provider.opens()
    provider.attaches()
    provider.says(data)
    provider.connection.lost("cut")
    provider.hears()
    assert len(provider.ended) == 1
    assert provider.says(b"anything more") == b""
    assert len(provider.ended) == 1


def shown(decoded: Decoded) -> str:
    """All of it as text, since values may be NaN."""
    return repr(decoded).replace("mappingproxy({})", "{}")


@given(st.integers(0, 1 << 40))
def test_any_sections_are_a_message_or_say_why_not(seed: int) -> None:
    encoded = HostileProvider(seed).message()
    started = time.process_time()
    decoded, careful = decode(encoded), decode_carefully(encoded)
    assert shown(decoded) == shown(careful)
    if not decoded.error:
        with suppress(MQBridgeError):
            MAPPING.to_queue(decoded.message, "Q", NOW)
    assert time.process_time() - started < SECONDS


@given(
    st.sampled_from(["MQSTR", "MQHRF2", "MQHRF", "MQDEAD", "MQCIH", "", "SHOP"]),
    st.binary(max_size=200),
    st.sampled_from([1208, 37, 0, 65535, 1200]),
    st.sampled_from([546, 273, 0, 0x777]),
    st.binary(min_size=24, max_size=24),
    st.integers(-(1 << 31), (1 << 31) - 1),
)
def test_any_message_goes_to_a_provider_or_says_why_not(
    form: str, data: bytes, ccsid: int, encoding: int, identifier: bytes, number: int
) -> None:
    message = Message.build(data, format=form, coded_char_set_id=ccsid, encoding=encoding, correl_id=identifier)
    message.md.set(expiry=number, backout_count=abs(number) >> 1, priority=number, msg_seq_number=abs(number) >> 1)
    with suppress(MQBridgeError):
        encode(MAPPING.to_provider(message, "stock.in", NOW))


@pytest.mark.parametrize(
    "body",
    [
        amqp.described(0x76, amqp.listed(amqp.NULL, amqp.nested(3))),
        amqp.described(0x77, b"\x00" + amqp.symbol("shop:price") + amqp.uint(5)),
        amqp.described(0x77, b"\x94" + bytes(16)),
        amqp.described(0x77, amqp.listed(amqp.uint(1), amqp.TRUE, code=0xD1)),
        amqp.performative(0x70, amqp.text("durable")) + raw.body(b"data"),
        amqp.described(0x75, amqp.text("no bytes")),
        raw.body(b"data") + amqp.described(0x77, amqp.NULL),
        amqp.described(0x79, amqp.NULL),
        amqp.performative(0x70),
        b"",
        b"\x00\x53",
    ],
)
@pytest.mark.parametrize("object_type", [False, True])
def test_bodies_that_jms_does_not_have_are_rejected_or_kept_and_the_link_goes_on(
    body: bytes, object_type: bool
) -> None:
    link = AttackedLink(1)
    link.stand.link.start(link.stand.now)
    link.stand.pump()
    link.connect()
    annotations = amqp.listed(amqp.symbol("x-opt-jms-msg-type"), b"\x51\x7e", code=0xD1)
    link.provider.transfers(amqp.described(0x72, annotations) * object_type + body)
    link.pump()
    first = link.stand.depth("FROM.STOCK")
    assert first == link.accepted
    rejected = [line for line in link.stand.logged if line[0] == "AMQ5064"]
    assert len(rejected) == 1 - first
    assert (b"amqp:not-implemented" in link.provider.sent) is not first
    link.provider.transfers(raw.body(b"next"))
    link.pump()
    assert link.stand.depth("FROM.STOCK") == first + 1
    assert link.connected
