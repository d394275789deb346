"""Bodies of frames that carry messages come back, equal their grammar, and are refused with a code otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from construct import ConstructError
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.everyplace.batches import (
    Body,
    Confirm,
    Have,
    Numbered,
    Part,
    Pull,
    Push,
    RefusedMessage,
    State,
    Taken,
    read_body,
    write_body,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.grammars.frames import BODIES, FRAME
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

NAMES = st.text(st.sampled_from("ABCabc019_%"), min_size=1, max_size=8)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
U32, U64, TIMES = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**63 - 1)
UIDS = st.builds(MessageUid, NAMES, TIMES)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    found = Message()
    found.identify(draw(UIDS))
    for name in draw(st.sets(NAMES, max_size=3)):
        found.put(name, draw(TEXTS))
    return found


BODY_OF: dict[Kind, st.SearchStrategy[Body]] = {
    Kind.PUSH: st.builds(
        Push,
        NAMES,
        U64,
        st.lists(st.tuples(st.builds(Address, NAMES, NAMES), messages() | UIDS), max_size=3).map(tuple),
    ),
    Kind.TAKEN: st.builds(
        Taken, NAMES, U64, st.lists(st.builds(RefusedMessage, UIDS, U32, TEXTS), max_size=3).map(tuple)
    ),
    **dict.fromkeys((Kind.CONFIRMED, Kind.NEXT, Kind.NOTHING), st.builds(Numbered, NAMES, U64)),
    Kind.STATE: st.builds(State, NAMES, U64, st.booleans(), U32),
    Kind.CONFIRM: st.builds(Confirm, NAMES, U64, U32),
    Kind.PULL: st.builds(Pull, NAMES, U64, U32),
    Kind.PART: st.builds(Part, NAMES, UIDS, U64, U64, st.binary(max_size=300)),
    Kind.HAVE: st.builds(Have, NAMES, UIDS, U64),
}
PAIRS = st.sampled_from(list(BODY_OF)).flatmap(lambda kind: st.tuples(st.just(kind), BODY_OF[kind]))


@pytest.mark.spec("E-188", "E-474")
@given(PAIRS)
def test_bodies_come_back(pair: tuple[Kind, Body]) -> None:
    kind, body = pair
    data = write_body(body)
    assert read_body(kind, data) == body
    assert BODIES[kind].build(BODIES[kind].parse(data)) == data
    frame = Frame(kind, 7, data).encode()
    assert bytes(FRAME.parse(frame).body) == data


def accepted(kind: Kind, data: bytes) -> bool:
    try:
        BODIES[kind].parse(data)
    except ConstructError:
        return False
    return True


def is_read(kind: Kind, data: bytes) -> bool:
    try:
        read_body(kind, data)
    except EveryplaceError as error:
        assert error.code is Code.DATA  # noqa: PT017
        return False
    return True


@pytest.mark.spec("E-032", "E-479", "E-481")
@given(PAIRS, st.data())
def test_cut_and_changed_bodies_are_refused_with_a_code(pair: tuple[Kind, Body], data: st.DataObject) -> None:
    kind, body = pair
    whole: Any = bytearray(write_body(body))
    for _ in range(data.draw(st.integers(0, 2))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))] if data.draw(st.booleans()) else whole)
    if kind is Kind.PUSH:  # names and reserved fields are checked behind the grammar
        assert accepted(kind, cut) or not is_read(kind, cut)
    else:
        assert is_read(kind, cut) == accepted(kind, cut)
