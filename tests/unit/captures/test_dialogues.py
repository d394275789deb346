"""Dialogues: connections on any port, lines of hexadecimal digits, printed dumps."""

from __future__ import annotations

import io
import subprocess

import pytest

from mqbridge.captures import Direction, Endpoint
from mqbridge.captures.dialogues import Began, Dialogues, Ended, Lost, Sent, UnreadableError, open_dialogues
from support.captures.files import record
from support.captures.vectors import thesis

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
HOST = Endpoint("10.0.0.1", 7000)


def read(data: bytes, port: int | None = None) -> tuple[list[tuple[Direction, bytes]], Dialogues]:
    dialogues = open_dialogues(io.BytesIO(data), port)
    found = [(event.direction, event.data) for event in dialogues if isinstance(event, Sent)]
    return found, dialogues


def test_a_connection_on_any_port_is_told_both_ways() -> None:
    capture = record((IN, b"\xca\xfeask"), (OUT, b"\xca\xfeanswer"), server=HOST)
    events = list(open_dialogues(io.BytesIO(capture), 7000))
    assert isinstance(events[0], Began)
    assert (events[0].responder, events[0].port) == ("10.0.0.1:7000", 7000)
    assert [event.data for event in events if isinstance(event, Sent)] == [b"\xca\xfeask", b"\xca\xfeanswer"]
    assert events[-1] == Ended(1, True)


def test_connections_to_other_ports_are_not_told() -> None:
    found, dialogues = read(record((IN, b"ask"), server=HOST), 7001)
    assert found == []
    assert dialogues.notes == ["there is no TCP connection to port 7001"]


def test_lost_bytes_are_said() -> None:
    capture = record((IN, b"one" * 10), (IN, b"two" * 10), (IN, b"six" * 10), server=HOST)
    at = capture.index(b"two" * 10)
    head = at - 40 - 16
    length = 16 + 40 + 30
    cut = capture[:head] + capture[head + length :]
    events = list(open_dialogues(io.BytesIO(cut), 7000))
    assert Lost(1, IN, 30) in events


def test_tls_is_said_and_nothing_of_it_told() -> None:
    hello = bytes.fromhex("160301") + (200).to_bytes(2, "big") + b"\x01" + bytes(199)
    found, dialogues = read(record((IN, hello), (OUT, hello), server=HOST), 7000)
    assert found == []
    assert any("TLS" in note and "--keylog" in note for note in dialogues.notes)


def test_lines_of_digits_are_messages_of_the_end_in_front() -> None:
    found, _ = read(b"# a note\nC> 01 02\nS> 0304\n01 05\n")
    assert found == [(IN, b"\1\2"), (OUT, b"\3\4"), (IN, b"\1\5")]


def frame(data: bytes) -> bytes:
    """The IP packet with these bytes, as the recorder makes it."""
    capture = record((IN, data), server=HOST)
    at = capture.index(data)
    return capture[at - 40 : at + len(data)]


def rows(data: bytes, label: str = "{:04x}  ", tail: bool = False) -> str:
    lines = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = "".join(chr(each) if 32 <= each < 127 else "." for each in part)
        lines.append(label.format(at) + part.hex(" ") + (f"   {text}" if tail else ""))
    return "\n".join(lines) + "\n"


PAYLOAD = b"TSH " + bytes(range(40)) + b"hola, cafe beef"


@pytest.mark.parametrize("tail", [False, True])
@pytest.mark.parametrize("label", ["{:04x}  ", "0x{:04x}:  ", "{:08x}  "])
def test_rows_of_frames_lose_their_headers(label: str, tail: bool) -> None:
    text = "12:00:01.500000 IP 10.0.0.2.1061 > 10.0.0.1.7000: Flags [P.]\n" + rows(frame(PAYLOAD), label, tail)
    found, _ = read(text.encode(), 7000)
    assert found == [(IN, PAYLOAD)]


def test_rows_of_other_bytes_are_one_message_a_block() -> None:
    text = rows(PAYLOAD, tail=True) + "\n" + rows(b"second", tail=True)
    assert read(text.encode())[0] == [(IN, PAYLOAD), (IN, b"second")]


def test_what_hexdump_prints() -> None:
    data = PAYLOAD + bytes(64) + PAYLOAD
    shown = subprocess.run(["hexdump", "-C"], input=data, capture_output=True, check=True).stdout
    assert b"*" in shown
    assert read(shown)[0] == [(IN, data)]


def test_a_followed_stream_has_its_responder_indented() -> None:
    text = "00000000  61 73 6b   ask\n    00000000  79 65 73   yes\n00000003  6d 6f 72 65   more\n"
    assert read(text.encode())[0] == [(IN, b"ask"), (OUT, b"yes"), (IN, b"more")]


@pytest.mark.spec("M-157")
def test_a_row_with_a_byte_too_many_is_named_and_repaired_by_the_checksum() -> None:
    data = thesis(3)
    lines = rows(frame(data)).splitlines()
    words = lines[9].split()
    lines[9] = " ".join([words[0] + " ", *words[1:5], "20", *words[5:]])
    found, dialogues = read("\n".join(lines).encode(), 7000)
    assert found == [(IN, data)]
    assert any("line 10" in note and "1 byte too many" in note and "checksum" in note for note in dialogues.remarks)


def test_a_row_with_bytes_missing_leaves_its_packet_out() -> None:
    lines = rows(PAYLOAD).splitlines()
    lines[1] = lines[1][:-6]
    found, dialogues = read(("\n".join(lines) + "\n\n" + rows(b"second")).encode())
    assert found == [(IN, b"second")]
    assert any("line 2" in note for note in dialogues.notes)


def test_other_files_are_refused() -> None:
    with pytest.raises(UnreadableError):
        open_dialogues(io.BytesIO(b"\x89PNG\r\n\x1a\n" + bytes(range(256))))
