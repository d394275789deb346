"""Segments that continue a run are observed as by the machines: the same observations, the same state afterwards."""

from __future__ import annotations

import enum
import io
from collections import Counter, deque
from random import Random
from types import MethodType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.captures.generate import ChannelTraffic, ClientTraffic, Scenario
from mqbridge.captures.streams.recognition import MAX_BELIEVABLE_SEGMENT
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Ending, Observation, Observer, Place
from mqbridge.protocol.observer.channel import batches, message_runs
from mqbridge.protocol.observer.client import message_outcomes, message_streams, messages, put_runs, stream_runs
from mqbridge.protocol.segment import Segment, read_header
from support.captures.files import JMS_CAPTURE

Passed = tuple[Direction, bytes, float]
"""One segment: direction, bytes, time."""


def passed_of(data: bytes) -> list[list[Passed]]:
    """The segments of each connection of a capture."""
    flows: dict[int, list[Passed]] = {}
    for found in read_segments(io.BytesIO(data)):
        assert isinstance(found, CapturedSegment)
        flows.setdefault(found.flow.id, []).append((found.direction, found.data, found.time))
    return list(flows.values())


def damaged(random: Random, passed: list[Passed], faults: int) -> list[Passed | None]:
    """The segments with faults: bytes changed, segments missing (None: the capture says so), twice, late, after a
    silence."""
    found: list[Passed | None] = list(passed)
    for _ in range(faults):
        at = random.randrange(len(found))
        one = found[at]
        if one is None:
            continue
        direction, data, time = one
        kind = random.randrange(9)
        if kind == 0:
            found[at] = None
        elif kind == 1:
            del found[at]
        elif kind == 2:
            found.insert(at, one)
        elif kind == 3:
            found.insert(random.randrange(len(found)), found.pop(at))
        elif kind == 4:
            found[at] = direction.other, data, time
        elif kind == 5:
            later = random.choice((2.0, 400.0, 10_000.0))
            found[at:] = [each and (*each[:2], each[2] + later) for each in found[at:]]
        elif kind == 6:  # cut, with a length that fits
            cut = data[: random.randrange(28, len(data) + 1)]
            found[at] = direction, cut[:4] + len(cut).to_bytes(4, "big") + cut[8:], time
        else:
            place = random.randrange(min(len(data), random.choice((28, 60, 200, 900))))
            value = random.choice((0, 1, 2, 0x30, 0xFF, random.randrange(256)))
            found[at] = direction, data[:place] + bytes((value,)) + data[place + 1 :], time
        if not found:
            break
    return found


