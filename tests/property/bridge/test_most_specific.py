"""The most specific of the patterns that match, against a reference that walks through all of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.security import Authorities, Caller, ChannelRules, matches_pattern, matches_profile
from support.queue_manager.security_records import authority, rule

NAMES = st.text("AB.", min_size=1, max_size=7)
PATTERNS = st.lists(st.sampled_from(["A", "B", ".", "*"]), min_size=1, max_size=7).map("".join)
PROFILES = st.lists(
    st.sampled_from(["A", "B", "AB", "*", "**", "?", "A*", "*B", "?A", ""]), min_size=1, max_size=5
).map(".".join)


def slow_match(pattern: str, name: str) -> bool:
    """``*`` for any characters, by trying every place."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(slow_match(pattern[1:], name[place:]) for place in range(len(name) + 1))
    return bool(name) and pattern[0] == name[0] and slow_match(pattern[1:], name[1:])


def slow_profile(profile: list[str], name: list[str]) -> bool:
    """Qualifier by qualifier, by trying every number of them for ``**``."""
    if not profile:
        return not name
    if profile[0] == "**":
        return any(slow_profile(profile[1:], name[place:]) for place in range(len(name) + 1))
    return bool(name) and slow_qualifier(profile[0], name[0]) and slow_profile(profile[1:], name[1:])


def slow_qualifier(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(slow_qualifier(pattern[1:], text[place:]) for place in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and slow_qualifier(pattern[1:], text[1:])


def more_specific(one: str, other: str, generic: str) -> bool:
    """Compared from the left, as the notes say it in words."""
    plain = [not set(pattern) & set(generic) for pattern in (one, other)]
    if plain[0] != plain[1]:
        return plain[0]
    order = {"?": 1, "*": 2, "**": 3}
    first, second = (re.findall(r"\*\*|.", pattern) for pattern in (one, other))
    for left, right in zip(first, second, strict=False):
        ranks = [order[token] if token[0] in generic else 0 for token in (left, right)]
        if ranks[0] != ranks[1]:
            return ranks[0] < ranks[1]
    return len(first) > len(second)


@given(PATTERNS, NAMES)
def test_patterns_of_channel_records_match_as_the_reference_says(pattern: str, name: str) -> None:
    assert matches_pattern(pattern, name) is slow_match(pattern, name)


@given(PROFILES, NAMES)
def test_profiles_of_authority_records_match_as_the_reference_says(profile: str, name: str) -> None:
    assert matches_profile(profile, name) is slow_profile(profile.split("."), name.split("."))


@given(st.lists(PATTERNS, min_size=1, max_size=6, unique=True), NAMES)
@pytest.mark.spec("channels.md 14")
def test_no_matching_record_is_more_specific_than_the_one_that_decides(patterns: list[str], name: str) -> None:
    rules = ChannelRules(rule(pattern, "ADDRESSMAP", ADDRESS="*", MCAUSER=pattern) for pattern in patterns)
    found = rules.mapping(Caller(name, "10.0.0.1"))
    matching = [pattern for pattern in patterns if slow_match(pattern, name)]
    assert (found is not None) is bool(matching)
    if found is not None:
        assert found.name in matching
        assert not any(more_specific(pattern, found.name, "*") for pattern in matching if pattern != found.name)


@given(st.lists(PROFILES, min_size=1, max_size=6, unique=True), NAMES)
def test_the_most_specific_profile_alone_gives_authorities(profiles: list[str], name: str) -> None:
    authorities = Authorities()
    authorities.take(authority(profile, "QUEUE", "joe", profile) for profile in profiles)
    held = authorities.held("joe", "QUEUE", name)
    matching = [profile for profile in profiles if slow_profile(profile.split("."), name.split("."))]
    assert len(held) == min(len(matching), 1)
    for profile in held:
        assert profile in matching
        assert not any(more_specific(other, profile, "*?") for other in matching if other != profile)
