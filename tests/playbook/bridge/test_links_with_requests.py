"""Requests and replies through a link, either way; who asked is known until the request expires."""

from __future__ import annotations

import uuid

import pytest

from mqbridge.bridge.agents.linking.jms_mapping import JmsMapping
from mqbridge.bridge.agents.linking.requesters import TABLE
from mqbridge.bridge.agents.linking.settings import ReceiveEnd, SendEnd
from mqbridge.mappings.amqp import AmqpType, Scalar
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties
from mqbridge.protocol.constants import MQMT, MQOO, MQPER, MQRC
from mqbridge.protocol.structures.dlh import DLH
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


def jms_request(stand: Stand, reply_to: str, text: str = "how many?") -> None:
    """A JMS program here asks."""
    message = JmsMessage("text", text, reply_to=reply_to).message("queue:///TO.STOCK", now=stand.now)
    stand.put(message.data, format=message.md.format, coded_char_set_id=1208, encoding=273, expiry=-1)


@pytest.fixture
def jms_stand() -> Stand:
    """A link that maps by JMS, and a subscription to the topic ``answers``."""
    stand = Stand(JmsMapping("warehouse"), reply_queue=ANSWERS_HERE, reply_address=ANSWERS_THERE)
    stand.define(ANSWERS_HERE)
    stand.define("ANSWERS")
    assert stand.types("DEFINE SUB(S) TOPICSTR('answers/new') DEST(ANSWERS)").ok
    stand.start()
    return stand


@pytest.mark.parametrize("restarts", [False, True])
def test_a_reply_is_published_to_the_topic_that_the_request_named(jms_stand, restarts):
    jms_request(jms_stand, "topic://answers/new")
    ((_, _, request),) = jms_stand.sent()
    assert request.properties.reply_to == ANSWERS_THERE
    if restarts:
        jms_stand.restart()
        jms_stand.start()
    reply = amqp(b"five", correlation_id=request.properties.message_id)
    jms_stand.deliver(reply, handle=4)
    assert [each[0] for each in jms_stand.asked("settle")] == [1]
    (answer,) = jms_stand.contents("ANSWERS")
    jms = JmsMessage.of(answer)
    assert jms.body == b"five"
    assert jms.headers.correlation_id == request.properties.message_id
    assert jms.headers.destination == Destination.topic("answers/new")
    assert not jms_stand.contents(DEAD)


def test_a_reply_to_a_topic_that_the_link_may_not_publish_to_is_dead_lettered():
    stand = Stand(JmsMapping("warehouse"), reply_address=ANSWERS_THERE, mcauser="linker")
    stand.types("SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('linker') AUTHADD(GET,PUT,SETALL)")
    stand.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('linker') AUTHADD(CONNECT,SETALL)")
    stand.start()
    jms_request(stand, "topic://answers/new")
    ((_, _, request),) = stand.sent()
    stand.deliver(amqp(b"five", correlation_id=request.properties.message_id), handle=3)
    (dead,) = stand.contents(DEAD)
    assert DLH.codec(dead.order).parse(dead.data).reason == MQRC.NOT_AUTHORIZED


@pytest.mark.parametrize("request_to", ["", "queue:///AMQ.TEMPORARY"])
def test_a_reply_has_an_mqrfh2_if_the_request_had_one(jms_stand, request_to):
    jms_stand.define("AMQ.TEMPORARY")
    if request_to:
        jms_request(jms_stand, request_to)
    else:
        jms_stand.put(b"how many?", reply_to_q="AMQ.TEMPORARY", format="MQSTR", coded_char_set_id=1208)
    ((_, _, request),) = jms_stand.sent()
    jms_stand.deliver(amqp(b"five", correlation_id=request.properties.message_id), handle=4)
    (answer,) = jms_stand.contents("AMQ.TEMPORARY")
    assert (answer.md.format == "MQHRF2") is bool(request_to)
    assert JmsMessage.of(answer).body == b"five"


def test_a_temporary_dynamic_queue_gets_replies_that_are_persistent(jms_stand):
    assert jms_stand.types("DEFINE QMODEL(M) DEFTYPE(TEMPDYN)").ok
    options = int(MQOO.INPUT_SHARED)
    handle = jms_stand.manager.open("M", options=options, dynamic_name="AMQ.*", now=jms_stand.now)
    queue = handle.target.queue.name
    jms_request(jms_stand, f"queue:///{queue}")
    ((_, _, request),) = jms_stand.sent()
    jms_stand.deliver(amqp(b"five", correlation_id=request.properties.message_id), handle=4)
    (answer,) = jms_stand.contents(queue)
    assert JmsMessage.of(answer).body == b"five"
    assert JmsMessage.of(answer).headers.delivery_mode == 1
    jms_stand.manager.close(handle, 0, jms_stand.now)
    jms_stand.deliver(amqp(b"six", "ID:2", correlation_id=request.properties.message_id), handle=4, first=2)
    assert len(jms_stand.contents(DEAD)) == 1


