"""Protocols that dice have made, of which every field is known: what the learner must explain, whatever they are."""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random
from typing import NamedTuple, TypeAlias

from mqbridge.captures.learning import INITIATOR, RESPONDER, Piece, Stream

from .made_protocols import base128

Make: TypeAlias = "Callable[[Random, _Talk], list[bytes]]"
"""From dice and the state of a connection to the parts of a field that are fields of their own."""
_WORDS = ("ORDER", "CANCEL", "STATUS", "QUERY", "TRANSFER", "OK", "BUSY")


class _Talk:
    """What a connection remembers. ``number``: of the request, repeated in its answer."""

    def __init__(self, dice: Random, number: int) -> None:
        self.connection = number
        self.token = dice.randbytes(4)
        self.number = dice.randrange(1, 50_000)
        self.identity = b""
        self.time = 1_700_000_000.0 + 50 * number


class GeneratedProtocol(NamedTuple):
    """Streams of a protocol, and where the fields of each message begin but the first."""

    streams: list[Stream]
    boundaries: dict[bytes, frozenset[int]]
    length: tuple[int, int]
    """Place and width of the length of messages; width 0 for base 128."""


def generated(seed: int, connections: int = 8, exchanges: int = 25) -> GeneratedProtocol:
    """Return a protocol: a head that all messages share, and kinds of requests and answers with fields of their own."""
    dice = Random(seed)
    order = dice.choice(["<", ">"])
    head, place, width = _head(dice, order)
    kinds = [
        [[_field(dice, order, last=last == each) for each in range(last + 1)] for _ in range(2)]
        for last in (dice.randrange(1, 6) for _ in range(dice.randrange(2, 6)))
    ]
    codes = dice.sample(range(1, 30), len(kinds))
    counts_all = dice.random() < 0.5
    boundaries: dict[bytes, frozenset[int]] = {}
    streams = []
    for connection in range(connections):
        talk = _Talk(dice, connection)
        pieces = []
        for _ in range(exchanges):
            which = dice.randrange(len(kinds))
            talk.number += 1
            talk.identity = dice.randbytes(8)
            for side in (INITIATOR, RESPONDER):
                talk.time += dice.random() / 3
                parts = [part for make in kinds[which][side] for part in make(dice, talk)]
                front = [part for make in head for part in make(dice, talk)]
                kind = [bytes([codes[which] + (0x80 if side else 0)])]
                data = _joined(front, kind, parts, (place, width, order, counts_all), boundaries)
                pieces.append(Piece(side, talk.time, data))
        streams.append(Stream(connection, tuple(pieces)))
    return GeneratedProtocol(streams, boundaries, (sum(map(len, front[:place])), width))


def _joined(
    front: list[bytes],
    kind: list[bytes],
    body: list[bytes],
    length: tuple[int, int, str, bool],
    boundaries: dict[bytes, frozenset[int]],
) -> bytes:
    """Put the length in at its place, and note where fields begin."""
    place, width, order, counts_all = length
    behind = [*front[place:], *kind, *body]
    size = sum(map(len, behind))
    if width:
        size += (sum(map(len, front[:place])) + width) * counts_all
        number = size.to_bytes(width, "big" if order == ">" else "little")
    else:
        number = base128(size)
    parts = [part for part in [*front[:place], number, *behind] if part]
    data = b"".join(parts)
    at, found = 0, set()
    for part in parts[:-1]:
        at += len(part)
        found.add(at)
    boundaries[data] = frozenset(found)
    return data


def _head(dice: Random, order: str) -> tuple[list[Make], int, int]:
    """Return the fields before the kind, before which of them the length stands, and how wide it is."""
    makes: list[Make] = []
    if dice.random() < 0.6:
        magic = dice.randbytes(dice.choice([1, 2, 4]))
        makes.append(lambda *_: [magic])
    place = len(makes)
    for chance, make in (
        (0.5, lambda *_: [b"\1"]),
        (0.6, lambda _, talk: [struct.pack(order + "I", talk.number)]),
        (0.4, lambda _, talk: [talk.token]),
        (0.3, lambda _, talk: [struct.pack(order + "Q", int(talk.time * 1000))]),
        (0.3, lambda *_: [bytes(2)]),
    ):
        if dice.random() < chance:
            makes.append(make)
    return makes, place, dice.choice([2, 2, 4, 4, 0])


def _field(dice: Random, order: str, *, last: bool) -> Make:
    """Return a field; those of varying length that nothing measures can only be the last."""
    text = bytes(dice.choice(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(8))
    codes = dice.sample(range(200), 4)
    fields: list[Make] = [
        lambda dice, _: [bytes([dice.choice(codes)])],
        lambda dice, _: [struct.pack(order + "H", dice.randrange(5000))],
        lambda dice, _: [struct.pack(order + "I", dice.randrange(100_000))],
        lambda dice, _: [struct.pack(order + "d", dice.random() * 1000)],
        lambda dice, _: [dice.choice(_WORDS).encode().ljust(12)],
        lambda dice, _: [(dice.choice(_WORDS) + text[: dice.randrange(8)].decode()).encode().ljust(20, b"\0")],
        lambda _, talk: [talk.identity],
        lambda *_: [bytes(4)],
        lambda dice, _: _measured(order + "H", _text(dice)),
        lambda dice, _: _measured("B", _text(dice)),
        lambda dice, _: _measured(order + "H", _text(dice)),
    ]
    if last:
        fields += 2 * [
            lambda dice, _: [_text(dice)],
            lambda dice, _: [dice.randbytes(dice.randrange(1, 60))],
            lambda dice, _: [part for _ in range(dice.randrange(1, 5)) for part in _tagged(dice, order)],
        ]
    return dice.choice(fields)


def _text(dice: Random) -> bytes:
    return bytes(dice.choice(b"abcdefgh klmnopq") for _ in range(dice.randrange(1, 40)))


def _measured(form: str, data: bytes) -> list[bytes]:
    return [struct.pack(form, len(data)), data]


def _tagged(dice: Random, order: str) -> list[bytes]:
    value = dice.randbytes(dice.choice([1, 2, 4, 4, dice.randrange(1, 12)]))
    return [struct.pack(order + "H", dice.choice([1, 2, 7, 260])), struct.pack(order + "H", len(value)), value]
