"""A player meets endpoints and recordings that say anything: it never raises, and always comes to an end."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.captures.against import Player, ReplayCredentials
from mqbridge.captures.differential import fields_of, segments_of
from mqbridge.captures.differential.known_masks import ANY_ENDPOINT
from mqbridge.captures.differential.recorded_flows import RecordedFlow, Step, recorded_flows
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.errors import FramingError
from mqbridge.protocol.framing import SegmentWriter
from support.captures.files import JMS_CAPTURE

MOST_TURNS = 400


@cache
def recorded(number: int) -> RecordedFlow:
    return recorded_flows(JMS_CAPTURE)[0][number - 1]


def changed(data: bytes, place: int, value: int) -> bytes:
    """One byte behind the length is another one."""
    place = 8 + place % (len(data) - 8)
    return data[:place] + bytes([value]) + data[place + 1 :]


def plays(player: Player, answers: list[bytes]) -> None:
    now = 0.0
    player.start(now)
    for answer in answers:
        player.data_to_send()
        player.receive_data(answer, now)
    for _ in range(MOST_TURNS):
        player.data_to_send()
        if player.closed:
            break
        due = player.next_timeout()
        assert due is not None
        now = due
        player.timeout(now)
    assert player.closed
    found = player.result(ANY_ENDPOINT)
    assert found.equal >= 0
    assert all(isinstance(each.as_row(), dict) for each in found.different)


changes = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 5000), st.integers(0, 255)), max_size=6)


@given(changes, st.integers(0, 60), st.booleans())
def test_answers_that_are_changed(where: list[tuple[int, int, int]], most: int, signs_on: bool) -> None:
    flow = recorded(13)
    answers = [step.segment.data for step in flow.steps if step.direction is Direction.RESPONDER][:most]
    for number, place, value in where:
        if number < len(answers):
            answers[number] = changed(answers[number], place, value)
    plays(Player(flow, patience=1.0, credentials=ReplayCredentials("joe", "secret") if signs_on else None), answers)


@given(changes)
def test_recordings_that_are_changed(where: list[tuple[int, int, int]]) -> None:
    flow = recorded(1)
    steps = list(flow.steps)
    for number, place, value in where:
        step = steps[number % len(steps)]
        try:
            (segment,) = segments_of(changed(step.segment.data, place, value))
        except (FramingError, ValueError):
            continue
        steps[number % len(steps)] = Step(step.number, step.direction, step.time, segment)
    broken = RecordedFlow(1, flow.initiator, flow.responder, flow.start, flow.end, steps)
    if not broken.unplayable:
        said = [step.segment.data for step in flow.steps if step.direction is Direction.RESPONDER]
        plays(Player(broken, patience=1.0, credentials=ReplayCredentials("joe", "secret"), sequence=7), said)


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_bytes_of_any_kind(pieces: list[bytes]) -> None:
    plays(Player(recorded(13), patience=1.0), pieces)


@given(
    st.integers(0, 255),
    st.binary(max_size=700),
    st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]),
    st.sampled_from([0, 0x30]),
)
def test_fields_of_any_segment_lie_in_it(kind: int, body: bytes, order: str, flags: int) -> None:
    data = SegmentWriter(order).build(kind, body, flags1=flags)  # type: ignore[arg-type]
    (segment,) = segments_of(data)
    end = 0
    for field in fields_of(segment):
        assert field.offset >= end
        end = field.offset + field.size
        assert end <= len(data)