def test_a_reply_is_sent_as_the_request_said_of_its_queue(jms_stand):
    jms_stand.define("AMQ.TEMPORARY")
    jms_request(jms_stand, "queue://EARTH/AMQ.TEMPORARY?persistence=1&priority=7")
    ((_, _, request),) = jms_stand.sent()
    jms_stand.restart()
    jms_stand.start()
    jms_stand.deliver(amqp(b"five", correlation_id=request.properties.message_id), handle=4)
    (answer,) = jms_stand.contents("AMQ.TEMPORARY")
    assert (answer.md.persistence, answer.md.priority) == (MQPER.NOT_PERSISTENT, 7)
    assert JmsMessage.of(answer).delivery_mode == 1


def test_a_reply_is_for_nobody_if_programs_chose_the_same_correlation_id(stand):
    stand.define("OTHER")
    for queue in ("AMQ.TEMPORARY", "OTHER"):
        stand.put(b"how many?", reply_to_q=queue, correl_id=b"c" * 24)
    requests = [message for _, _, message in stand.sent()]
    stand.deliver(amqp(b"five", correlation_id="ID:" + "63" * 24), handle=4)
    (dead,) = stand.contents(DEAD)
    assert DLH.codec(dead.order).parse(dead.data).reason == MQRC.UNKNOWN_OBJECT_NAME
    for number, request in enumerate(requests):
        stand.deliver(amqp(b"six", correlation_id=request.properties.message_id), handle=4, first=2 + number)
    assert [len(stand.contents(queue)) for queue in ("AMQ.TEMPORARY", "OTHER")] == [1, 1]


def test_rows_of_requests_in_doubt_are_removed_after_a_restart(stand):
    asked = ask(stand)
    stand.restart()
    stand.start()
    stand.settles(stand.sent())
    stand.deliver(amqp(b"five", correlation_id=f"ID:{asked.md.msg_id.hex()}"), handle=4)
    assert len(stand.contents("AMQ.TEMPORARY")) == 1
    stand.wait(4000)
    assert not stand.rows(TABLE)


def test_a_request_with_a_long_way_back_is_dead_lettered(jms_stand):
    jms_request(jms_stand, f"topic://{'a' * 5000}")
    assert not jms_stand.sent()
    (dead,) = jms_stand.contents(DEAD)
    assert b"the way back for replies has 50" in dead.data


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


def test_a_request_of_the_provider_with_a_long_way_back_is_rejected(stand):
    stand.deliver(amqp(b"how many?", reply_to="a" * 5000), handle=3)
    assert not stand.contents(SINK)
    ((name, _, state),) = [asked for asked in stand.connection.asked if asked[0] == "settle"]
    assert (name, state.condition) == ("settle", "amqp:not-implemented")
    assert "way back" in state.description


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


@pytest.mark.parametrize("correlation", ["ID:qpid:1:1:1-1", "a long correlation id, alike in its first 24 bytes: 1", 5])
def test_a_reply_may_pass_on_a_correlation_id_of_any_kind(jms_stand, correlation):
    for number, identifier in enumerate([correlation, f"{correlation} 2"]):
        message = amqp(b"how many?", f"ID:{number}", reply_to=f"temp-{number}", correlation_id=identifier)
        jms_stand.deliver(message, handle=3, first=1 + number)
    for request in jms_stand.contents(SINK):
        answer = JmsMessage("text", "5", correlation_id=JmsMessage.of(request).correlation_id).message("queue:///Q")
        jms_stand.put(answer.data, ANSWERS_HERE, format="MQHRF2", encoding=273, correl_id=answer.md.correl_id)
    replies = [message.properties for _, _, message in jms_stand.sent()]
    assert [(each.to, each.correlation_id) for each in replies] == [
        ("temp-0", correlation), ("temp-1", f"{correlation} 2")
    ]  # fmt: skip


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


def test_a_reply_to_requests_with_the_same_correlation_id_is_dead_lettered(stand):
    for number in range(2):
        message = amqp(b"how many?", f"ID:{number}", reply_to=f"temp-{number}", correlation_id="ID:" + "63" * 24)
        stand.deliver(message, handle=3, first=1 + number)
    requests = stand.contents(SINK)
    answer(stand, b"c" * 24)
    assert not stand.sent()
    assert len(stand.contents(DEAD)) == 1
    for request in requests:
        answer(stand, request.md.msg_id)
    assert [message.properties.to for _, _, message in stand.sent()] == ["temp-0", "temp-1"]


def test_a_reply_in_doubt_goes_to_its_address_even_if_the_request_has_expired(stand):
    request = asked_by(stand, uuid.UUID(int=5))
    answer(stand, request.md.msg_id)
    first = stand.sent()
    stand.now += 4000
    stand.restart()
    stand.start()
    again = stand.sent()
    assert [message for _, _, message in again] == [message for _, _, message in first]
    stand.settles(again)
    assert not stand.depth(ANSWERS_HERE)
    assert not stand.contents(DEAD)


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
