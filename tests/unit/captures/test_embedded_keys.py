"""Keys of TLS in a pcapng file: found before its packets are read, gathered wherever they stand."""

from __future__ import annotations

import gzip
import io
import struct
from pathlib import Path

import pytest
import zstandard

from mqbridge.captures import Direction, index_capture, read_flows
from mqbridge.captures.reading import embedded_keys, records
from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.embedded_keys import FRONT, SEARCH_SIZE, embedded_key_log, look_for_keys
from mqbridge.captures.reading.packets import PacketReader
from support.captures.files import as_pcapng, block, enhanced, interface, pcap, record, secrets, section
from support.captures.vectors import thesis

KEYS = b"CLIENT_RANDOM 00 11\n"
SSH = 0x5353484B
PLAIN = record((Direction.INITIATOR, thesis(1)), (Direction.RESPONDER, thesis(2)))


class Stream(io.BytesIO):
    """A file in which nobody can go back."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise OSError("a pipe")

    def tell(self) -> int:
        raise OSError("a pipe")


def key_log(data: bytes) -> bytes:
    chunks = ChunkReader(io.BytesIO(data))
    for _ in chunks:
        pass
    return chunks.key_log


def looked(data: bytes) -> bool:
    """Whether keys are found, in a file and in a stream alike; both can be read from their beginning afterwards."""
    file = io.BytesIO(b"behind" + data)
    file.seek(6)
    found, again = look_for_keys(file)
    assert again.read(1 << 30) == data
    in_stream, again = look_for_keys(Stream(data))
    assert b"".join(iter(lambda: again.read(1000), b"")) == data
    assert found == in_stream
    return found


@pytest.mark.parametrize("order", "<>")
def test_keys_are_gathered_wherever_they_stand(order: str) -> None:
    data = as_pcapng(
        PLAIN, {0: secrets(KEYS, order), 0.5: secrets(b"A 1 2", order), 1: secrets(b"B 3 4", order)}, order
    )
    assert key_log(data) == KEYS + b"\nA 1 2\nB 3 4\n"
    assert looked(data)
    packets = list(PacketReader(io.BytesIO(data)))
    assert [packet.data for packet in packets] == [packet.data for packet in PacketReader(io.BytesIO(PLAIN))]


def test_sections_of_another_byte_order_have_their_keys_too() -> None:
    data = section() + secrets(KEYS) + section(">") + secrets(b"A 1 2", ">") + interface(order=">")
    assert key_log(data) == KEYS + b"\nA 1 2\n"


def test_other_secrets_are_passed_over() -> None:
    other = as_pcapng(PLAIN, {0: secrets(b"SSH", kind=SSH) + block(10, b"") + block(10, b"1234")})
    assert not looked(other)
    assert key_log(other) == b""


def test_a_length_that_is_not_true_takes_what_is_there() -> None:
    assert key_log(section() + secrets(b"key!", length=1 << 31)) == b"key!\n"
    assert key_log(section() + secrets(b"key!" * 2, length=4)) == b"key!\n"


def test_no_more_than_a_limit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_KEY_LOG", 50)
    assert key_log(section() + 10 * secrets(KEYS)) == 2 * (KEYS + b"\n")


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("away", range(-13, 3))
def test_no_place_is_overlooked(away: int, order: str) -> None:
    front = section(order) + interface(order=order)
    for share in (1, 2):
        long = share * SEARCH_SIZE + 12 - len(front) - 32 + away // 4 * 4
        filled = enhanced(bytes(long - long % 4), 0, order=order)
        file = io.BytesIO(front + filled + secrets(KEYS, order))
        assert look_for_keys(file)[0], (share, away)


def test_bytes_that_look_like_keys_are_none() -> None:
    kind = struct.pack("<I", records.TLS_KEY_LOG)
    assert not looked(as_pcapng(pcap(kind * 20, b"TLSK" * 20), {}))
    assert not looked(pcap(secrets(KEYS)))
    in_a_packet = as_pcapng(pcap(secrets(KEYS)), {})
    assert key_log(in_a_packet) == b""
    for data in (b"", b"\n\r\r\n", kind, b"\x1f\x8b", b"\x28\xb5\x2f\xfd"):
        assert not looked(data)


def test_what_cannot_be_decrypted_in_spite_of_its_keys_is_read_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "looks like keys.pcapng"
    path.write_bytes(as_pcapng(pcap(secrets(KEYS)), {}))
    assert embedded_key_log(path) == b""
    flows = read_flows(path)
    assert list(flows) == []
    assert (flows.packets, flows.error) == (1, None)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress], ids=["gzip", "zstd"])
def test_the_front_of_packed_files_and_streams_is_looked_at(pack) -> None:  # type: ignore[no-untyped-def]
    assert looked(pack(as_pcapng(PLAIN, {0: secrets(KEYS)})))
    assert not looked(pack(as_pcapng(PLAIN, {})))
    late = as_pcapng(pcap(*[bytes(FRONT)] * 10), {1: secrets(KEYS)})
    assert look_for_keys(io.BytesIO(late))[0]
    for file in (io.BytesIO(pack(late)), Stream(late), Stream(pack(late))):
        flows = read_flows(file)
        list(flows)
        assert "there are keys behind the first packets" in str(flows.decryption_error)


def test_without_tshark_the_rest_is_read_and_the_reason_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    flows = read_flows(io.BytesIO(as_pcapng(PLAIN, {0: secrets(KEYS)})))
    assert sum(1 for _ in flows) > 4
    assert str(flows.decryption_error).startswith("tshark, which decrypts TLS, is not installed")
    without = read_flows(io.BytesIO(as_pcapng(PLAIN, {})))
    list(without)
    assert without.decryption_error is None


def test_a_capture_with_keys_is_not_divided(tmp_path: Path) -> None:
    path = tmp_path / "a.pcapng"
    for share in (0, 0.5, 1):
        path.write_bytes(as_pcapng(PLAIN, {share: secrets(KEYS)}))
        index = index_capture(path)
        assert not index.divisible
        assert len(index.partitions(2)) == 1
    path.write_bytes(as_pcapng(PLAIN, {}))
    assert index_capture(path).divisible


def test_damage_while_it_is_searched_is_left_to_the_reader() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 1000:
                raise OSError("the disk")
            return super().read(-1 if size is None else min(size, 2000))

    data = as_pcapng(pcap(*[bytes(500)] * 20), {1: secrets(KEYS)})
    file = Broken(data)
    assert look_for_keys(file) == (False, file)
    flows = read_flows(file)
    list(flows)
    assert "the file cannot be read: the disk" in str(flows.error)


def test_searching_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            sizes.append(size)
            return super().read(size)

    monkeypatch.setattr(embedded_keys, "SEARCH_SIZE", 1000)
    assert not look_for_keys(Watched(as_pcapng(PLAIN, {})))[0]
    assert set(sizes) == {12, 1000}
