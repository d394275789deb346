"""What quick readers and the quick walk tell of segments is what the general dissection tells, whatever the bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.protocol import structures
from mqbridge.protocol.constants import ByteOrder, ControlFlags1, SegmentType
from mqbridge.protocol.dissection import quick_layouts, quick_segments
from mqbridge.protocol.dissection.quick_layouts import MAX_VALUE, reader_of, texts_of
from mqbridge.protocol.dissection.quick_segments import QuickStructures, general_structures, quick_structures
from mqbridge.protocol.dissection.shown import show
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.structures import MD, MSH, XQH
from support.captures.damaged_segments import SEGMENTS, damaged_segments, segment_of
from support.captures.header_strategies import chains
from support.captures.vectors import thesis
from support.transcripts.client_transcripts import transcript, transcript_names

ORDERS = st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE])
CCSIDS = st.sampled_from([37, 437, 500, 819, 932, 1200, 1208, 13488])
STRUCTURES = {name: value for name, value in vars(structures).items() if isinstance(value, Structure)}
EACH = pytest.mark.parametrize("structure", STRUCTURES.values(), ids=STRUCTURES)
WITHOUT_READER = {"CAUT", "CAUT_13", "PING"}
"""Those that end with all the bytes that are left."""
BITS = [0, 0x10, 0x20, 0x30, 0x40]
MOSTLY_SMALL = bytes(byte if byte < 40 or byte > 200 else byte % 3 for byte in range(256))
"""So that counts and lengths fit now and then, and there is text too."""


def plain(found: QuickStructures) -> list[tuple[str, list[tuple[str, bool, str]]]]:
    """Names of structures, and of their fields whether they are numbers, and the text."""
    shapes, texts = found
    left = iter(texts)
    structures = [
        (
            shape.name,
            [(field, place in shape.numbers, next(left)[:MAX_VALUE]) for place, field in enumerate(shape.fields)],
        )
        for shape in shapes
    ]
    assert not list(left)
    return structures


def assert_same(data: bytes) -> None:
    segment = segment_of(data)
    quick = quick_structures(segment)
    assert plain(quick) == plain(general_structures(segment))
    if not any(shape.uncut for shape in quick[0]):
        assert max(map(len, quick[1]), default=0) <= MAX_VALUE


@EACH
@settings(max_examples=10)
@given(data=st.data(), order=ORDERS, ccsid=CCSIDS)
def test_a_reader_gives_what_is_shown(structure: Structure, data: st.DataObject, order: ByteOrder, ccsid: int) -> None:
    reader = reader_of(structure, order, "shown")
    if reader is None:
        return
    start = data.draw(st.integers(0, 5))
    length = data.draw(st.one_of(st.integers(0, 100), st.integers(100, 2_000)))
    raw = data.draw(st.randoms(use_true_random=False)).randbytes(start + length).translate(MOSTLY_SMALL)
    end = data.draw(st.integers(start, len(raw)))
    shown, error = show(structure, raw, start, end, order, ccsid, 0, "shown")
    texts: list[str] = ["before"]
    read = reader(raw, start, end, texts_of(ccsid, order), texts)
    if error is not None:
        assert read is None
        return
    assert read is not None
    shape, stop = read
    fields = shown["fields"]
    assert (shape.name, list(shape.fields)) == (shown["structure"], list(fields))
    assert texts == ["before", *(str(value)[:MAX_VALUE] for value in fields.values())]
    assert [place in shape.numbers for place in range(len(fields))] == [isinstance(v, int) for v in fields.values()]
    assert stop == shown["length"] + start


@pytest.mark.parametrize("order", [ByteOrder.BIG, ByteOrder.LITTLE])
def test_most_layouts_have_a_reader(order: ByteOrder) -> None:
    assert {name for name, one in STRUCTURES.items() if reader_of(one, order, name) is None} == WITHOUT_READER


@given(damaged_segments(whole_header=True))
def test_damaged_segments(data: bytes) -> None:
    assert_same(data)


@given(st.sampled_from(SEGMENTS), st.data())
def test_segments_with_other_flags_and_code_pages(sample: bytes, data: st.DataObject) -> None:
    changed = bytearray(sample)
    at = 17 if sample[3:4] in (b"M", b"\xd4") else 9
    for place, values in ((at, [0x84, 0x96, 0xA1, sample[at]]), (at + 1, BITS), (at + 2, [0, 0, 0, 1, 2, 4, 255])):
        changed[place] = data.draw(st.sampled_from(values))
    ccsid = data.draw(st.sampled_from([0, 37, 437, 1200, 1208, 65535]))
    changed[at + 15 : at + 17] = ccsid.to_bytes(2, "big" if changed[at - 1] == 1 else "little")
    assert_same(bytes(changed))


@given(st.integers(1, 0xBA), st.binary(max_size=300), ORDERS, st.sampled_from(BITS))
def test_any_body_of_any_type(segment_type: int, body: bytes, order: ByteOrder, flags1: int) -> None:
    assert_same(SegmentWriter(order).build(segment_type, body, flags1=flags1))


@given(chains(), ORDERS, st.booleans(), st.data())
def test_headers_of_messages(drawn: Any, order: ByteOrder, second: bool, data: st.DataObject) -> None:
    message_format, encoding, ccsid, content, *_ = drawn
    cut = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    codec = (MD if second else structures.MD1).codec(order)
    descriptor = codec(
        version=2 if second else 1,
        format=message_format.ljust(8).encode(),
        encoding=encoding,
        coded_char_set_id=ccsid,
    )
    front = MSH.codec(order)().build() + XQH.codec(order)().build() + descriptor.build()
    flags = int(ControlFlags1.FIRST | ControlFlags1.LAST)
    assert_same(SegmentWriter(order).build(SegmentType.MESSAGE_DATA, front, cut, flags1=flags))


@pytest.mark.parametrize("name", transcript_names())
def test_recorded_segments_of_clients(name: str) -> None:
    for recorded in transcript(name).segments:
        assert_same(recorded.data)


def test_nothing_ordinary_goes_the_general_way(monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary = [thesis(3), *(one.data for name in ("mqi-async", "jms-delay") for one in transcript(name).segments)]
    general: list[int] = []

    def note(segment: Segment) -> QuickStructures:
        general.append(segment.type)
        return (), []

    monkeypatch.setattr(quick_segments, "general_structures", note)
    for data in ordinary:
        quick_structures(segment_of(data))
    assert set(general) <= {SegmentType.CONAUTH_INFO, SegmentType.SPI_REPLY}


def test_texts_that_come_again_are_decoded_once_within_limits() -> None:
    texts = quick_layouts.Texts[bytes](bytes.decode)
    assert texts[b"one"] is texts[b"one"]
    long = bytes(quick_layouts.LONGEST_KEPT_TEXT + 1)
    assert texts[long] == long.decode()
    assert long not in texts
    for number in range(quick_layouts.MAX_TEXTS):
        assert texts[b"%d" % number] == str(number)
    assert len(texts) <= quick_layouts.MAX_TEXTS
