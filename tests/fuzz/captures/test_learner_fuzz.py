"""Whatever connections say, the learner ends in time, and each field that it claims of a message stands behind the one
before, from the message's first byte to its last."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numpy")

from mqbridge.captures.learning import Draft, Piece, Stream, learn
from mqbridge.captures.learning.framing import find_framing
from mqbridge.captures.learning.messages import in_order
from support.learning.made_protocols import counted, streams_of

SECONDS = 60.0
"""In which a draft of so few messages must be made, on any machine."""

pieces = st.lists(st.tuples(st.integers(0, 1), st.binary(min_size=1, max_size=60)), max_size=30)
damages = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(["over", "in", "out", "cut"]),
        st.binary(min_size=1, max_size=4),
    ),
    max_size=4,
)


def demand_whole(draft: Draft, streams: list[Stream]) -> None:
    found = find_framing(streams)
    if found is None:
        assert draft.kinds == []
        assert draft.notes
        return
    for message in in_order(found[1]):
        kind = draft.kind_of(message)
        if kind is None:
            continue
        at = 0
        for field in kind.fields(message.data):
            assert field.start == at
            assert field.end > at
            at = field.end
        assert at == len(message.data)


def damaged(data: bytes, damage: list[tuple[float, str, bytes]]) -> bytes:
    for share, how, put in damage:
        at = int(share * len(data))
        gone = {"over": len(put), "in": 0, "out": len(put), "cut": len(data)}[how]
        data = data[:at] + (put if how in ("over", "in") else b"") + data[at + gone :]
    return data or b"\0"


def streams_from(all_said: list[list[tuple[int, bytes]]]) -> list[Stream]:
    return [
        Stream(number, tuple(Piece(side, 10.0 * number + place, data) for place, (side, data) in enumerate(said)))
        for number, said in enumerate(all_said)
    ]


@settings(max_examples=25, deadline=None)
@given(st.lists(pieces, max_size=6))
def test_any_bytes(all_said: list[list[tuple[int, bytes]]]) -> None:
    streams = streams_from(all_said)
    begun = time.monotonic()
    demand_whole(learn(streams), streams)
    assert time.monotonic() - begun < SECONDS


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1 << 30), st.sampled_from([">H", "<H", ">I"]), damages)
def test_a_protocol_of_which_some_bytes_are_damaged(
    seed: int, form: str, damage: list[tuple[float, str, bytes]]
) -> None:
    def make(dice: random.Random, side: int, place: int) -> bytes:
        body = bytes((side,)) + place.to_bytes(4, "big") + b"NAME".ljust(8) + dice.randbytes(dice.randrange(6))
        return counted(body, form, b"")

    dice = random.Random(seed)
    streams = [
        stream._replace(
            pieces=tuple(
                piece._replace(data=damaged(piece.data, damage)) if dice.random() < 0.1 else piece
                for piece in stream.pieces
            )
        )
        for stream in streams_of(make)
    ]
    begun = time.monotonic()
    demand_whole(learn(streams), streams)
    assert time.monotonic() - begun < SECONDS
