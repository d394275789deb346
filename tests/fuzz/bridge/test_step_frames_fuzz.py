"""Whatever a worker process sends gives frames, messages and failures, or `BadFrame`."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.step_workers.frames import (
    BadFrame,
    Frame,
    FrameReader,
    FunctionFailed,
    call_frame,
    failed_frame,
    longest_answer,
    read_call,
    read_failure,
    read_result,
    result_frame,
)
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import Limits
from mqbridge.protocol.constants import ByteOrder

MESSAGES = st.builds(
    lambda data, order, ccsid: Message.build(data, order=order, ccsid=ccsid),
    st.binary(max_size=100),
    st.sampled_from(ByteOrder),
    st.sampled_from((1208, 500)),
)
LIMITS = Limits(length=100, messages=5)


def frames_of(data: bytes, pieces: list[int]) -> list[Frame]:
    reader = FrameReader()
    found = []
    cuts = sorted({min(each, len(data)) for each in pieces} | {0, len(data)})
    for start, end in pairwise(cuts):
        reader.feed(data[start:end])
        while (frame := reader.next(longest_answer(LIMITS))) is not None:
            found.append(frame)
    return found


@given(st.lists(MESSAGES, max_size=5), st.lists(st.integers(0, 3000)), st.integers(0, 2**32 - 1))
def test_messages_pass_however_they_are_cut(messages: list[Message], pieces: list[int], number: int) -> None:
    data = result_frame(number, messages) + failed_frame(1, FunctionFailed(2374, "näh"))
    result, failure = frames_of(data, pieces)
    assert (result.number, read_result(result.payload, LIMITS)) == (number, tuple(messages))
    assert read_failure(failure.payload) == FunctionFailed(2374, "näh")


@given(MESSAGES)
def test_calls_pass(message: Message) -> None:
    (call,) = frames_of(call_frame(7, message, LIMITS), [])
    assert read_call(call.payload) == (message, LIMITS)


@given(st.binary(max_size=300), st.lists(MESSAGES, max_size=2), st.integers(0, 500))
def test_anything_else_is_a_bad_frame(rubbish: bytes, messages: list[Message], cut: int) -> None:
    whole = result_frame(1, messages)
    for data in (rubbish, whole[:cut] + rubbish, whole[:9] + rubbish):
        try:
            for frame in frames_of(data, []):
                for read in (read_call, read_failure, lambda payload: read_result(payload, LIMITS)):
                    try:
                        read(frame.payload)
                    except BadFrame:
                        continue
        except BadFrame:
            continue
