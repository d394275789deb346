"""Bodies that begin and end connections come back, equal their grammar, and are refused with a code otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from construct import ConstructError
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.everyplace.compressors import COMPRESSORS
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.grammars.frames import BODIES, FRAME
from mqbridge.protocol.everyplace.handshakes import (
    Challenge,
    Failure,
    Greeting,
    Hello,
    Proof,
    Ready,
    read_greeting,
    write_greeting,
)

NAMES = st.text(st.sampled_from("ABCabc019_%"), min_size=1, max_size=8)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
SECRETS = st.binary(max_size=64)
U8, U32, U64 = (st.integers(0, 2**bits - 1) for bits in (8, 32, 64))
OFFERS = st.lists(TEXTS, max_size=16).map(tuple)
INCARNATIONS = st.binary(min_size=8, max_size=8)

BODY_OF: dict[Kind, st.SearchStrategy[Greeting]] = {
    Kind.HELLO: st.builds(Hello, NAMES, NAMES | st.just(""), INCARNATIONS, U64, SECRETS, OFFERS, OFFERS, U32, U8, U8),
    Kind.CHALLENGE: st.builds(Challenge, NAMES, INCARNATIONS, U64, TEXTS, SECRETS, U8),
    Kind.PROOF: st.builds(Proof, SECRETS),
    Kind.READY: st.builds(Ready, NAMES, INCARNATIONS, U64, TEXTS, U32, U32, SECRETS, U8),
    Kind.ERROR: st.builds(Failure, U32, TEXTS),
}
NAMED = (Kind.HELLO, Kind.CHALLENGE, Kind.READY)
"""Kinds whose names are checked behind the grammar."""
PAIRS = st.sampled_from(list(BODY_OF)).flatmap(lambda kind: st.tuples(st.just(kind), BODY_OF[kind]))


@pytest.mark.spec("E-264", "E-474")
@given(PAIRS)
def test_greetings_come_back(pair: tuple[Kind, Greeting]) -> None:
    kind, body = pair
    data = write_greeting(body)
    assert read_greeting(kind, data) == body
    assert BODIES[kind].build(BODIES[kind].parse(data)) == data
    assert bytes(FRAME.parse(Frame(kind, 7, data).encode()).body) == data


@pytest.mark.spec("E-479", "E-481")
@given(PAIRS, st.data())
def test_cut_and_changed_greetings_are_refused_with_a_code(pair: tuple[Kind, Greeting], data: st.DataObject) -> None:
    kind, body = pair
    whole: Any = bytearray(write_greeting(body))
    for _ in range(data.draw(st.integers(0, 2))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))] if data.draw(st.booleans()) else whole)
    accepted = is_accepted(kind, cut)
    if kind in NAMED:
        assert accepted or not is_read(kind, cut)
    else:
        assert is_read(kind, cut) == accepted


def is_accepted(kind: Kind, data: bytes) -> bool:
    try:
        BODIES[kind].parse(data)
    except ConstructError:
        return False
    return True


def is_read(kind: Kind, data: bytes) -> bool:
    try:
        read_greeting(kind, data)
    except EveryplaceError as error:
        assert error.code is Code.DATA  # noqa: PT017
        return False
    return True


FRAMES = st.lists(st.builds(Frame, st.sampled_from(Kind), U32, st.binary(max_size=300)), max_size=6)


@pytest.mark.spec("E-474", "E-475")
@given(FRAMES, st.lists(st.integers(1, 50), min_size=1))
def test_frames_are_the_same_however_they_are_cut(frames: list[Frame], sizes: list[int]) -> None:
    data = b"".join(each.encode() for each in frames)
    reader, found, at = FrameReader(300), [], 0
    while at < len(data):
        size = sizes[at % len(sizes)]
        found += reader.receive(data[at : at + size])
        at += size
    assert found == frames
    assert reader.pending == 0


@pytest.mark.spec("E-250", "E-447", "E-465")
@pytest.mark.parametrize("name", COMPRESSORS)
@given(st.lists(st.binary(max_size=500), max_size=5))
def test_compressed_bodies_come_back(name: str, bodies: list[bytes]) -> None:
    one, other = COMPRESSORS[name](), COMPRESSORS[name]()
    for body in bodies:
        assert other.expand(one.compress(body), 500) == body
        assert one.expand(other.compress(body), 500) == body


@pytest.mark.spec("E-447", "E-465", "E-481")
@pytest.mark.parametrize("name", COMPRESSORS)
def test_a_history_makes_what_was_said_before_short_and_nothing_expands_beyond_its_limit(name: str) -> None:
    one, other = COMPRESSORS[name](), COMPRESSORS[name]()
    body = bytes(range(250)) * 4
    first, second = one.compress(body), one.compress(body)
    assert other.expand(first, 1000) == other.expand(second, 1000) == body
    assert (len(second) < 30) == (name == "zlib-stream")
    with pytest.raises(EveryplaceError, match="TOO_LONG"):
        COMPRESSORS[name]().expand(COMPRESSORS[name]().compress(bytes(10_000)), 9_999)
    for wrong in (b"", b"no zlib", first[:-5] + b"\0\0\0\0\0\0"):
        fresh = COMPRESSORS[name]()
        try:
            assert fresh.expand(wrong, 1000) != body
        except EveryplaceError as error:
            assert error.code is Code.DATA  # noqa: PT017
