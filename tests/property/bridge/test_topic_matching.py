from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager.objects import Definition, Kind
from mqbridge.bridge.queue_manager.pubsub.matching import SubscriptionIndex
from mqbridge.bridge.queue_manager.pubsub.subscription import Subscription
from mqbridge.bridge.queue_manager.pubsub.wildcards import make_pattern

LEVELS = st.sampled_from(["", "a", "b", "ab", "+", "#", "a#"])
TOPICS = st.lists(LEVELS, min_size=1, max_size=6).map("/".join)
TEXTS = st.text(alphabet="ab/*?%", max_size=9)


def reference_topic(pattern: str, topic: str) -> bool:
    """The topic scheme, said as plainly as can be."""
    wanted, levels = tuple(pattern.split("/")), tuple(topic.split("/"))

    @cache
    def fits(at: int, here: int) -> bool:
        if at == len(wanted):
            return here == len(levels)
        if wanted[at] == "#":
            return any(fits(at + 1, further) for further in range(here, len(levels) + 1))
        return here < len(levels) and wanted[at] in ("+", levels[here]) and fits(at + 1, here + 1)

    return fits(0, 0)


def reference_characters(pattern: str, topic: str) -> bool:
    @cache
    def fits(at: int, here: int) -> bool:
        if at == len(pattern):
            return here == len(topic)
        if pattern[at] == "*":
            return any(fits(at + 1, further) for further in range(here, len(topic) + 1))
        width = 1
        if pattern[at] == "%" and pattern[at + 1 : at + 2] in ("*", "?", "%"):
            width = 2
        elif pattern[at] == "?":
            return here < len(topic) and fits(at + 1, here + 1)
        return topic[here : here + 1] == pattern[at + width - 1] and fits(at + width, here + 1)

    return fits(0, 0)


def matches(pattern: str, topic: str, characters: bool) -> bool:
    made = make_pattern(pattern, characters=characters)
    return made == topic if isinstance(made, str) else made.matches(topic)


@given(TOPICS, TOPICS)
@settings(max_examples=400)
def test_topic_scheme_agrees_with_the_reference(pattern: str, topic: str) -> None:
    assert matches(pattern, topic, False) is reference_topic(pattern, topic)


@given(TEXTS, TEXTS)
@settings(max_examples=400)
def test_character_scheme_agrees_with_the_reference(pattern: str, topic: str) -> None:
    assert matches(pattern, topic, True) is reference_characters(pattern, topic)


def subscription(number: int, topic: str, characters: bool) -> Subscription:
    attributes = {"TOPICSTR": topic, "WSCHEMA": "CHAR" if characters else "TOPIC", "SUBID": f"{number:048X}"}
    return Subscription(Definition(Kind.SUB, f"S{number}", dict(attributes)), number, None)


@given(
    st.lists(st.tuples(TOPICS, st.booleans()), max_size=12),
    st.sets(st.integers(0, 11)),
    st.lists(TOPICS, min_size=1, max_size=5),
)
@settings(max_examples=200)
def test_the_index_finds_what_asking_each_subscription_finds(
    made: list[tuple[str, bool]], removed: set[int], topics: list[str]
) -> None:
    index = SubscriptionIndex()
    subscriptions = [subscription(number, *each) for number, each in enumerate(made)]
    for each in subscriptions:
        index.add(each)
    for number in removed & set(range(len(subscriptions))):
        index.remove(subscriptions[number])
        index.remove(subscriptions[number])
    left = [each for each in subscriptions if each.order not in removed]
    for topic in topics:
        assert index.match(topic) == [each for each in left if each.matches_topic(topic)]
    for each in left:
        index.remove(each)
    assert not index._plain
    assert not index._root.children
    assert not index._characters
