"""MQGMO_CONVERT of clients: by MQGET, and for messages that stream (mqi.md 14)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQGMO, MQOO, MQRC
from support.clients.program import ClientProgram, GotMessage, connects, with_clients

pytestmark = pytest.mark.spec("mqi.md 14")

CONVERT = int(MQGMO.CONVERT)
TEXT = b"MQSTR   "


class Reader:
    """A client with an open queue, shared or not, that gets with a form wanted."""

    def __init__(self, conversations: int) -> None:
        self.stage, self.mars = with_clients(conversations=conversations)
        self.client: ClientProgram = connects(self.stage, conversations=conversations)
        self.handle = self.client.opens("TARGET", int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE))

    def puts(self, data: bytes, **md: Any) -> None:
        assert self.client.puts(data, self.handle, **md).outcome == (0, 0)

    def gets(self, options: int, ccsid: int, encoding: int = 0x222, room: int = 4096) -> GotMessage:
        if not self.client.shared:
            wanted = {"coded_char_set_id": ccsid, "encoding": encoding}
            return self.client.gets(self.handle, options, room=room, **wanted)
        got = self.client.takes(self.handle, options, room=room, ccsid=ccsid, encoding=encoding)
        assert got is not None
        return got


@pytest.fixture(params=[10, 0], ids=["shared", "not shared"])
def reader(request: pytest.FixtureRequest) -> Reader:
    return Reader(request.param)


def test_text_comes_in_the_character_set_that_is_asked_for(reader: Reader) -> None:
    reader.puts("Grüße".encode("latin-1"), format=TEXT)
    got = reader.gets(CONVERT, 1208)
    assert (got.comp_code, got.reason, got.data) == (0, 0, "Grüße".encode())
    assert (got.md.coded_char_set_id, got.md.encoding, got.length) == (1208, 0x222, 7)


def test_without_the_option_data_are_as_they_were_put(reader: Reader) -> None:
    reader.puts("Grüße".encode("latin-1"), format=TEXT)
    got = reader.gets(0, 1208)
    assert (got.data, got.md.coded_char_set_id) == ("Grüße".encode("latin-1"), 819)


def test_two_byte_text_follows_the_encoding(reader: Reader) -> None:
    reader.puts("Aß".encode("latin-1"), format=TEXT)
    assert reader.gets(CONVERT, 1200, 0x111).data == "Aß".encode("utf-16-be")


@pytest.mark.parametrize(
    ("md", "wanted", "reason"),
    [
        ({"format": b" " * 8}, 500, MQRC.FORMAT_ERROR),
        ({"format": b"MYFORMAT"}, 500, MQRC.FORMAT_ERROR),
        ({"format": TEXT, "coded_char_set_id": 64999}, 819, MQRC.SOURCE_CCSID_ERROR),
        ({"format": TEXT}, 64999, MQRC.TARGET_CCSID_ERROR),
        ({"format": TEXT, "coded_char_set_id": 1208}, 819, MQRC.NOT_CONVERTED),
    ],
    ids=lambda value: str(value) if isinstance(value, MQRC) else None,
)
def test_what_cannot_be_converted_comes_as_it_is_with_a_warning(
    reader: Reader, md: dict[str, Any], wanted: int, reason: MQRC
) -> None:
    data = b"\xff\xfe data"
    reader.puts(data, **md)
    got = reader.gets(CONVERT, wanted)
    assert (got.comp_code, got.reason) == (1, reason)
    assert (got.data, got.md.coded_char_set_id) == (data, md.get("coded_char_set_id", 819))
    assert reader.mars.depth("TARGET") == 0


def test_a_browse_converts_too(reader: Reader) -> None:
    reader.puts(b"ABC", format=TEXT)
    got = reader.gets(CONVERT | int(MQGMO.BROWSE_FIRST), 500)
    assert (got.data, got.md.coded_char_set_id) == ("ABC".encode("cp500"), 500)
    assert reader.gets(0, 0).data == b"ABC"


def test_a_waiting_get_converts_what_comes() -> None:
    reader = Reader(0)
    options = CONVERT | int(MQGMO.WAIT)
    waiting = reader.client.get_segment(reader.handle, options, gmo={"wait_interval": -1}, coded_char_set_id=500)
    assert reader.client.sends(waiting) == []
    other = connects(reader.stage, conversations=0)
    assert other.puts(b"ABC", other.opens("TARGET", int(MQOO.OUTPUT)), format=TEXT).outcome == (0, 0)
    (answer,) = reader.client.hears()
    assert GotMessage.of_reply(answer).data == "ABC".encode("cp500")


LONG = "ü" * 100
"""100 bytes in Latin-1, 200 in UTF-8."""


def test_what_conversion_makes_too_long_comes_unconverted() -> None:
    reader = Reader(0)
    reader.puts(LONG.encode("latin-1"), format=TEXT)
    got = reader.gets(CONVERT, 1208, room=150)
    assert (got.comp_code, got.reason, got.data) == (1, MQRC.CONVERTED_MSG_TOO_BIG, LONG.encode("latin-1"))
    assert reader.mars.depth("TARGET") == 0


def test_a_stream_keeps_it_for_a_client_that_asks_again() -> None:
    reader = Reader(10)
    reader.puts(LONG.encode("latin-1"), format=TEXT)
    got = reader.gets(CONVERT, 1208, room=150)
    assert (got.reason, got.length, reader.mars.depth("TARGET")) == (MQRC.TRUNCATED_MSG_FAILED, 200, 1)
    assert reader.gets(CONVERT, 1208, room=200).data == LONG.encode()
    assert reader.mars.depth("TARGET") == 0


def test_truncation_counts_converted_bytes(reader: Reader) -> None:
    reader.puts(LONG.encode("latin-1"), format=TEXT)
    got = reader.gets(CONVERT | int(MQGMO.ACCEPT_TRUNCATED_MSG), 1208, room=150)
    assert (got.comp_code, got.reason, got.length) == (1, MQRC.TRUNCATED_MSG_ACCEPTED, 200)
    assert got.data == LONG.encode()[:150]
