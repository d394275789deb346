"""Who may publish and subscribe: asked of the topic objects from the nearest one up to the root (mqi.md 17)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQOO, MQOT, MQSO
from support.clients.door import NO, as_app, denied, guest_with, may, may_not

pytestmark = pytest.mark.spec("mqi.md 17")

NEW = MQSO.CREATE | MQSO.MANAGED | MQSO.NON_DURABLE


@pytest.mark.parametrize(
    ("commands", "topic", "reason"),
    [
        ([], "news/local", NO),
        ([may("joe", "NEWS", "PUB", kind="TOPIC")], "news/local", 0),
        ([may("joe", "NEWS", "SUB", kind="TOPIC")], "news/local", NO),
        ([may("joe", "SYSTEM.BASE.TOPIC", "PUB", kind="TOPIC")], "anything", 0),
        ([may("joe", "SYSTEM.BASE.TOPIC", "PUB", kind="TOPIC")], "news/secret", 0),
        ([may("joe", "NEWS", "PUB", kind="TOPIC")], "weather", NO),
        ([may("joe", "SECRET", "PUB", kind="TOPIC")], "news/local", NO),
        ([may("joe", "SECRET", "PUB", kind="TOPIC")], "news/secret/plans", 0),
    ],
)
def test_to_publish(commands: list[str], topic: str, reason: int) -> None:
    guest = guest_with(*commands)
    assert guest.open("", MQOO.OUTPUT, kind=MQOT.TOPIC, string=topic)[1] == reason
    assert guest.put1("", kind=MQOT.TOPIC, string=topic) == reason


def test_through_an_alias_of_a_topic_both_are_asked() -> None:
    guest = guest_with(may("joe", "PAPER", "PUT"))
    assert guest.open("PAPER", MQOO.OUTPUT)[1] == NO
    assert denied(guest) == ["joe NEWS TOPIC pub"]
    guest.door.mars.types(may("joe", "NEWS", "PUB", kind="TOPIC"))
    assert guest.open("PAPER", MQOO.OUTPUT)[1] == 0
    guest.door.mars.types(may_not("joe", "PAPER", "PUT"))
    assert guest.open("PAPER", MQOO.OUTPUT)[1] == NO


@pytest.mark.parametrize("topic", ["news/local", "news/#", "news/+/today", "news"])
def test_to_subscribe(topic: str) -> None:
    guest = guest_with(may("joe", "NEWS", "PUB", kind="TOPIC"))
    assert guest.subscribe(topic, NEW) == NO
    assert denied(guest) == ["joe NEWS TOPIC sub"]
    assert len(guest.door.mars.rows("DISPLAY SUB(*)")) == 1, "there is the default object alone"
    guest.door.mars.types(may("joe", "NEWS", "SUB", kind="TOPIC"))
    assert guest.subscribe(topic, NEW) == 0


def test_to_resume_and_to_alter_a_subscription() -> None:
    guest = guest_with(may("joe", "NEWS", "SUB", kind="TOPIC"))
    durable = MQSO.MANAGED | MQSO.DURABLE
    assert guest.subscribe("news", MQSO.CREATE | durable, name="MINE") == 0
    guest.client.disconnects()
    guest = guest.door.connected()
    assert guest.subscribe("", MQSO.RESUME | durable, name="MINE") == NO
    assert denied(guest) == ["joe NEWS TOPIC resume"]
    guest.door.mars.types(may("joe", "NEWS", "RESUME", kind="TOPIC"))
    guest.door.mars.types(may_not("joe", "NEWS", "SUB", kind="TOPIC"))
    assert guest.subscribe("news", MQSO.ALTER | durable, name="MINE") == NO
    assert guest.subscribe("", MQSO.RESUME | durable, name="MINE") == 0


def test_a_handle_of_a_queue_that_was_provided_needs_get_and_browse() -> None:
    guest = guest_with(may("joe", "NEWS", "RESUME", kind="TOPIC"), may("joe", "TARGET", "GET"))
    guest.door.mars.types("DEFINE SUB(MADE) TOPICSTR('news') DEST(TARGET) SUBUSER(joe)")
    assert guest.subscribe("", MQSO.RESUME | MQSO.MANAGED, name="MADE") == NO
    assert denied(guest) == ["joe TARGET QUEUE browse"]
    guest.door.mars.types(may("joe", "TARGET", "BROWSE"))
    assert guest.subscribe("", MQSO.RESUME | MQSO.MANAGED, name="MADE") == 0


def test_a_destination_that_a_program_names_needs_put() -> None:
    guest = guest_with(may("joe", "NEWS", "SUB", kind="TOPIC"), may("joe", "TARGET", "GET"))
    handle = guest.opens("TARGET", MQOO.INPUT_SHARED)
    options = MQSO.CREATE | MQSO.NON_DURABLE
    assert guest.subscribe("news", options, handle=handle) == NO
    assert denied(guest) == ["joe TARGET QUEUE put"]
    guest.door.mars.types(may("joe", "TARGET", "PUT"))
    assert guest.subscribe("news", options, handle=handle) == 0


def test_a_subscription_for_another_user_is_that_users() -> None:
    guest = guest_with(may("alice", "NEWS", "SUB", kind="TOPIC"))
    options = MQSO.CREATE | MQSO.MANAGED | MQSO.DURABLE | MQSO.ALTERNATE_USER_AUTHORITY
    assert guest.subscribe("news", options, name="HERS", user="alice") == NO
    guest.door.mars.types(may("joe", "", "ALTUSR", kind="QMGR"))
    assert guest.subscribe("news", options, name="HERS", user="alice") == 0
    (row,) = guest.door.mars.rows("DISPLAY SUB(HERS) ALL")
    assert row["SUBUSER"] == "alice"


def test_app_may_publish_and_subscribe_but_not_to_the_system() -> None:
    guest = as_app()
    assert guest.subscribe("any/topic", NEW) == 0
    assert guest.put1("", kind=MQOT.TOPIC, string="any/topic") == 0
    assert guest.subscribe("SYSTEM.BROKER.ADMIN.STREAM/x", NEW) == NO
