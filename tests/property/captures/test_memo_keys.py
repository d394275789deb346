"""Rules that are asked once for each variety of what comes often find what they find when they are always asked."""

from __future__ import annotations

import io
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.captures import read_flows
from mqbridge.captures.analysis.analyser import Analyser
from mqbridge.captures.generate.cases import load as load_cases
from mqbridge.captures.generate.scenario import capture_of
from mqbridge.captures.rules import Finding, Judge, catalogue, judging, load
from mqbridge.captures.rules.catalogue import MEMO_KEYS, memo_key, rules_by_observation
from mqbridge.captures.rules.judging import GuardedJudge
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import (
    MessageRoute,
    MessageSeen,
    Observation,
    ObservedMessage,
    Observer,
    Place,
    SegmentSeen,
)
from mqbridge.protocol.observer.channel import ChannelObserver
from mqbridge.protocol.observer.client import CallAnswered, ClientObserver
from mqbridge.protocol.observer.client.connection_observations import ClientProposed
from mqbridge.protocol.structures import MD
from support.captures.files import JMS_CAPTURE

RULES = list(load().values())
CASES = sorted(load_cases())
ENDS = st.sampled_from(list(Direction))


class Both(GuardedJudge):
    """Judges with memo keys and without, and proves that nothing differs; serves all examples, so that it remembers."""

    def __init__(self) -> None:
        super().__init__(RULES)
        self.judged = 0
        self._careful = Judge(RULES, memo=False)

    def judge(self, observations: list[Observation], connection: Observer, flow: int) -> list[Finding]:
        found = self._all.judge(observations, connection, flow)
        assert found == self._careful.judge(observations, connection, flow)
        self.judged += len(observations)
        return found


BOTH = Both()


def judge_capture(data: bytes) -> None:
    analyser = Analyser()
    analyser.judge = BOTH
    for event in read_flows(io.BytesIO(data)):
        analyser.receive_event(event)


@cache
def case_capture(number: str, lawful: bool) -> bytes:
    case = load_cases()[number]
    return capture_of(case.negative if lawful else case.positive, 1).data


@pytest.mark.parametrize("number", CASES)
def test_of_traffic_that_breaks_a_rule(number: str) -> None:
    judge_capture(case_capture(number, True))
    judge_capture(case_capture(number, False))


@settings(max_examples=30)
@given(st.sampled_from(CASES), st.booleans(), st.integers(0, 1 << 40))
def test_of_damaged_traffic(number: str, lawful: bool, seed: int) -> None:
    random = Random(seed)
    data = bytearray(case_capture(number, lawful)[:200_000])
    for _ in range(random.choice((1, 3, 20))):
        data[random.randrange(24, len(data))] = random.randrange(256)
    judge_capture(bytes(data))


def test_of_real_traffic() -> None:
    before = BOTH.judged
    judge_capture(JMS_CAPTURE.read_bytes())
    assert BOTH.judged - before > 100


CALLS = st.builds(
    CallAnswered,
    ENDS,
    st.just(Place(9.0, 2, 0)),
    st.just(1),
    st.sampled_from(["MQPUT", "MQGET", "MQCONN", "MQINQ", "SPI OPEN", "XA_COMMIT"]),
    st.just(2),
    st.sampled_from(["", "Q1", "SYSTEM.PROTECTION.POLICY.QUEUE"]),
    st.sampled_from([0, 0, 1, 2]),
    st.sampled_from([0, 0, 0, -4, 2033, 2035, 2053, 2085, 2119]),
    st.builds(Place, st.sampled_from([7.5, 8.0, 8.5, 9.0]), st.just(1), st.just(0)),
    st.just(Place(9.0, 2, 0)),
    st.just(100),
    st.just(100),
    room=st.integers(0, 12),
    stated=st.integers(0, 20),
    counted=st.integers(0, 20),
    wait=st.sampled_from([0, -1, 500]),
    streamed=st.booleans(),
)


@settings(max_examples=150)
@given(st.lists(CALLS, max_size=30))
def test_of_calls(calls: list[CallAnswered]) -> None:
    BOTH.judge(list(calls), Observer(), 1)


