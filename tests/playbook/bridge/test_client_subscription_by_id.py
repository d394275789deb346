"""SPI SUBSCRIBE by the SubId of a subscription, as sessions in the pool of a JMS connection consumer do it."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQCO, MQOO, MQOT, MQRC, MQSO, LsdOptions, SegmentType, SpiVerb
from mqbridge.protocol.structures import API, LSD, SPBI, SPI, make_sd
from mqbridge.protocol.structures.spi_base import SPBU, SPI_BASE_SIZE
from support.clients.door import OBJECTS, Door, Guest, denied, may
from support.clients.playbook import Answer
from support.clients.program import ClientProgram

pytestmark = pytest.mark.spec("client-observed.md 6.2")

NEW = int(MQSO.CREATE | MQSO.MANAGED)
DURABLE = int(MQSO.CREATE | MQSO.MANAGED | MQSO.DURABLE | MQSO.ANY_USERID)
RESUME = int(MQSO.RESUME | MQSO.MANAGED)
BROWSING = int(MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.INQUIRE | MQOO.CO_OP)
GETTING = int(MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.INQUIRE | MQOO.NO_READ_AHEAD)
READERS = [may("joe", "NEWS", "SUB", "RESUME", "PUB", kind="TOPIC")]


class Subscribed:
    """The answer to SPI SUBSCRIBE."""

    def __init__(self, answer: Answer) -> None:
        self.reason = answer.outcome[1]
        self.queue = int(answer.api.object_handle)
        at = API.size + SPI.size + SPI_BASE_SIZE
        self.subscription = int(SPBI.codec(answer.order).parse(answer.body, at).subscription_handle)
        record = LSD.codec(answer.order).parse(answer.body, at + SPBI.size)
        self.id = bytes(record.sub_id)
        self.queue_name = record.q_name.decode().rstrip()


def subscribe(
    client: ClientProgram, options: int, topic: str = "", name: str = "", *, options_of_lsd: int = 0, **local: Any
) -> Subscribed:
    """SPI SUBSCRIBE; ``local``: other fields of the LSD."""
    order = client.writer.order
    strings = {"object_string": topic.encode() or None, "sub_name": name.encode() or None}
    sd = make_sd(order, strings=strings, options=int(options), sub_expiry=-1).build()
    described = LSD.codec(order)(options=int(options_of_lsd), **local).build() + sd
    body = SPI.codec(order)(verb=SpiVerb.SUBSCRIBE, max_reply_size=1000).build() + SPBU.codec(order)().build()
    body += SPBI.codec(order)(length=SPBI.size + len(described)).build() + described
    return Subscribed(client.asks(client.call(SegmentType.SPI, body)))


def resume(client: ClientProgram, identifier: bytes, options: int = RESUME) -> Subscribed:
    """Opens the subscription of a SubId."""
    return subscribe(client, options, open_options=GETTING, sub_id=identifier, options_of_lsd=LsdOptions.BY_ID)


def readers(*commands: str) -> tuple[Guest, Guest]:
    """joe twice: who consumes, and a session of the pool."""
    door = Door(*OBJECTS, *READERS, *commands)
    return door.connected(), door.connected()


def publish(guest: Guest) -> None:
    assert guest.put1("", kind=MQOT.TOPIC, string="news/local") == 0


def got(guest: Guest, handle: int) -> bool:
    """Whether there was a publication to get."""
    return guest.client.takes(handle) is not None


def topics(guest: Guest) -> list[str]:
    """Topic strings of the subscriptions that there are."""
    return [row["TOPICSTR"] for row in guest.door.mars.rows("DISPLAY SUB(*) TOPICSTR") if row["TOPICSTR"]]


@pytest.mark.parametrize(("options", "name"), [(NEW, ""), (DURABLE, "KEPT")], ids=["non-durable", "durable"])
def test_sessions_get_what_the_consumer_browses(options: int, name: str) -> None:
    consumer, session = readers()
    made = subscribe(consumer.client, options, "news/local", name, open_options=BROWSING)
    assert made.reason == 0
    assert made.id != bytes(24)
    assert made.queue_name.startswith("SYSTEM.MANAGED.")
    found = [resume(guest.client, made.id) for guest in (session, consumer, session)]
    assert [(each.reason, each.id, each.queue_name) for each in found] == [(0, made.id, made.queue_name)] * 3
    assert topics(consumer) == ["news/local"]
    publish(session)
    assert got(session, found[0].queue)
    assert not got(session, found[2].queue), "one message for all of them"
    publish(session)
    assert got(consumer, made.queue)


def test_a_non_durable_subscription_ends_with_the_consumer_alone() -> None:
    consumer, session = readers()
    made = subscribe(consumer.client, NEW, "news/local", open_options=BROWSING)
    first, second = resume(session.client, made.id), resume(session.client, made.id)
    assert session.close(first.subscription) == 0
    assert topics(consumer) == ["news/local"]
    publish(session)
    assert consumer.close(made.queue) == consumer.close(made.subscription) == 0
    assert topics(consumer) == []
    publish(session)
    assert got(session, second.queue), "what came before is still there"
    assert not got(session, second.queue)
    assert session.close(second.subscription) == 0
    assert resume(session.client, made.id).reason == MQRC.NO_SUBSCRIPTION


def test_sessions_do_not_hold_a_durable_subscription() -> None:
    consumer, session = readers()
    made = subscribe(consumer.client, DURABLE, "news/local", "KEPT", open_options=BROWSING)
    opened = resume(session.client, made.id)
    assert session.close(opened.subscription, MQCO.REMOVE_SUB) == MQRC.SUBSCRIPTION_IN_USE
    assert consumer.close(made.queue) == consumer.close(made.subscription) == 0
    again = subscribe(consumer.client, DURABLE | MQSO.RESUME, "news/local", "KEPT", open_options=BROWSING)
    assert (again.reason, again.id) == (0, made.id)
    assert consumer.close(again.subscription, MQCO.REMOVE_SUB) == 0
    assert topics(consumer) == []


@pytest.mark.parametrize(
    ("known", "options", "reason"),
    [
        (False, RESUME, MQRC.NO_SUBSCRIPTION),
        (True, MQSO.MANAGED, MQRC.OPTIONS_ERROR),
        (True, RESUME | MQSO.CREATE, MQRC.OPTIONS_ERROR),
        (True, RESUME | MQSO.ALTER, MQRC.OPTIONS_ERROR),
        (True, MQSO.RESUME, MQRC.DEST_CLASS_NOT_ALTERABLE),
    ],
)
def test_refusals(known: bool, options: int, reason: int) -> None:
    consumer, session = readers()
    made = subscribe(consumer.client, NEW, "news/local", open_options=BROWSING)
    assert resume(session.client, made.id if known else bytes(24), int(options)).reason == reason
    assert resume(session.client, made.id).reason == 0


def test_another_user_needs_leave_and_a_subscription_for_anybody() -> None:
    consumer, _ = readers()
    own = subscribe(consumer.client, NEW, "news/local", open_options=BROWSING)
    common = subscribe(consumer.client, DURABLE, "news/local", "COMMON", open_options=BROWSING)
    alice = consumer.door.connected("alice")
    assert resume(alice.client, common.id).reason == MQRC.NOT_AUTHORIZED
    assert denied(alice) == ["alice NEWS TOPIC resume"]
    consumer.door.mars.types(may("alice", "NEWS", "RESUME", kind="TOPIC"))
    assert resume(alice.client, common.id).reason == 0
    assert resume(alice.client, own.id).reason == MQRC.IDENTITY_MISMATCH
