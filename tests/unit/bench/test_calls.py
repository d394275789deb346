"""Recorded calls of IBM's client, fed to a gateway without sockets: every kind is answered as it was recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

NAMES = ["batches", "async", "alone", "ask"]


@pytest.fixture
def replay(bench: Callable[[str], Any]) -> Callable[[str], Any]:
    """A replay of a kind of program."""
    calls, module = bench("calls_recording").CALLS, bench("calls_replay")
    return lambda name: module.Replay(calls[name])


@pytest.mark.parametrize("name", NAMES)
def test_replies_are_those_recorded_turn_after_turn(replay: Callable[[str], Any], name: str) -> None:
    subject = replay(name)
    for _ in range(2):
        reads = subject.prepare(120)
        messages = subject.check(subject.feed(reads))
        assert messages == -(-120 // subject.calls.messages) * subject.calls.messages


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_small(bench: Callable[[str], Any], name: str) -> None:
    assert bench("calls_recording").path_of(name).stat().st_size < 100 << 10


@pytest.mark.parametrize(
    ("at", "what"),
    [(-1, "a body"), (36 + 12, "CompCode")],
)
def test_a_reply_that_differs_is_found(
    bench: Callable[[str], Any], replay: Callable[[str], Any], at: int, what: str
) -> None:
    wrong_reply = bench("calls_replay").WrongReply
    subject = replay("alone")
    sent = subject.feed(subject.prepare(3))
    pieces = next(pieces for pieces in sent if pieces)
    damaged = bytearray(b"".join(pieces))
    damaged[at] ^= 1
    pieces[:] = [bytes(damaged)]
    with pytest.raises(wrong_reply, match=r"reply . is .*, not the recorded"):
        subject.check(sent)


def test_a_reply_too_few_is_found(bench: Callable[[str], Any], replay: Callable[[str], Any]) -> None:
    wrong_reply = bench("calls_replay").WrongReply
    subject = replay("ask")
    sent = subject.feed(subject.prepare(3))
    next(pieces for pieces in reversed(sent) if pieces).clear()
    with pytest.raises(wrong_reply, match="replies to 3 turns"):
        subject.check(sent)


def test_answers_to_a_program_that_begins_are_compared_field_by_field(
    bench: Callable[[str], Any], replay: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls_replay = bench("calls_replay")
    monkeypatch.setattr(calls_replay, "OBJECTS", calls_replay.OBJECTS.replace("DEFPRESP(ASYNC)", ""))
    with pytest.raises(calls_replay.WrongReply, match="replies differ"):
        replay("async")
