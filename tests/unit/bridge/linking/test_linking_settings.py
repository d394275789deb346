"""Settings of a link that contradict each other are refused."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.agents.linking.settings import Duplicates, LinkSettings, LinkSettingsError, ReceiveEnd, SendEnd

GOOD: dict[str, Any] = {"name": "warehouse", "send": (SendEnd("Q", "a"),)}

WRONG = [
    ("name", {"name": ""}),
    ("name", {"name": "x" * 49}),
    ("name", {"name": "a\0b"}),
    ("send", {"send": ()}),
    ("send", {"send": tuple(SendEnd(f"Q{number}", "a") for number in range(1001))}),
    ("send", {"send": (SendEnd("Q", "a"), SendEnd("Q", "b"))}),
    ("send", {"reply_queue": "Q"}),
    ("receive", {"receive": (ReceiveEnd("b", "Q1"), ReceiveEnd("b", "Q2"))}),
    ("receive", {"receive": (ReceiveEnd("b", "Q1"),), "reply_address": "b"}),
    ("receive", {"receive": (ReceiveEnd("a", "Q"),)}),
    ("address", {"send": (SendEnd("Q", ""),)}),
    ("address", {"send": (SendEnd("Q", "a" * 256),)}),
    ("window", {"window": 0}),
    ("window", {"window": 100_001, "id_cache": 1_000_000}),
    ("window", {"window": 20_000}),
    ("window", {"window": 1000, "send": tuple(SendEnd(f"Q{number}", "a") for number in range(20))}),
    ("reply_queue", {"receive": (ReceiveEnd("b", "R"),), "reply_queue": "R"}),
    ("reply_address", {"reply_address": "a"}),
    ("batch", {"batch": 0}),
    ("batch", {"batch": 11, "window": 10}),
    ("credit", {"credit": 0}),
    ("credit", {"credit": 100_001}),
    ("reply_expiry", {"reply_expiry": 0}),
    ("retry_interval", {"retry_interval": -1}),
    ("longest_retry", {"longest_retry": float("inf")}),
    ("remember", {"remember": float("nan")}),
    ("linger", {"linger": 0}),
    ("room_interval", {"room_interval": 0}),
    ("stop_wait", {"stop_wait": 0}),
]


@pytest.mark.parametrize(("key", "settings"), WRONG)
def test_what_is_refused(key, settings):
    with pytest.raises(LinkSettingsError) as refused:
        LinkSettings(**(GOOD | settings))
    assert refused.value.key == key


def test_the_window_is_not_limited_where_ids_are_not_used():
    assert LinkSettings(**GOOD, duplicates=Duplicates.NONE, window=20_000).window == 20_000


def test_an_address_may_be_sent_to_and_received_from_by_different_queues():
    assert LinkSettings(**GOOD, receive=(ReceiveEnd("a", "OTHER"),)).receive
