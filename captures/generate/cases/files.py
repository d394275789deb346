"""Cases of the rules for captures and what they hold besides MQ (C-9nn)."""

from __future__ import annotations

import struct
from typing import Final

from mqbridge.captures.generate.cases.making import CALLED, CALLER, both, case, channel, spoiled
from mqbridge.captures.generate.conversation import End, MadeConversation, MadeSegment
from mqbridge.captures.generate.packets import MadePacket
from mqbridge.captures.generate.scenario import START, Builder, Make
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.direction import Direction

_MESSAGE: Final = SegmentType.MESSAGE_DATA
_PLAIN: Final = channel()
_LONG: Final = channel(sizes=(4_000, 4_000, 4_000))
_RECORD_AT: Final = 24
_LENGTH_AT: Final = 8
_LINK_TYPE_AT: Final = 20
_UNKNOWN_LINK: Final = 147  # reserved for private use
_GARBAGE: Final = b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\nbytes"


def _damaged(data: bytes) -> bytes:
    """State an impossible length in the second record."""
    (first,) = struct.unpack_from("<I", data, _RECORD_AT + _LENGTH_AT)
    at = _RECORD_AT + 16 + first + _LENGTH_AT
    return data[:at] + struct.pack("<I", 0x8000_0000) + data[at + 4 :]


def _other_link(data: bytes) -> bytes:
    return data[:_LINK_TYPE_AT] + struct.pack("<I", _UNKNOWN_LINK) + data[_LINK_TYPE_AT + 4 :]


def _with_keys(path: str) -> Make:
    """Give the analysis a key log file."""

    def make(builder: Builder) -> None:
        _PLAIN(builder)
        builder.keylog = path

    return make


def _lost(share: float) -> Make:
    """Lose one packet of a message, behind ``share`` of the packets with data."""

    def without_one(packets: list[MadePacket]) -> list[MadePacket]:
        full = [
            number
            for number, packet in enumerate(packets)
            if packet.length >= 1_000 and packet.direction is Direction.INITIATOR
        ]
        gone = packets[full[int(len(full) * share)]]
        return [packet for packet in packets if packet.offset != gone.offset or packet.direction is not gone.direction]

    def make(builder: Builder) -> None:
        _LONG(builder)
        builder.faults.append(without_one)

    return make


def _middle(conversation: MadeConversation) -> None:
    """Insert other bytes between two segments."""
    conversation.insert(conversation.find(_MESSAGE, nth=1), CALLER, _GARBAGE)


def _unfinished(end: End) -> Make:
    """Truncate the last segment to its half."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(_MESSAGE, nth=2)
        conversation.change(place, lambda data: data[: len(data) // 2]).stop_after(place, end)

    return channel(edit)


def tls(
    version: int = 0x0303, server_name: bytes = b"mq.example.com", *, suite: int = 0xC02F, alert: int | None = None
) -> Make:
    """Return a connection that begins with TLS hellos, or has an alert in place of the second and nothing more."""
    inner = b"\0" + struct.pack(">H", len(server_name)) + server_name
    names = struct.pack(">HHH", 0, len(inner) + 2, len(inner)) + inner
    suites = struct.pack(">HH", 2, suite)

    def hello(kind: int, body: bytes) -> bytes:
        message = bytes((kind,)) + len(body).to_bytes(3, "big") + body
        return b"\x16\x03\x01" + struct.pack(">H", len(message)) + message

    def make(builder: Builder) -> None:
        random = builder.random.randbytes
        first = (
            struct.pack(">H", version) + random(32) + b"\0" + suites + b"\1\0" + struct.pack(">H", len(names)) + names
        )
        second = struct.pack(">H", version) + random(32) + b"\0" + struct.pack(">HB", suite, 0)
        conversation = MadeConversation(begun=START, ended=START + 1.0)
        answer = hello(2, second) if alert is None else bytes((0x15, 3, 3, 0, 2, 2, alert))
        for direction, data in ((CALLER, hello(1, first)), (CALLED, answer)):
            conversation.lines.append(MadeSegment(direction, data, START))
        for number in range(4 if alert is None else 0):
            data = b"\x17\x03\x03" + struct.pack(">H", 64) + random(64)
            conversation.lines.append(MadeSegment(CALLED if number % 2 else CALLER, data, START))
        builder.add(conversation)

    return make


case("C-901", spoiled(_PLAIN, lambda data: data[:-3]), _PLAIN)
case("C-902", spoiled(_PLAIN, _damaged), spoiled(_PLAIN, lambda data: data[:-3]))
case("C-903", spoiled(_PLAIN, lambda data: b"no capture" + data), spoiled(_PLAIN, lambda data: data[:30]))
case("C-904", spoiled(_PLAIN, _other_link), _PLAIN)
case("C-905", _with_keys("no-such-file.keys"), _PLAIN)
case("C-910", _lost(0.5), _LONG)
case("C-911", _lost(0.5), _LONG)
case("C-912", channel(_middle), _lost(0.5))
case("C-913", both(_unfinished(End.CLOSED)), _unfinished(End.OPEN))
case("C-914", _unfinished(End.OPEN), _unfinished(End.CLOSED))
case("C-920", tls(), _PLAIN)
