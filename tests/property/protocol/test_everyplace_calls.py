"""Calls, outcomes and frames of Everyplace come back from the wire; other bytes are documented errors."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.everyplace.calls import (
    Browse,
    BrowseAndLock,
    Browsed,
    Call,
    ConfirmGet,
    ConfirmPut,
    Delete,
    Discover,
    Discovered,
    Done,
    Get,
    Got,
    Outcome,
    Put,
    Refused,
    Undo,
    Unlock,
    call_fields,
    outcome_fields,
    read_call,
    read_outcome,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import HEAD, Flags, Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

NAMES = st.text(st.sampled_from("ABCabc019_%"), min_size=1, max_size=8)
ADDRESSES = st.builds(Address, NAMES, NAMES)
IDS = st.integers(0, 2**63 - 1)
UIDS = st.builds(MessageUid, NAMES, st.integers(0, 2**62))


@st.composite
def fields_objects(draw: st.DrawFn) -> Fields:
    found = Fields()
    for name, value in draw(
        st.dictionaries(NAMES, st.integers() | st.text(max_size=5) | st.binary(max_size=5))
    ).items():
        with contextlib.suppress(EveryplaceError):
            found.put(name, value)
    return found


@st.composite
def messages(draw: st.DrawFn) -> Message:
    found = Message.of(draw(fields_objects()))
    if draw(st.booleans()):
        found.identify(draw(UIDS))
    found.priority = draw(st.none() | st.integers(0, 9))
    return found


CALLS: st.SearchStrategy[Call] = st.one_of(
    st.builds(Put, ADDRESSES, messages(), IDS),
    st.builds(ConfirmPut, ADDRESSES, UIDS),
    st.builds(Get, ADDRESSES, fields_objects(), IDS),
    st.builds(ConfirmGet, ADDRESSES, UIDS),
    st.builds(Browse, ADDRESSES, fields_objects(), st.booleans()),
    st.builds(BrowseAndLock, ADDRESSES, fields_objects(), IDS),
    st.builds(Unlock, ADDRESSES, UIDS, IDS),
    st.builds(Delete, ADDRESSES, UIDS, IDS),
    st.builds(Undo, ADDRESSES, IDS),
    st.builds(Discover, ADDRESSES),
)
OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.just(Done()),
    st.builds(Discovered, fields_objects()),
    st.builds(Got, messages()),
    st.builds(Browsed, st.lists(messages(), max_size=12).map(tuple), IDS),
    st.builds(Refused, st.sampled_from(Code), st.text(st.characters(exclude_categories=["Cs"]), max_size=20)),
)


@pytest.mark.spec("E-152", "E-264")
@given(CALLS)
def test_calls_come_back(call: Call) -> None:
    assert read_call(Fields.of_body(call_fields(call).body())) == call


@pytest.mark.spec("E-479")
@given(OUTCOMES)
def test_outcomes_come_back(outcome: Outcome) -> None:
    assert read_outcome(Fields.of_body(outcome_fields(outcome).body())) == outcome


@pytest.mark.spec("E-032")
@given(fields_objects() | CALLS.map(call_fields), st.data())
def test_other_fields_are_refused_with_a_code(fields: Fields, data: st.DataObject) -> None:
    names = list(fields)
    for name in data.draw(st.lists(st.sampled_from(names), unique=True)) if names else []:
        fields.delete(name)
    for read, code in ((read_call, Code.BAD_REQUEST), (read_outcome, Code.DATA)):
        try:
            read(fields)
        except EveryplaceError as error:
            assert error.code is code  # noqa: PT017


FRAMES = st.builds(
    Frame, st.sampled_from(Kind), st.integers(0, 2**32 - 1), st.binary(max_size=40), st.sampled_from(Flags)
)


@pytest.mark.spec("E-474", "E-475")
@given(st.lists(FRAMES, max_size=6), st.integers(1, 30))
def test_frames_come_back_however_they_are_cut(frames: list[Frame], size: int) -> None:
    data = b"".join(each.encode() for each in frames)
    reader, found = FrameReader(), []
    for at in range(0, len(data), size):
        found += reader.receive(data[at : at + size])
    assert found == frames
    assert not reader.pending


@pytest.mark.spec("E-481")
@pytest.mark.parametrize(
    ("head", "code"),
    [
        (HEAD.pack(6 + 101, Kind.PING, 0, 0), Code.TOO_LONG),
        (HEAD.pack(5, Kind.PING, 0, 0), Code.DATA),
        (HEAD.pack(6, 99, 0, 0), Code.DATA),
        (HEAD.pack(6, Kind.PING, 0x80, 0), Code.DATA),
        (HEAD.pack(2**32 - 1, Kind.PUSH, 0, 0), Code.TOO_LONG),
    ],
)
def test_a_wrong_frame_is_refused_when_its_head_is_there(head: bytes, code: Code) -> None:
    reader = FrameReader(100)
    with pytest.raises(EveryplaceError) as caught:
        list(reader.receive(head))
    assert caught.value.code is code
