"""Our own machines under an observer: no errors, and every message settled exactly once, whatever happens."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol.channel import ReceiverState, SenderState
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.observer import Ending, MessageOutcome, MessageSeen, MessageSettled, Place
from mqbridge.protocol.observer.channel import BatchSettled
from support.channels.pair import ReceivingSide, SendingSide
from support.channels.playbook import L1, parameters
from support.channels.tapped_pair import TappedPair
from support.rules.observer_playbook import Watch

DEFINITIONS = st.fixed_dictionaries(
    {
        "batch_size": st.sampled_from([1, 2, 3, 50]),
        "sequence_wrap": st.sampled_from([100, 999_999_999]),
        "fast": st.booleans(),
        "transmission_size": st.sampled_from([1024, 2000, 32766]),
        "offered_fap_level": st.sampled_from([4, 7, 10, 13]),
        "ccsid": st.sampled_from([819, 500]),
        "order": st.sampled_from(ByteOrder),
    }
)
MESSAGES = st.lists(st.tuples(st.sampled_from([4, 50, 548, 549, 3000]), st.booleans()), min_size=1, max_size=40)
STARTS = st.sampled_from([0, 6, 95])


def play(
    seed: int, ours: dict[str, Any], theirs: dict[str, Any], messages: Any, faults: int, start: int, near_sender: bool
) -> TappedPair:
    # What is taken from a transmission queue is in the code of the sender: this one is little-endian ASCII.
    ours = {**ours, "ccsid": 819, "order": ByteOrder.LITTLE}
    theirs = {**theirs, "sequence_wrap": ours["sequence_wrap"]}
    numbered = [(number, length, persistent) for number, (length, persistent) in enumerate(messages, 1)]
    sending = SendingSide(parameters(queue_manager="VENUS", **ours), numbered)
    receiving = ReceivingSide(parameters(**theirs))
    sending.saved = SenderState(luwid=L1, sequence=start)
    receiving.saved = ReceiverState(luwid=L1, sequence=start)
    pair = TappedPair(seed, sending, receiving, near_sender=near_sender)
    pair.run(faults=faults)
    pair.watches[-1].end(Ending.OPEN)
    return pair


def check_settled_once(watch: Watch) -> None:
    seen = [one.message for one in watch.seen(MessageSeen)]
    settled = [one.message for one in watch.seen(MessageSettled)]
    assert sorted(map(id, seen)) == sorted(map(id, settled))
    assert len(set(map(id, seen))) == len(seen)


@pytest.mark.spec("channels.md 5.2")
@settings(max_examples=60)
@given(st.integers(0, 1 << 32), DEFINITIONS, DEFINITIONS, MESSAGES, st.integers(0, 8), STARTS, st.booleans())
def test_our_machines_are_found_without_fault(
    seed: int, ours: dict[str, Any], theirs: dict[str, Any], messages: Any, faults: int, start: int, near_sender: bool
) -> None:
    pair = play(seed, ours, theirs, messages, faults, start, near_sender)
    for watch in pair.watches:
        assert not watch.rules("error"), [one for one in watch.findings if one.severity.value == "error"]
        check_settled_once(watch)
    if not faults:
        (watch,) = pair.watches
        assert not watch.rules("error", "warning", "inferred"), watch.findings
        fates = [one.fate for one in watch.seen(MessageSettled)]
        assert fates == [MessageOutcome.CONFIRMED] * len(messages)
        arrived = [int.from_bytes(one.message.data[:4], "big") for one in watch.seen(MessageSeen)]
        assert arrived == list(range(1, len(messages) + 1))
        assert sum(one.messages for one in watch.seen(BatchSettled)) == len(messages)
        assert not watch.overview.uncertain


@settings(max_examples=40)
@given(
    st.integers(0, 1 << 32),
    DEFINITIONS,
    MESSAGES,
    st.integers(0, 4),
    st.sets(st.integers(0, 80), max_size=8),
    st.booleans(),
)
def test_segments_that_the_capture_lost_are_no_fault_of_the_traffic(
    seed: int, values: dict[str, Any], messages: Any, faults: int, lost: set[int], whole: bool
) -> None:
    pair = play(seed, values, values, messages, faults, 6, True)
    for passed in pair.passed:
        watch = Watch(whole)
        readers = {direction: SegmentReader(1 << 24) for direction in Direction}
        number = 0
        for direction, data in passed:
            for segment in readers[direction].feed(data):
                number += 1
                place = Place(1000.0 + number, number, 0)
                if number in lost or (number == 1 and not whole):
                    told = watch.observer.lose(direction, segment.length, place)
                else:
                    told = watch.observer.receive(direction, segment, place)
                watch._heard(told)
        watch.end()
        assert not watch.rules("error"), watch.findings
        check_settled_once(watch)