def shown(value: Any, seen: dict[int, int]) -> Any:
    """A value with everything in it, as far as it can be compared; objects that occur again by their number."""
    if isinstance(value, enum.Enum | int | float | str | bytes | type | None):
        return value
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, tuple | list | deque):
        return [shown(each, seen) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(str(shown(each, seen)) for each in value) if not _has_objects(value) else len(value)
    if isinstance(value, dict):
        return [(shown(key, seen), shown(each, seen)) for key, each in value.items()]
    if isinstance(value, MethodType) or callable(value):
        return None
    seen[id(value)] = len(seen)
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    names += list(getattr(value, "__dict__", ()))
    return type(value).__name__, [(name, shown(getattr(value, name), seen)) for name in names]


def _has_objects(values: Any) -> bool:
    """Whether a set holds objects, whose order is that of their addresses."""
    return any(type(each).__hash__ is object.__hash__ and not isinstance(each, enum.Enum) for each in values)


def all_shown(observations: list[Observation], observer: Observer) -> Any:
    seen: dict[int, int] = {}
    return shown(observations, seen), shown(observer, seen)


def observe(passed: list[Passed | None], *, whole: bool = True) -> Counter[str]:
    """Compare both ways after every segment; return how many segments of each type continued a run."""
    carefully, quickly = Observer(whole), Observer(whole)
    taken: Counter[str] = Counter()
    told: tuple[list[Observation], list[Observation]] = [], []
    place = Place(1000.0, 1, 0)
    for number, one in enumerate(passed, 1):
        if one is None:
            place = Place(place.time, number, 0)
            for observer, heard in zip((carefully, quickly), told, strict=True):
                heard += observer.lose(Direction.INITIATOR, 100, place)
            continue
        direction, data, time = one
        words = read_header(data, 0, len(data), MAX_BELIEVABLE_SEGMENT)
        if words is None or words[1] != len(data):
            continue
        place = Place(time, number, 0)
        told[0].extend(carefully.receive(direction, Segment(words, data, 0), place))
        found = quickly.receive_in_run(direction, words, b"before" + data + b"behind", 6, place)
        if found is None:
            found = quickly.receive(direction, Segment(words, data, 0), place)
        else:
            taken[str(SegmentType(words[-5]))] += 1
        told[1].extend(found)
        for heard in told:
            _shorten(heard)
    for observer, heard in zip((carefully, quickly), told, strict=True):
        heard += observer.close(Ending.CLOSED, place)
    assert all_shown(told[0], carefully) == all_shown(told[1], quickly)
    return taken


def _shorten(heard: list[Observation]) -> None:
    """Nothing is to be forgotten here; analyses drop the data of long messages, as they see them."""
    for one in heard:
        message = getattr(one, "message", None)
        if message is not None and len(message.data) > 1024:
            message.data = b""


def scenario(seed: int, *, shared: bool, at_once: bool) -> Scenario:
    """A channel and a client; ``at_once``: puts without replies."""
    random = Random(seed)
    sizes = tuple(random.choice((0, 1, 300, 3_000, 70_000)) for _ in range(12))
    channel = ChannelTraffic(sizes=sizes, batch_size=random.choice((2, 3, 50)), order=random.choice(list(ByteOrder)))
    client = ClientTraffic(
        puts=sizes[:6],
        gets=6,
        browses=random.choice((0, 2)),
        empty_gets=random.choice((0, 1)),
        syncpoint=random.random() < 0.5,
        commit_every=2,
        asynchronous=at_once,
        server={"shared_conversations": 10 if shared else 0},
    )
    return Scenario(seed=seed, channels=(channel,), clients=(client,))


@settings(max_examples=150)
@given(st.integers(0, 1 << 40), st.booleans(), st.booleans(), st.integers(0, 12), st.booleans())
def test_both_ways_observe_the_same(seed: int, shared: bool, at_once: bool, faults: int, whole: bool) -> None:
    random = Random(seed)
    for passed in passed_of(scenario(seed, shared=shared, at_once=at_once).build().data):
        observe(damaged(random, passed, faults), whole=whole)


@settings(max_examples=25)
@given(st.integers(0, 1 << 40), st.integers(0, 30))
def test_both_ways_observe_the_same_of_real_traffic(seed: int, faults: int) -> None:
    random = Random(seed)
    for passed in passed_of(JMS_CAPTURE.read_bytes()):
        observe(damaged(random, passed, faults))


@settings(max_examples=40)
@given(st.integers(0, 1 << 40), st.booleans(), st.integers(0, 3))
def test_limits_are_those_of_the_machines(seed: int, shared: bool, faults: int) -> None:
    random = Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        for module in (batches, message_runs):
            patch.setattr(module, "MAX_UNSETTLED_MESSAGES", 2)
            patch.setattr(module, "MAX_UNSETTLED_DATA", 2_000)
        for module in (messages, message_outcomes, message_streams, stream_runs):
            patch.setattr(module, "MAX_UNSETTLED", 2, raising=False)
        patch.setattr(message_outcomes, "MAX_UNSETTLED_DATA", 2_000)
        for module in (batches, message_runs, messages, put_runs, stream_runs):
            patch.setattr(module, "MAX_KEPT_DATA", 1_000)
        for passed in passed_of(scenario(seed, shared=shared, at_once=False).build().data):
            observe(damaged(random, passed, faults))


def test_usual_traffic_continues_runs() -> None:
    """The quick way is taken, but where a batch or an exchange begins and ends."""
    channel = ChannelTraffic(sizes=(300,) * 40, batch_size=10)
    taken: Counter[str] = Counter()
    for shared in (0, 10):
        client = ClientTraffic(puts=(300,) * 40, gets=40, server={"shared_conversations": shared})
        made = Scenario(channels=(channel,), clients=(client,)).build()
        for passed in passed_of(made.data):
            taken += observe(list(passed))
    assert taken["MESSAGE_DATA"] == 2 * 4 * 9  # all but the first of a batch
    assert min(taken["MQPUT"], taken["MQPUT_REPLY"]) > 2 * 35
    assert min(taken["REQUEST_MSGS"], taken["ASYNC_MESSAGE"], taken["NOTIFICATION"]) > 35
