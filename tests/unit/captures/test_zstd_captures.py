"""Captures in zstd: frames of every shape, and what is left of cut, damaged and hostile ones."""

from __future__ import annotations

import io
import random
import tracemalloc

import pytest
import zstandard

from mqbridge.captures import CaptureError, CutCaptureError, Packet, PacketReader, UnknownCaptureError, is_capture
from mqbridge.captures.reading.unpacking import READ_SIZE, ByteSource
from mqbridge.captures.reading.zstd_frames import MAX_WINDOW_SIZE, ZSTD_MAGIC
from support.captures.files import pcap

SKIPPED = b"\x5f\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"thing"
NOISE = random.Random(1).randbytes(300_000)  # blocks that hold it are not compressed
WHOLE = pcap(*[NOISE[start : start + 50_000] for start in range(0, 300_000, 50_000)], b"x" * 500_000, b"one", b"two")


def read(data: bytes) -> tuple[list[Packet], CaptureError | None]:
    reader = PacketReader(io.BytesIO(data))
    return list(reader), reader.error


PACKETS = read(WHOLE)[0]


def packed(data: bytes, level: int = 3, **options: bool) -> bytes:
    return zstandard.ZstdCompressor(level, **options).compress(data)


def streamed(data: bytes) -> bytes:
    """A frame that does not say how long its content is."""
    compressor = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    return compressor.compress(data) + compressor.flush()


@pytest.mark.parametrize(
    "file",
    [
        packed(WHOLE),
        packed(WHOLE, 19, write_checksum=True),
        packed(WHOLE, write_content_size=False),
        streamed(WHOLE),
        packed(WHOLE[:50]) + packed(b"") + SKIPPED + streamed(WHOLE[50:]) + SKIPPED,
        SKIPPED + packed(WHOLE),
        b"".join(packed(WHOLE[start : start + 7_000]) for start in range(0, len(WHOLE), 7_000)),
    ],
)
def test_frames_of_every_shape(file: bytes) -> None:
    assert len(PACKETS) == 9
    assert is_capture(file)
    assert read(file) == (PACKETS, None)


@pytest.mark.parametrize(
    "whole", [packed(WHOLE, write_checksum=True), packed(WHOLE[:60_000]) + streamed(WHOLE[60_000:])]
)
def test_a_cut_file_gives_the_packets_of_the_blocks_that_are_whole(whole: bytes) -> None:
    most = 0
    for cut in [*range(30), *range(30, len(whole), 4_001), *range(len(whole) - 30, len(whole))]:
        packets, error = read(whole[:cut])
        assert packets == PACKETS[: len(packets)]
        assert error is not None
        assert type(error) is (UnknownCaptureError if error.offset == 0 else CutCaptureError)
        most = max(most, len(packets))
    assert most == len(PACKETS)  # of the last frame only the check sum was missing


def test_damage_keeps_what_was_whole_in_front_of_it() -> None:
    file = bytearray(packed(WHOLE, write_checksum=True))
    file[-2] ^= 0xFF
    packets, error = read(bytes(file))
    assert packets == PACKETS
    assert isinstance(error, CutCaptureError)
    assert "zstd data is damaged" in error.reason
    file = bytearray(b"".join(packed(WHOLE[start : start + 60_000]) for start in range(0, len(WHOLE), 60_000)))
    third = file.index(ZSTD_MAGIC, file.index(ZSTD_MAGIC, 4) + 4)
    file[third + 1] ^= 0xFF
    packets, error = read(bytes(file))
    assert packets == PACKETS[:2]
    assert error is not None
    assert error.reason == "what follows a zstd frame is none"


def test_what_follows_a_frame_and_is_none_is_said() -> None:
    packets, error = read(packed(WHOLE) + b"tail")
    assert packets == PACKETS
    assert error is not None
    assert error.reason == "what follows a zstd frame is none"


def test_a_bomb_costs_no_memory() -> None:
    file = packed(bytes(400_000_000))
    assert len(file) < 100_000
    source = ByteSource(io.BytesIO(file))
    tracemalloc.start()
    try:
        count = 0
        while piece := source.read():
            count += len(piece)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (count, source.fault) == (400_000_000, None)
    assert most < 2 * READ_SIZE


def test_a_window_beyond_the_limit_is_refused() -> None:
    head = b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([(31 - 10) << 3])
    packets, error = read(head + b"\x01\0\0")
    assert packets == []
    assert error is not None
    assert "memory" in error.reason
    assert MAX_WINDOW_SIZE < 1 << 31
