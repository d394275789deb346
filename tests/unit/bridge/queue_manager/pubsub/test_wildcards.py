from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.pubsub.wildcards import make_pattern


def matches(pattern: str, topic: str, *, characters: bool = False) -> bool:
    made = make_pattern(pattern, characters=characters)
    return made == topic if isinstance(made, str) else made.matches(topic)


@pytest.mark.spec("mqi.md 17")
@pytest.mark.spec("mqi.md 21.20")
@pytest.mark.parametrize(
    ("pattern", "topic", "expected"),
    [
        ("USA/#", "USA", True),
        ("USA/#", "USA/Alaska", True),
        ("USA/#", "USA/Alaska/Juneau", True),
        ("USA/#", "USAGE", False),
        ("#", "a", True),
        ("#", "/a//", True),
        ("#/Results", "Results", True),
        ("#/Results", "a/b/Results", True),
        ("#/Results", "a/Results/b", False),
        ("a/#/b", "a/b", True),
        ("a/#/b", "a/x/y/b", True),
        ("a/#/b", "a/x/y", False),
        ("a/#/b/#/c", "a/b/b/c", True),
        ("a/#/b/#/c", "a/c/b", False),
        ("+", "a", True),
        ("+", "", True),
        ("+", "a/b", False),
        ("a/+/c", "a/b/c", True),
        ("a/+/c", "a//c", True),
        ("a/+/c", "a/c", False),
        ("+/+", "/a", True),
        ("USA#", "USA#", True),
        ("USA#", "USAX", False),
        ("a+/b", "a+/b", True),
        ("a+/b", "ax/b", False),
        ("a", "A", False),
        ("/a", "a", False),
        ("a/", "a", False),
        ("a//b", "a/b", False),
        ("#/#", "a", True),
        ("+/#", "a", True),
        ("+/#/+", "a", False),
        ("a*", "a*", True),
        ("a*", "ab", False),
    ],
)
def test_topic_scheme(pattern: str, topic: str, expected: bool) -> None:
    assert matches(pattern, topic) is expected


@pytest.mark.spec("mqi.md 17")
@pytest.mark.parametrize(
    ("pattern", "topic", "expected"),
    [
        ("a*", "a", True),
        ("a*", "a/b/c", True),
        ("*", "", True),
        ("*c", "a/b/c", True),
        ("a?c", "a/c", True),
        ("a?c", "ac", False),
        ("a*b*c", "a/bx/c", True),
        ("a*b*c", "acb", False),
        ("ab*ba", "aba", False),
        ("ab*ba", "abba", True),
        ("*a?", "xxab", True),
        ("*a?", "xxa", False),
        ("a%*", "a*", True),
        ("a%*", "ab", False),
        ("a%%b", "a%b", True),
        ("a%b", "a%b", True),
        ("%?x*", "?xyz", True),
        ("a/#", "a/b", False),
        ("a/#", "a/#", True),
        ("(.)*", "(.)x", True),
        ("(.)*", "axx", False),
        ("*\n*", "a\nb", True),
    ],
)
def test_character_scheme(pattern: str, topic: str, expected: bool) -> None:
    assert matches(pattern, topic, characters=True) is expected


def test_a_string_without_wildcards_is_no_pattern() -> None:
    assert make_pattern("a/b", characters=False) == "a/b"
    assert make_pattern("a%*", characters=True) == "a*"


@pytest.mark.parametrize(
    ("pattern", "characters", "blocked", "expected"),
    [
        ("a/#", False, "a/b", False),
        ("a/b/#", False, "a/b", True),
        ("a/b/+", False, "a/b", True),
        ("a/+", False, "a/b", False),
        ("#", False, "a", False),
        ("a/b/c/#", False, "a/b", True),
        ("a/b*", True, "a/b", True),
        ("a/*", True, "a/b", False),
        ("dev/#", False, "dev/", False),
        ("dev/x/#", False, "dev/", True),
    ],
)
def test_wildcards_above_a_blocking_topic_object(pattern: str, characters: bool, blocked: str, expected: bool) -> None:
    made = make_pattern(pattern, characters=characters)
    assert not isinstance(made, str)
    assert made.reaches_below(blocked) is expected


def test_long_strings_take_no_more_than_their_product_of_steps() -> None:
    assert not matches("/".join(["#/a"] * 2000) + "/b", "/".join(["a"] * 5000))
    assert not matches("*a" * 4000 + "*b", "a" * 10_000, characters=True)
