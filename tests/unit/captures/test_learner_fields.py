"""The learner finds kinds and fields of protocols of which it is known what they are."""

from __future__ import annotations

import struct
from random import Random

import pytest

from mqbridge.captures.learning import Draft, Kind, Options, learn
from mqbridge.captures.learning.layout import Items, Sized
from support.learning.made_protocols import counted, orders, streams_of


def fields(kind: Kind) -> dict[tuple[int, int | None], str]:
    return {(claim.start, claim.end): claim.what for claim in kind.layout.claims()}


def kind(draft: Draft, side: int, value: bytes) -> Kind:
    (found,) = (each for each in draft.kinds if (each.side, each.value) == (side, value))
    return found


@pytest.fixture(scope="module")
def host() -> Draft:
    return learn(streams_of(orders, connections=30, messages=30, together=0))


@pytest.mark.spec("M-172")
def test_the_kind_is_told_by_the_byte_that_separates_them(host: Draft) -> None:
    assert host.key is not None
    assert (host.key.position, host.key.width) == (4, 1)
    assert {(each.side, each.value) for each in host.kinds} == {(0, b"\1"), (0, b"\7"), (1, b"\2"), (1, b"\7")}


@pytest.mark.spec("M-172")
def test_fields_of_a_request_are_found(host: Draft) -> None:
    found = fields(kind(host, 0, b"\1"))
    assert found[0, 2] == "constant"
    assert found[2, 4] == "length"
    assert found[4, 5] == "constant"
    assert (17, 21) in found
    assert found[0, None] == "text"


@pytest.mark.spec("M-172")
def test_an_answer_repeats_the_number_of_its_request(host: Draft) -> None:
    answer = kind(host, 1, b"\2")
    (echo,) = (claim for claim in answer.layout.claims() if claim.what == "echo")
    assert (echo.detail["of"] + 4 - echo.start, echo.end) == (9 - echo.start, 9)
    assert echo.support > 100


def test_every_message_is_read_to_its_end_and_mostly_explained(host: Draft) -> None:
    assert all(each.read == each.count for each in host.kinds)
    assert host.explained > 0.95


def test_a_range_that_a_number_measures_is_found() -> None:
    def make(dice: Random, _: int, place: int) -> bytes:
        topic = bytes(dice.choice(b"abcdefgh/") for _ in range(dice.randrange(1, 60)))
        return counted(b"\x30" + struct.pack(">H", len(topic)) + topic + struct.pack(">H", place) + b"\0\0\0\1", ">H")

    draft = learn(streams_of(make))
    (measured,) = {block.width for each in draft.kinds for block in each.layout.blocks if isinstance(block, Sized)}
    assert measured == 2
    assert all(each.read == each.count for each in draft.kinds)


def test_a_list_of_tagged_items_is_found() -> None:
    def make(dice: Random, *_: int) -> bytes:
        items = b"".join(
            dice.choice([b"\0\1", b"\0\2", b"\0\7"]) + struct.pack(">H", len(value)) + value
            for value in (dice.randbytes(dice.randrange(1, 12)) for _ in range(dice.randrange(1, 5)))
        )
        return counted(b"\x11\x22" + items, ">H")

    draft = learn(streams_of(make))
    forms = {block[:4] for each in draft.kinds for block in each.layout.blocks if isinstance(block, Items)}
    assert forms == {(2, 2, "big", False)}
    assert all(each.read == each.count for each in draft.kinds)


def test_kinds_beyond_the_limit_are_named_and_not_learnt() -> None:
    draft = learn(streams_of(orders, together=0), Options(most_kinds=2))
    assert len(draft.kinds) == 2
    assert draft.notes == ["4 kinds of messages; 2 are learnt"]
