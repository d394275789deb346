"""Capture files to packets: every kind of file, and what is left of a cut or damaged one."""

from __future__ import annotations

import gzip
import io
import struct

import pytest

from mqbridge.captures import (
    CaptureError,
    CutCaptureError,
    DamagedCaptureError,
    Packet,
    PacketReader,
    UnknownCaptureError,
    is_capture,
)
from mqbridge.captures.reading.records import MAX_BLOCK_LENGTH, MAX_PACKET_LENGTH
from mqbridge.captures.reading.unpacking import READ_SIZE
from support.captures.files import JMS_CAPTURE, block, enhanced, interface, pcap, section


def read(data: bytes) -> tuple[list[Packet], CaptureError | None]:
    reader = PacketReader(io.BytesIO(data))
    return list(reader), reader.error


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "ticks"), [(0xA1B2C3D4, 250_000), (0xA1B23C4D, 250_000_000)])
def test_pcap_of_both_byte_orders_and_resolutions(order: str, magic: int, ticks: int) -> None:
    packets, error = read(pcap(b"one", b"", b"three", order=order, magic=magic, ticks=ticks, link_type=113))
    assert error is None
    assert packets == [
        Packet(1, 7.25, 113, b"one", 4),
        Packet(2, 8.25, 113, b"", 1),
        Packet(3, 9.25, 113, b"three", 6),
    ]


def test_a_length_of_check_sequences_is_no_part_of_the_link_type() -> None:
    packets, _ = read(pcap(b"x", link_type=0x50000001))
    assert packets[0].link_type == 1


