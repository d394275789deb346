"""Requests and replies through a link, either way; who asked is known until the request expires."""

from __future__ import annotations

import uuid

import pytest

from mqbridge.bridge.agents.linking.requesters import TABLE
from mqbridge.bridge.agents.linking.settings import ReceiveEnd, SendEnd
from mqbridge.mappings.amqp import AmqpType, Scalar
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties
from mqbridge.protocol.constants import MQMT
from support.linking.stand import DEAD, SINK, SOURCE, STOCK_IN, STOCK_OUT, Stand, amqp

ANSWERS_HERE, ANSWERS_THERE = "LINK.REPLIES", "mq.replies"


@pytest.fixture
def stand() -> Stand:
    """A link with both ways back; its ends are 1 and 2 to the provider, 3 and 4 from it."""
    stand = Stand(reply_queue=ANSWERS_HERE, reply_address=ANSWERS_THERE, reply_expiry=3600.0)
    stand.define(ANSWERS_HERE)
    stand.define("AMQ.TEMPORARY")
    stand.start()
    return stand


# A program here asks


def ask(stand: Stand) -> Message:
    message = stand.put(b"how many?", reply_to_q="AMQ.TEMPORARY", msg_type=int(MQMT.REQUEST))
    ((_, _, request),) = stand.sent()
    assert request.properties.reply_to == ANSWERS_THERE
    assert request.message_annotations["x-opt-jms-reply-to"] == Scalar(AmqpType.BYTE, 0)
    assert request.properties.message_id == f"ID:{message.md.msg_id.hex()}"
    return message


def test_a_reply_finds_the_queue_that_the_request_named(stand):
    asked = ask(stand)
    stand.deliver(amqp(b"five", correlation_id=f"ID:{asked.md.msg_id.hex()}"), handle=4)
    (reply,) = stand.contents("AMQ.TEMPORARY")
    assert reply.data == b"five"
    assert reply.md.correl_id == asked.md.msg_id
    assert reply.md.msg_type == MQMT.REPLY


def test_a_request_may_have_several_replies(stand):
    asked = ask(stand)
    identifier = f"ID:{asked.md.msg_id.hex()}"
    stand.deliver(
        amqp(b"1", "ID:1", correlation_id=identifier), amqp(b"2", "ID:2", correlation_id=identifier), handle=4
    )
    assert len(stand.contents("AMQ.TEMPORARY")) == 2


def test_a_reply_may_name_the_correlation_id(stand):
    stand.put(b"how many?", reply_to_q="AMQ.TEMPORARY", correl_id=b"c" * 24)
    stand.deliver(amqp(b"five", correlation_id="ID:" + "63" * 24), handle=4)
    assert [each.data for each in stand.contents("AMQ.TEMPORARY")] == [b"five"]


def test_who_asked_is_on_disk_before_the_request_goes_out(stand):
    stand.hold = True
    stand.put(b"how many?", reply_to_q="AMQ.TEMPORARY")
    stand.let_commit()
    assert len(stand.rows(TABLE)) == 1


def test_a_reply_finds_its_requester_after_a_restart(stand):
    asked = ask(stand)
    stand.restart()
    stand.start()
    stand.deliver(amqp(b"five", correlation_id=f"ID:{asked.md.msg_id.hex()}"), handle=4)
    assert len(stand.contents("AMQ.TEMPORARY")) == 1


@pytest.mark.parametrize("correlation", [None, "ID:unknown", 7, uuid.UUID(int=5), b"bytes"])
def test_a_reply_that_nobody_waits_for_is_dead_lettered(stand, correlation):
    stand.deliver(amqp(b"five", correlation_id=correlation), handle=4)
    (dead,) = stand.contents(DEAD)
    assert dead.data.endswith(b"five")
    assert stand.link.counts.failed == 1


def test_a_reply_whose_queue_is_gone_is_dead_lettered(stand):
    asked = stand.put(b"how many?", reply_to_q="NO.SUCH.QUEUE")
    stand.deliver(amqp(b"five", correlation_id=f"ID:{asked.md.msg_id.hex()}"), handle=4)
    assert len(stand.contents(DEAD)) == 1


def test_a_request_expires(stand):
    asked = ask(stand)
    stand.wait(4000)
    assert not stand.rows(TABLE)
    stand.deliver(amqp(b"five", correlation_id=f"ID:{asked.md.msg_id.hex()}"), handle=4)
    assert len(stand.contents(DEAD)) == 1


