"""What streams carry, told by their bytes."""

from __future__ import annotations

import pytest

from mqbridge.captures import StreamKind, find_segment, recognise
from mqbridge.captures.streams.recognition import SEARCH_LIMIT, Recogniser
from support.captures.vectors import thesis

MESSAGE = thesis(3)


@pytest.mark.spec("mq-wire.md 2.1")
@pytest.mark.parametrize("head", ["54534820", "54534843", "5453484d", "e3e2c840", "e3e2c8d4", "545348"])
def test_eye_catchers_of_both_character_sets(head: str) -> None:
    assert recognise(bytes.fromhex(head)) is StreamKind.MQ


@pytest.mark.spec("mq-wire.md 1.1")
def test_tls_is_told_by_its_first_record() -> None:
    assert recognise(bytes.fromhex("160301020001")) is StreamKind.TLS
    assert recognise(bytes.fromhex("16030300")) is StreamKind.TLS


@pytest.mark.parametrize("head", [b"", b"T", b"TS", b"\xe3", b"\x16", b"\x16\x03", b"\x16\x03\x01"])
def test_a_short_head_asks_for_more(head: bytes) -> None:
    assert recognise(head) is StreamKind.UNKNOWN


@pytest.mark.parametrize("head", [b"G", b"GET / HT", b"TSX ", b"\x16\x04\x01\x00", b"\x16\x03\x01\x99"])
def test_anything_else_is_other(head: bytes) -> None:
    assert recognise(head) is StreamKind.OTHER


@pytest.mark.parametrize(
    "header",
    [
        MESSAGE[:28],
        b"\xe3\xe2\xc8\x40" + MESSAGE[4:28],
        b"TSHC" + MESSAGE[4:28],
        b"TSHM" + MESSAGE[4:8] + bytes(8) + MESSAGE[8:28],
    ],
)
def test_a_header_is_found_among_other_bytes(header: bytes) -> None:
    noise = b"TSH is a word, TSH \x00\x00\x00\x1b" + bytes(40)
    assert find_segment(header) == 0
    assert find_segment(noise + header) == len(noise)
    assert find_segment(noise + header, 5) == len(noise)
    assert find_segment(noise + header[:-1]) == -1
    assert find_segment(header, 1) == -1


@pytest.mark.parametrize(
    ("place", "value"),
    [(3, b"X"), (4, b"\0\0\0\x1b"), (4, b"\x7f"), (8, b"\3"), (9, b"\x70"), (26, b"\1")],
)
def test_an_unbelievable_header_is_passed_over(place: int, value: bytes) -> None:
    header = bytearray(MESSAGE[:28])
    header[place : place + len(value)] = value
    assert find_segment(header) == -1


def test_a_recogniser_needs_no_more_than_the_beginning() -> None:
    recogniser = Recogniser()
    assert recogniser.take(0, b"T", True) is StreamKind.UNKNOWN
    assert recogniser.take(1, b"SH ", True) is StreamKind.MQ
    assert Recogniser().take(0, b"HTTP/1.1", True) is StreamKind.OTHER


def test_a_recogniser_searches_where_the_beginning_is_lost() -> None:
    for whole, offset in ((False, 0), (True, 100)):
        recogniser = Recogniser()
        assert recogniser.take(offset, b"the end of a message" + MESSAGE[:10], whole) is StreamKind.UNKNOWN
        assert recogniser.take(offset + 30, MESSAGE[10:40], whole) is StreamKind.MQ


def test_a_recogniser_gives_up() -> None:
    recogniser = Recogniser()
    assert recogniser.take(0, bytes(SEARCH_LIMIT - 1), False) is StreamKind.UNKNOWN
    assert recogniser.take(SEARCH_LIMIT - 1, b"\0", False) is StreamKind.OTHER
