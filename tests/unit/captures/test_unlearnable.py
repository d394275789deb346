"""Bad input of the learner: it says what is missing, claims nothing, and ends in bounded time."""

from __future__ import annotations

import gzip
import io
import random
import time

import pytest

pytest.importorskip("numpy")

from mqbridge.captures import Direction, Endpoint, Recorder
from mqbridge.captures.dialogues import open_dialogues
from mqbridge.captures.drafts import Drafted, collect, draft_protocol, summary_lines
from support.captures.files import record
from support.learning.made_captures import PORT, capture_of
from support.learning.made_protocols import counted, orders, streams_of

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
HOST = Endpoint("10.0.0.1", PORT)


def learnt(data: bytes, port: int | None = PORT) -> Drafted:
    return draft_protocol(collect(open_dialogues(io.BytesIO(data), port)))


def says(drafted: Drafted, text: str) -> bool:
    return any(text in line for line in summary_lines(drafted))


def assert_nothing(drafted: Drafted, why: str) -> None:
    assert drafted.protocol is None
    assert drafted.kinds == []
    assert summary_lines(drafted)[-1] == "nothing is claimed"
    assert says(drafted, why), drafted.notes


def test_one_message() -> None:
    assert_nothing(learnt(b"C> 00 05 01 02 03\n"), "one message: there is nothing to compare")


def test_equal_messages() -> None:
    assert_nothing(learnt(b"C> 00 05 01 02 03\n" * 9), "9 equal messages")


def test_no_connection() -> None:
    assert_nothing(learnt(record((IN, b"abc"), server=HOST), 99), "no TCP connection to port 99")


def test_one_direction() -> None:
    streams = streams_of(orders, connections=12, messages=30)
    ours = [each._replace(pieces=tuple(piece for piece in each.pieces if not piece.side)) for each in streams]
    drafted = learnt(capture_of(ours))
    assert says(drafted, "only one direction")
    assert drafted.tried.all_right
    assert not any(spec.claim.what == "echo" for kind in drafted.kinds for spec in kind.specs)


def test_lost_packets_are_said_and_what_is_before_them_is_learnt() -> None:
    capture = capture_of(streams_of(orders, connections=12, messages=40))
    at = 24
    kept = [capture[:24]]
    number = 0
    while at < len(capture):
        size = 16 + int.from_bytes(capture[at + 8 : at + 12], "little")
        number += 1
        if number % 53 or size < 16 + 41:
            kept.append(capture[at : at + size])
        at += size
    drafted = learnt(b"".join(kept))
    assert says(drafted, "bytes are lost")
    assert drafted.tried.all_right


def test_several_ports_are_not_mixed() -> None:
    file = io.BytesIO()
    recorder = Recorder(file)
    for port in (PORT, PORT + 1):
        connection = recorder.connect(Endpoint("127.0.0.1", 40000 + port), Endpoint("127.0.0.1", port), 1.0)
        connection.send(IN, b"hello", 2.0)
    assert_nothing(learnt(file.getvalue(), None), "several ports")


def test_several_protocols_on_a_port() -> None:
    def lines(dice: random.Random, _side: int, _place: int) -> bytes:
        return bytes(dice.choice(b"abcdefgh ") for _ in range(dice.randrange(1, 40))) + b"\n"

    both = [*streams_of(orders), *(each._replace(number=each.number + 10) for each in streams_of(lines))]
    assert_nothing(learnt(capture_of(both)), "no framing cuts every connection to its end")


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes(seed: int) -> None:
    streams = streams_of(lambda dice, _side, _place: dice.randbytes(dice.randrange(1, 200)), seed=seed)
    drafted = learnt(capture_of(streams))
    assert drafted.protocol is None
    assert says(drafted, "random") or says(drafted, "no framing")


def test_tls() -> None:
    hello = bytes.fromhex("160301") + (200).to_bytes(2, "big") + b"\x01" + bytes(199)
    assert_nothing(learnt(record((IN, hello), (OUT, hello), server=HOST)), "TLS")


def test_compressed() -> None:
    packed = gzip.compress(b"some text " * 100)
    assert_nothing(learnt(record((IN, packed), (OUT, packed), server=HOST)), "what passes is gzip")


def test_ten_thousand_kinds() -> None:
    def many(dice: random.Random, _side: int, _place: int) -> bytes:
        return counted(dice.randrange(10_000).to_bytes(2, "big") + dice.randbytes(dice.randrange(4, 12)), ">H")

    begun = time.process_time()
    drafted = learnt(capture_of(streams_of(many, connections=20, messages=1000)))
    assert time.process_time() - begun < 60
    assert len(drafted.kinds) <= 200
    assert drafted.tried.built == drafted.tried.read.total()
