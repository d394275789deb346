"""Streams of protocols that are made up, for the learner: what generated them is known."""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

from mqbridge.captures.learning import INITIATOR, RESPONDER, Piece, Stream

MakeMessage = Callable[[Random, int, int], bytes]
"""From dice, the side and the number of the message in its connection to its bytes."""


def streams_of(
    make: MakeMessage, *, connections: int = 10, messages: int = 20, together: float = 0.2, seed: int = 1
) -> list[Stream]:
    """Return connections in which the sides take turns. ``together``: share of messages sent with the side's next."""
    dice = Random(seed)
    streams = []
    for number in range(connections):
        pieces = []
        waiting = {INITIATOR: b"", RESPONDER: b""}
        time = 1_700_000_000.0 + 60 * number
        for place in range(messages):
            side = place % 2
            time += dice.random()
            data = waiting[side] + make(dice, side, place)
            waiting[side] = b""
            if dice.random() < together:
                waiting[side] = data
            else:
                pieces.append(Piece(side, time, data))
        pieces += [Piece(side, time, data) for side, data in waiting.items() if data]
        streams.append(Stream(number, tuple(pieces)))
    return streams


def counted(body: bytes, form: str, head: bytes = b"", *, all_of_it: bool = False) -> bytes:
    """Return a message of a head, a length in the form of `struct`, and a body."""
    size = len(body) + (len(head) + struct.calcsize(form) if all_of_it else 0)
    return head + struct.pack(form, size) + body


def base128(number: int) -> bytes:
    """Return a number of seven bits a byte, the lowest first."""
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])


def orders(dice: Random, side: int, place: int) -> bytes:
    """A host's protocol: a mark, a length, a kind, and fields that hang together across messages.

    Kind 1 is a request (number, padding, what is wanted, amount, text to the end), kind 2 its answer (the request's
    number, a code), kind 7 says that its side is alive.
    """
    if place % 10 >= 8:
        body = b"\x07"
    elif side == INITIATOR:
        verb = dice.choice([b"ORDER   ", b"CANCEL  "])
        text = bytes(dice.choice(b"ABCDEFGH ") for _ in range(dice.randrange(1, 30)))
        body = b"\x01" + struct.pack(">I", 70_000 + place) + verb + struct.pack(">I", dice.randrange(9000)) + text
    else:
        body = b"\x02" + struct.pack(">IH", 70_000 + place - 1, dice.choice([0, 0, 0, 17]))
    return counted(body, ">H", b"\xab\xcd")