def test_without_a_reply_address_requests_keep_no_way_back():
    stand = Stand()
    stand.start()
    stand.put(b"how many?", reply_to_q="AMQ.TEMPORARY")
    ((_, _, request),) = stand.sent()
    assert request.properties.reply_to is None
    assert not stand.rows(TABLE)


# A program of the provider asks

IDENTIFIERS = ["ID:request-1", "no prefix", 42, uuid.UUID(int=42), b"\x00\xff"]


def asked_by(stand: Stand, identifier: object = "ID:request-1", **properties: object) -> Message:
    stand.deliver(amqp(b"how many?", identifier, reply_to="temp-queue-1", **properties), handle=3)  # type: ignore[arg-type]
    (request,) = stand.contents(SINK)
    return request


def answer(stand: Stand, correl_id: bytes) -> None:
    stand.put(b"five", ANSWERS_HERE, correl_id=correl_id, msg_type=int(MQMT.REPLY))


@pytest.mark.parametrize("identifier", IDENTIFIERS)
def test_a_reply_goes_to_the_address_that_the_request_named(stand, identifier):
    request = asked_by(stand, identifier)
    assert (request.md.reply_to_q, request.md.reply_to_q_mgr) == (ANSWERS_HERE, "EARTH")
    assert request.md.msg_type == MQMT.REQUEST
    answer(stand, request.md.msg_id)
    ((handle, _, reply),) = stand.sent()
    assert handle == 2
    assert reply.properties.to == "temp-queue-1"
    assert reply.properties.correlation_id == identifier
    assert type(reply.properties.correlation_id) is type(identifier)
    assert reply.body == b"five"


def test_the_way_back_stands_in_the_properties_too(stand):
    request = asked_by(stand)
    values = {each.name: each.value for each in read_properties(request)}
    assert values["jms.Rto"] == f"queue://EARTH/{ANSWERS_HERE}"


def test_a_reply_may_pass_the_correlation_id_on(stand):
    request = asked_by(stand, correlation_id="ID:" + "63" * 24)
    answer(stand, request.md.correl_id)
    ((_, _, reply),) = stand.sent()
    assert reply.properties.to == "temp-queue-1"
    assert reply.properties.correlation_id == "ID:" + "63" * 24


def test_the_reply_says_what_kind_of_address_it_goes_to(stand):
    message = amqp(b"how many?", reply_to="temp-queue-1")
    annotated = type(message)(
        message.body_kind,
        message.body,
        message.properties,
        message_annotations={"x-opt-jms-reply-to": Scalar(AmqpType.BYTE, 2)},
        durable=True,
    )
    stand.deliver(annotated, handle=3)
    (request,) = stand.contents(SINK)
    stand.restart()
    stand.start()
    answer(stand, request.md.msg_id)
    ((_, _, reply),) = stand.sent()
    assert reply.message_annotations["x-opt-jms-dest"] == Scalar(AmqpType.BYTE, 2)


def test_a_reply_to_nobody_is_dead_lettered(stand):
    answer(stand, b"x" * 24)
    assert not stand.sent()
    assert len(stand.contents(DEAD)) == 1


def test_a_request_of_the_provider_expires(stand):
    request = asked_by(stand)
    stand.wait(4000)
    answer(stand, request.md.msg_id)
    assert len(stand.contents(DEAD)) == 1


def test_replies_need_a_provider_with_an_anonymous_terminus():
    stand = Stand(reply_queue=ANSWERS_HERE)
    stand.define(ANSWERS_HERE)
    stand.link.start(stand.now)
    stand.pump()
    stand.opens(anonymous_relay=False)
    assert "anonymous terminus" in stand.link.status(stand.now).detail
    stand.put(b"data")
    assert len(stand.sent()) == 1


def test_without_a_reply_queue_requests_are_plain_messages():
    stand = Stand()
    stand.start()
    stand.deliver(amqp(b"how many?", reply_to="temp-queue-1"))
    (request,) = stand.contents(SINK)
    assert request.md.reply_to_q == ""
    assert not stand.rows(TABLE)


def test_the_ends_of_replies_are_ends_of_the_link(stand):
    assert stand.settings.send == (SendEnd(SOURCE, STOCK_IN),)
    assert stand.settings.receive == (ReceiveEnd(STOCK_OUT, SINK),)
    stand.reconnect()
    assert len(stand.asked("grant_credit")) == 2