@st.composite
def descriptors(draw: st.DrawFn) -> bytes:
    """Raw ones, of which the fields that are judged in every message vary."""
    raw = bytearray(MD.codec(ByteOrder.BIG)().build())
    raw[16:20] = draw(st.sampled_from([b"\xff" * 4, bytes(4), b"\0\0\0\5", b"\5\0\0\0", b"\xff\xff\xff\xfe"]))
    raw[304:320] = draw(st.sampled_from([b"2026010112000000", b" " * 16, b"\xf2" * 16, b"x" * 16, bytes(16)]))
    return bytes(raw[: draw(st.sampled_from([0, 200, 324, 364]))])


@st.composite
def messages(draw: st.DrawFn) -> MessageSeen:
    place, end = Place(1.0, 1, 0), draw(ENDS)
    course = draw(st.sampled_from(list(MessageRoute)))
    length, order = (
        draw(st.sampled_from([0, 500, 4_194_304, 4_194_305])),
        draw(st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])),
    )
    queue = draw(st.sampled_from(["", "Q1"]))
    values: Any = course, end, draw(descriptors()), order, 819, b"", length, True, place, place, queue
    return MessageSeen(end, place, ObservedMessage(*values))


def connections() -> list[Observer]:
    found = [Observer(), Observer(), *(Observer() for _ in range(4))]
    found[1].part = ChannelObserver(found[1].overview)
    for observer, limit in zip(found[2:], (None, 0, 400, 5_000_000), strict=True):
        observer.part = part = ClientObserver(observer.overview)
        if limit is not None:
            agreed = 13, 32748, limit, 300, 10, "C", "Q", 819, "", (), False, False, 1
            part.negotiation.agreed = ClientProposed(Direction.RESPONDER, Place(0.0, 1, 0), *agreed)
    return found


CONNECTIONS = connections()


@settings(max_examples=150)
@given(st.lists(st.tuples(messages(), st.sampled_from(CONNECTIONS)), max_size=30))
def test_of_messages(seen: list[tuple[MessageSeen, Observer]]) -> None:
    for one, connection in seen:
        BOTH.judge([one], connection, 1)


def test_what_is_remembered_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "MAX_LAWFUL", 3)
    judge = Judge(RULES)
    for counted in range(20):
        values = 1, "MQPUT", 2, "Q1", 0, 0, Place(1.0, 1, 0), Place(1.0, 2, 0), 100, 100, 100, counted, counted
        assert not judge.judge([CallAnswered(Direction.RESPONDER, Place(1.0, 2, 0), *values)], Observer(), 1)
    assert all(len(watch.lawful) <= 3 for watch in judge._watched.values())


def test_memo_keys_name_the_rules_of_their_class() -> None:
    watched = {kind: {row.number for row in rows} for kind, rows in rules_by_observation(RULES).items()}
    assert SegmentSeen in MEMO_KEYS
    for kind, known in MEMO_KEYS.items():
        assert known.numbers
        assert known.numbers <= watched[kind]


def test_a_second_memo_key_of_a_class_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "MEMO_KEYS", {MessageSeen: MEMO_KEYS[MessageSeen]})
    with pytest.raises(ValueError, match="MessageSeen"):
        memo_key(MessageSeen, "C-412")(lambda seen, connection: None)


def test_a_rule_without_a_memo_key_is_always_asked() -> None:
    asked: list[Observation] = []

    def always(seen: MessageSeen, connection: Observer) -> None:
        asked.append(seen)

    own = catalogue.Rule("C-000", RULES[0].severity, "", "", "", MessageSeen, always)
    judge = Judge([*RULES, own])
    place = Place(1.0, 1, 0)
    raw = bytearray(MD.codec(ByteOrder.BIG)().build())
    raw[16:20], raw[304:320] = b"\xff" * 4, b"2026010112000000"
    values: Any = (
        MessageRoute.PUT,
        Direction.INITIATOR,
        bytes(raw),
        ByteOrder.BIG,
        819,
        b"",
        0,
        True,
        place,
        place,
        "Q1",
    )
    seen = MessageSeen(Direction.INITIATOR, place, ObservedMessage(*values))
    judge.judge([seen, seen, seen], Observer(), 1)
    assert asked == [seen] * 3
