"""Messages that Qpid JMS has sent: they read as it said, and are written as it wrote them."""

from __future__ import annotations

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from mqbridge.bridge.links.codec import decode, encode
from mqbridge.mappings.amqp import (
    Address,
    AddressKind,
    BodyKind,
    destination_address,
    from_amqp,
    reply_address,
    to_amqp,
)
from mqbridge.mappings.jms_headers import ID_LENGTH
from support.jms.described import described
from support.jms.matrix import FOREIGN_HEADERS
from support.jms.qpid_vectors import Vector, comparable, vectors

VECTORS = vectors()
SENT_TO = Address("from.provider")
REPLIES = {"reply-queue": Address("REPLIES"), "reply-topic": Address("a/b", AddressKind.TOPIC)}
OURS = {"JMSDestination": "null ", "JMSReplyTo": "null ", ".JMSXAppID": "null "}
"""Destinations of the provider mean nothing here."""


def now(vector: Vector) -> float:
    return int(vector.sent["JMSTimestamp"].partition(" ")[2]) / 1000


def test_there_is_every_kind() -> None:
    assert {vector.sent["kind"].partition(" ")[2] for vector in VECTORS} == {
        "text", "bytes", "map", "stream", "object", "none"
    }  # fmt: skip


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_a_message_reads_as_qpid_jms_said(vector: Vector) -> None:
    decoded = decode(vector.encoded)
    assert not decoded.error
    amqp = decoded.message
    assert (destination_address(amqp), reply_address(amqp)) == (SENT_TO, REPLIES.get(vector.name))
    expected = vector.sent | OURS | FOREIGN_HEADERS.get(vector.name, {})
    if vector.name != "delayed":  # the client shows the time when it was sent
        expected["JMSDeliveryTime"] = "i8 0"
    assert described(from_amqp(amqp, now=now(vector))) == expected


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_a_message_is_written_as_qpid_jms_wrote_it(vector: Vector) -> None:
    amqp, at = decode(vector.encoded).message, now(vector)
    jms = from_amqp(amqp, now=at)
    again = to_amqp(jms, now=at, to=SENT_TO, reply_to=REPLIES.get(vector.name), with_user=True)
    correlation = amqp.properties.correlation_id
    if isinstance(correlation, bytes) and len(correlation) <= ID_LENGTH:  # it is a CorrelId here
        amqp = amqp._replace(properties=amqp.properties._replace(correlation_id=f"ID:{correlation.hex()}"))
    if jms.kind == "none":  # the client sends no body, which AMQP demands
        amqp = amqp._replace(body_kind=BodyKind.VALUE)
    for written in (again, decode(encode(again)).message):
        assert comparable(written) == comparable(amqp)
