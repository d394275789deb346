"""The learner finds how streams are cut into messages, and claims nothing where nothing cuts them."""

from __future__ import annotations

from random import Random

import pytest

from mqbridge.captures.learning import Piece, Stream, learn
from mqbridge.captures.learning.framing import ConstantSize, Delimiter, FramingRule, LengthField, find_framing
from support.learning.made_protocols import MakeMessage, base128, counted, streams_of


def body(dice: Random, most: int) -> bytes:
    return dice.randbytes(dice.randrange(1, most))


FRAMINGS: dict[str, tuple[MakeMessage, FramingRule]] = {
    "four bytes, of all": (
        lambda dice, *_: counted(dice.randbytes(8) + body(dice, 900), ">I", b"HEAD", all_of_it=True),
        LengthField(4, 4, "big", add=0),
    ),
    "two bytes, of what follows": (lambda dice, *_: counted(body(dice, 300), ">H"), LengthField(0, 2, "big", add=2)),
    "little-endian behind a mark": (
        lambda dice, *_: counted(body(dice, 900), "<H", b"AB", all_of_it=True),
        LengthField(2, 2, "little", add=0),
    ),
    "three bytes behind a version": (
        lambda dice, *_: b"\1" + (n := 4 + 4 * dice.randrange(1, 60)).to_bytes(3, "big") + dice.randbytes(n - 4),
        LengthField(2, 2, "big", add=0),
    ),
    "words of four bytes": (
        lambda dice, *_: b"\x50" + bytes([(n := dice.randrange(1, 200))]) + dice.randbytes(4 * n),
        LengthField(1, 1, "big", unit=4, add=2),
    ),
    "base 128": (
        lambda dice, *_: dice.choice([b"\x30", b"\x40"]) + base128(len(data := body(dice, 400))) + data,
        LengthField(1, 4, "base128"),
    ),
    "digits": (lambda dice, *_: b"%05d" % len(data := body(dice, 100)) + data, LengthField(0, 5, "digits", add=5)),
    "lines": (lambda dice, _, place: dice.choice([b"HELO x", b"MAIL", b"Q"]) + b"%d\r\n" % place, Delimiter(b"\r\n")),
    "one size": (lambda dice, *_: dice.randbytes(40), ConstantSize(40)),
}


@pytest.mark.spec("M-168", "M-172")
@pytest.mark.parametrize("name", FRAMINGS)
def test_a_framing_is_found(name: str) -> None:
    make, rule = FRAMINGS[name]
    found = find_framing(streams_of(make))
    assert found is not None
    framing, cuts = found
    assert framing.rules == (rule, rule)
    assert framing.messages == 200
    assert framing.chance < -3
    assert all(ends[-1] == len(side.data) for side, ends in cuts)


def test_streams_cut_anywhere_have_the_same_framing() -> None:
    dice = Random(5)
    whole = streams_of(lambda dice, *_: counted(body(dice, 300), ">H"))
    pieces = [
        Stream(
            stream.number,
            tuple(
                Piece(piece.side, piece.time, piece.data[begin : begin + step])
                for piece in stream.pieces
                for step in [dice.randrange(1, 50)]
                for begin in range(0, len(piece.data), step)
            ),
        )
        for stream in whole
    ]
    first, second = find_framing(whole), find_framing(pieces)
    assert first is not None
    assert second is not None
    assert first[0].rules == second[0].rules
    assert [ends for _, ends in first[1]] == [ends for _, ends in second[1]]


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes_have_no_framing(seed: int) -> None:
    draft = learn(streams_of(lambda dice, *_: body(dice, 200), seed=seed))
    assert draft.framing is None
    assert not draft.kinds
    assert draft.notes == ["no framing cuts every connection to its end: nothing is claimed"]


def test_a_message_may_be_incomplete_only_where_the_end_was_not_seen() -> None:
    def with_rest(*, whole: bool) -> list[Stream]:
        return [
            stream._replace(pieces=(*stream.pieces, Piece(0, 0.0, b"\0\x50rest")), whole=whole)
            for stream in streams_of(lambda dice, *_: counted(body(dice, 300), ">H"), together=0)
        ]

    found = find_framing(with_rest(whole=False))
    assert found is not None
    assert found[0].rules[0] == LengthField(0, 2, "big", add=2)
    assert found[0].messages == 200
    assert find_framing(with_rest(whole=True)) is None


@pytest.mark.parametrize("count", [0, 1])
def test_one_message_proves_nothing(count: int) -> None:
    streams = [Stream(0, tuple(Piece(0, 0.0, b"\0\4abcd") for _ in range(count)))]
    assert find_framing(streams) is None