def test_a_file_longer_than_one_read() -> None:
    data = [bytes([n % 251]) * 60_000 for n in range(READ_SIZE * 2 // 60_000 + 2)]
    packets, error = read(pcap(*data))
    assert error is None
    assert [packet.data for packet in packets] == data


def test_pcapng_with_two_sections_and_interfaces_of_their_own() -> None:
    file = (
        section()
        + interface(link_type=1)
        + interface(link_type=101, name=b"lo", tsresol=b"\x09", tsoffset=struct.pack("<q", 1000))
        + block(5, b"statistics are passed over")
        + enhanced(b"first", 7_250_000)
        + enhanced(b"second", 8_500_000_000, number=1)
        + section(">")
        + interface(link_type=113, order=">", tsresol=b"\x8a")
        + enhanced(b"third", 3 * 1024 + 512, order=">")
    )
    packets, error = read(file)
    assert error is None
    assert packets == [
        Packet(1, 7.25, 1, b"first", 5),
        Packet(2, 1008.5, 101, b"second", 6),
        Packet(3, 3.5, 113, b"third", 5),
    ]


def test_pcapng_simple_and_obsolete_packets() -> None:
    obsolete = struct.pack("<HHIIII", 0, 9, 0, 2_000_000, 3, 3) + b"old"
    file = section() + interface(snap_length=4) + block(2, obsolete) + block(3, struct.pack("<I", 6) + b"simp")
    packets, error = read(file)
    assert error is None
    assert packets == [Packet(1, 2.0, 1, b"old", 3), Packet(2, 2.0, 1, b"simp", 6)]


def test_gzip_of_several_members_with_padding() -> None:
    whole = pcap(b"one", b"two")
    packets, error = read(gzip.compress(whole[:50]) + gzip.compress(whole[50:]) + bytes(5))
    assert error is None
    assert [packet.data for packet in packets] == [b"one", b"two"]


PCAPNG = section() + interface() + enhanced(b"first", 1) + block(5, b"") + enhanced(b"second", 2)


@pytest.mark.parametrize("whole", [pcap(b"one", b"second"), PCAPNG], ids=["pcap", "pcapng"])
def test_every_cut_gives_the_whole_packets_and_an_error(whole: bytes) -> None:
    full, _ = read(whole)
    for cut in range(len(whole)):
        packets, error = read(whole[:cut])
        assert packets == full[: len(packets)]
        if error is None:  # between two records
            assert cut in (24, 43, 28, 48, 88, 100)
        elif cut < 4:
            assert type(error) is UnknownCaptureError
        else:
            assert type(error) is CutCaptureError
            assert error.packets == len(packets)
            assert error.offset <= cut


def test_a_cut_gzip_file_gives_what_could_be_unpacked() -> None:
    whole = JMS_CAPTURE.read_bytes()
    packets, error = read(whole[: len(whole) // 2])
    assert 500 < len(packets) < 1514
    assert isinstance(error, CutCaptureError)
    full, no_error = read(whole)
    assert (len(full), no_error) == (1514, None)
    assert full[: len(packets)] == packets


def test_a_damaged_gzip_file_keeps_the_packets_in_front() -> None:
    whole = bytearray(gzip.compress(pcap(*[bytes([n]) * 40 for n in range(200)]), mtime=0))
    whole[-6] ^= 0xFF  # the check sum
    packets, error = read(bytes(whole))
    assert isinstance(error, CutCaptureError)
    assert "gzip" in error.reason
    assert len(packets) == 200
    whole[len(whole) // 2] ^= 0xFF  # the middle
    packets, error = read(bytes(whole))
    assert error is not None
    assert 0 < len(packets) < 200


@pytest.mark.parametrize(
    ("file", "packets", "reason"),
    [
        (pcap(b"x") + struct.pack("<IIII", 9, 9, MAX_PACKET_LENGTH + 1, 9), 1, "packet length"),
        (section() + struct.pack("<II", 6, 13) + bytes(20), 0, "block length"),
        (section() + struct.pack("<II", 6, MAX_BLOCK_LENGTH + 4) + bytes(20), 0, "block length"),
        (section() + interface()[:-4] + b"\x14\x00\x00\x01", 0, "two lengths"),
        (section() + enhanced(b"no interface", 1), 0, "contradicts"),
        (section() + interface() + block(6, struct.pack("<IIIII", 0, 0, 0, 99, 99) + b"short"), 0, "contradicts"),
        (section() + interface() + block(3, b""), 0, "contradicts"),
        (section() + block(1, b"no"), 0, "too short"),
        (block(0x0A0D0D0A, bytes(16)), 0, "byte-order mark"),
    ],
)
def test_impossible_records_end_the_reading(file: bytes, packets: int, reason: str) -> None:
    got, error = read(file + pcap(b"never reached"))
    assert len(got) == packets
    assert type(error) is DamagedCaptureError
    assert reason in error.reason
    assert error.packets == packets


@pytest.mark.parametrize("data", [b"", b"TSH ", b"\x1f\x8b", b"no capture at all"])
def test_other_files_are_no_captures(data: bytes) -> None:
    packets, error = read(data)
    assert packets == []
    assert isinstance(error, UnknownCaptureError)


def test_a_file_that_cannot_be_read_any_further() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= 60:
                raise OSError(5, "Input/output error")
            return super().read(20)

    reader = PacketReader(Broken(pcap(b"one", b"two" * 50)))
    assert [packet.data for packet in reader] == [b"one"]
    assert isinstance(reader.error, CutCaptureError)
    assert "Input/output error" in str(reader.error)


def test_captures_are_told_by_their_head() -> None:
    assert is_capture(pcap()[:4])
    assert is_capture(pcap(order=">", magic=0xA1B23C4D)[:4])
    assert is_capture(section())
    assert is_capture(gzip.compress(b""))
    assert not is_capture(b"TSH \0\0\0\x1c")
    assert not is_capture(b"5453")
    assert not is_capture(b"")


@pytest.mark.parametrize("data", [b"", gzip.compress(b"")], ids=["plain", "packed"])
def test_an_empty_file_is_said_to_be_empty(data: bytes) -> None:
    reader = PacketReader(io.BytesIO(data))
    assert list(reader) == []
    assert isinstance(reader.error, UnknownCaptureError)
    assert reader.error.reason == "an empty file"
