"""Any bytes as message data: headers or a documented error, never past the end, never slow, never large."""

from __future__ import annotations

import random
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol import structures
from mqbridge.protocol.chain import HEADER_FORMATS, MAX_HEADERS, walk, walk_unknown
from mqbridge.protocol.constants import STRUC_IDS, ByteOrder
from mqbridge.protocol.errors import ConversionError, StructureError
from mqbridge.protocol.structures import PARAMETERS, make_pcf, make_rfh2, parse_parameters, parse_pcf
from mqbridge.protocol.structures.rfh2 import MAX_FOLDERS
from support.captures.header_strategies import chains
from support.captures.vectors import thesis

READERS = [
    getattr(structures, "parse_" + name)
    for name in ("dlh", "mde", "dh", "rfh", "rfh2", "cih", "iih", "wih", "rmh", "tm", "tmc2", "pcf")
]
FORMATS = sorted(HEADER_FORMATS)
ORDERS = st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])
BEGINNINGS = st.sampled_from(sorted(STRUC_IDS)) | st.binary(max_size=4)
VERSIONS = st.sampled_from([b"\0\0\0\1", b"\1\0\0\0", b"\0\0\0\2", b"\2\0\0\0"]) | st.binary(max_size=4)
LENGTHS = st.integers(0, 400).map(lambda number: number.to_bytes(4, "big")) | st.binary(max_size=4)


@st.composite
def hostile(draw: st.DrawFn) -> bytes:
    """Bytes that begin as a header does."""
    return draw(BEGINNINGS) + draw(VERSIONS) + draw(LENGTHS) + draw(st.binary(max_size=200))


@given(hostile(), ORDERS)
@pytest.mark.spec("mq-wire.md 5.15")
def test_any_bytes_are_a_header_or_the_documented_error(raw: bytes, order: ByteOrder) -> None:
    for reader in READERS:
        for offset in (0, 3, len(raw), len(raw) + 5):
            try:
                header = reader(raw, offset, order)
            except StructureError:
                continue
            built = header.build()
            assert built == raw[offset : offset + len(built)]


@given(hostile(), st.sampled_from(FORMATS) | st.text(max_size=8), st.integers(-(2**31), 2**32 - 1), st.integers())
@pytest.mark.spec("mq-wire.md 5.15")
def test_any_bytes_are_a_chain(raw: bytes, format_name: str, encoding: int, ccsid: int) -> None:
    for value in (encoding, 0x111, 0x222):
        chain = walk(format_name, value, ccsid, raw)
        assert chain.build() == raw
        assert 0 <= chain.body_offset <= len(raw)
        assert len(chain.links) <= MAX_HEADERS
        assert chain.stopped is None or isinstance(chain.stopped, StructureError | ConversionError)
    assert walk_unknown(raw).build() == raw


@given(chains(), st.randoms(use_true_random=False))
def test_spoilt_chains(drawn: tuple[str, int, int, bytes, list[str], bytes, str], source: random.Random) -> None:
    format_name, encoding, ccsid, data, _, _, _ = drawn
    raw = spoil(data, source)
    chain = walk(format_name, encoding, ccsid, raw)
    assert chain.build() == raw


def spoil(data: bytes, source: random.Random) -> bytes:
    """Flip, cut, double and insert."""
    raw = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at = source.randint(0, len(raw))
        match source.randint(0, 3):
            case 0 if at < len(raw):
                raw[at] = source.randint(0, 255)
            case 1:
                del raw[at:]
            case 2:
                raw[at:at] = raw[at : at + source.randint(0, 60)]
            case _:
                raw[at:at] = source.randbytes(source.randint(0, 8))
    return bytes(raw)


def test_spoilt_real_data() -> None:
    source = random.Random(2003)
    data = thesis(3)[48:]
    for _ in range(500):
        raw = spoil(data, source)
        chain = walk("MQXMIT", 0x222, 437, raw)
        assert chain.build() == raw


@given(st.binary(max_size=200), st.integers(0, 2**32 - 1), ORDERS)
@pytest.mark.spec("mq-wire.md 5.16")
def test_any_bytes_are_parameters_or_the_documented_error(raw: bytes, count: int, order: ByteOrder) -> None:
    try:
        parameters, end = parse_parameters(raw, 0, count, order)
    except StructureError:
        return
    assert end <= len(raw)
    assert b"".join(parameter.build(order) for parameter in parameters) == raw[:end]


@pytest.mark.parametrize("kind", [*PARAMETERS, 0, 99])
def test_counts_that_promise_more_than_there_is_take_neither_time_nor_memory(kind: int) -> None:
    body = b"".join(value.to_bytes(4, "big") for value in (kind, 64, 1)) + b"\xff\xff\xff\xff" * 13
    zeros = b"".join(value.to_bytes(4, "big") for value in (6, 64, 1, 0, 0xFFFFFFFF, 0)) + bytes(40)
    tracemalloc.start()
    started = time.process_time()
    for raw in (body, zeros):
        message = make_pcf(ByteOrder.BIG, 1, []).build()[:-4] + b"\xff\xff\xff\xff" + raw
        for call in (
            lambda message=message: parse_pcf(message, 0, ByteOrder.BIG),
            lambda raw=raw: parse_parameters(raw, 0, 0xFFFFFFFF, ByteOrder.BIG),
        ):
            with pytest.raises(StructureError):
                call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert time.process_time() - started < 2


def test_folders_are_read_once_and_a_megabyte_of_empty_ones_ends_at_the_limit() -> None:
    most = make_rfh2(ByteOrder.BIG, [b""] * MAX_FOLDERS, format=b"MQSTR   ").build()
    raw = make_rfh2(ByteOrder.BIG, [b""] * 250_000, format=b"MQSTR   ").build()
    started = time.process_time()
    whole, chain = walk("MQHRF2", 0x111, 819, most), walk("MQHRF2", 0x111, 819, raw)
    assert time.process_time() - started < 0.5
    assert whole.stopped is None
    assert whole.body_length == 0
    assert str(chain.stopped) == f"RFH2 at offset {36 + 4 * MAX_FOLDERS}: more than {MAX_FOLDERS} folders"
    assert chain.links == []
    assert chain.body_offset == 0
