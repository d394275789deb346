from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.pubsub.topic_attributes import NO_CAP
from mqbridge.bridge.queue_manager.pubsub.topic_strings import combine, is_at_or_below
from support.queue_manager.pubsub_host import PubSubHost


@pytest.mark.spec("mqi.md 17")
@pytest.mark.parametrize(
    ("administrative", "string", "expected"),
    [
        ("a", "b", "a/b"),
        ("a/", "b", "a/b"),
        ("a", "/b", "a/b"),
        ("a/", "/b", "a//b"),
        ("a", "", "a"),
        ("", "b", "b"),
        ("", "", ""),
        ("/", "b", "/b"),
        ("a", "/", "a/"),
    ],
)
def test_combining(administrative: str, string: str, expected: str) -> None:
    assert combine(administrative, string) == expected


@pytest.mark.parametrize(
    ("topic", "ancestor", "expected"),
    [
        ("a/b", "a", True),
        ("a", "a", True),
        ("ab", "a", False),
        ("a", "", True),
        ("dev/x", "dev/", True),
        ("dev", "dev/", False),
        ("dev/", "dev", True),
    ],
)
def test_at_or_below(topic: str, ancestor: str, expected: bool) -> None:
    assert is_at_or_below(topic, ancestor) is expected


@pytest.mark.spec("mqi.md 17")
def test_the_nearest_topic_object_that_says_something_counts(host: PubSubHost) -> None:
    host.define(Kind.TOPIC, "A", TOPICSTR="a", DEFPRTY=1, DURSUB="NO", CAPEXPRY=70, DEFPRESP="ASYNC")
    host.define(Kind.TOPIC, "B", TOPICSTR="a/b/c", DEFPRTY=2, PUB="DISABLED", CAPEXPRY=NO_CAP, WILDCARD="BLOCK")
    at = host.pubsub.attributes
    assert at("x").objects == ("SYSTEM.BASE.TOPIC",)
    assert at("a/x").objects == ("A", "SYSTEM.BASE.TOPIC")
    assert at("a/b/c/d").objects == ("B", "A", "SYSTEM.BASE.TOPIC")
    assert at("ab").objects == ("SYSTEM.BASE.TOPIC",)
    assert [at(topic).def_priority for topic in ("x", "a", "a/b", "a/b/c", "a/b/c/d")] == [0, 1, 1, 2, 2]
    assert [at(topic).cap_expiry for topic in ("x", "a", "a/b/c")] == [NO_CAP, 70, NO_CAP]
    assert [at(topic).publish_enabled for topic in ("x", "a", "a/b/c")] == [True, True, False]
    assert not at("a/b/c").durable_allowed
    assert at("a").asynchronous_put
    assert not at("x").asynchronous_put
    assert (at("a/b/c/d").blocked, at("a/b").blocked) == ("a/b/c", "")


def test_dev_base_topic_governs_what_begins_with_its_string(host: PubSubHost) -> None:
    assert host.pubsub.attributes("dev/x/y").objects == ("DEV.BASE.TOPIC", "SYSTEM.BASE.TOPIC")
    assert host.pubsub.attributes("dev/").objects == ("DEV.BASE.TOPIC", "SYSTEM.BASE.TOPIC")
    assert host.pubsub.attributes("dev").objects == ("SYSTEM.BASE.TOPIC",)
    host.define(Kind.TOPIC, "DEV", TOPICSTR="dev")
    assert host.pubsub.attributes("dev/x").objects == ("DEV.BASE.TOPIC", "DEV", "SYSTEM.BASE.TOPIC")


def test_changes_act_at_once(host: PubSubHost) -> None:
    at = host.pubsub.attributes
    assert at("a/b").def_persistence == 0
    host.define(Kind.TOPIC, "A", TOPICSTR="a", DEFPSIST="YES")
    assert at("a/b").def_persistence == 1
    host.alter(Kind.TOPIC, "A", DEFPSIST="ASPARENT")
    assert at("a/b").def_persistence == 0
    host.alter(Kind.TOPIC, "SYSTEM.BASE.TOPIC", DEFPSIST="YES", MDURMDL="OTHER", PMSGDLV="ALL", USEDLQ="NO")
    assert (at("a/b").def_persistence, at("a").model(True), at("a").delivery(True)) == (1, "OTHER", "ALL")
    assert not at("a").uses_dead_letter_queue
    host.delete(Kind.TOPIC, "SYSTEM.BASE.TOPIC")
    assert (at("a/b").def_persistence, at("a").model(True)) == (0, "SYSTEM.DURABLE.MODEL.QUEUE")
    assert (at("a").delivery(True), at("a").delivery(False)) == ("ALLDUR", "ALLAVAIL")


def test_attributes_of_many_topics_are_not_kept_for_ever(host: PubSubHost) -> None:
    topics = host.pubsub._state.topics
    for number in range(10_050):
        topics.attributes(f"t/{number}")
    assert len(topics._cache) <= 10_000
