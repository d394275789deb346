"""From bytes of a file to findings: nothing breaks the analysis, and no fault of a capture is blamed on its traffic."""

from __future__ import annotations

import io
from functools import cache
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.captures import Direction, Packet, PacketReader, PcapWriter
from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.tables import TABLES
from mqbridge.captures.tables.rows import CaptureRow, FindingRow, Row, SegmentRow
from support.captures.files import record
from support.captures.vectors import thesis
from support.transcripts.client_transcripts import transcript, transcript_names

SEEDS = st.integers(0, 1 << 40)
LONGEST = 120
Sent = list[tuple[Direction, bytes]]


@cache
def conversations() -> list[Sent]:
    """Real ones: of clients of every kind, and of a message channel."""
    found = [
        [(Direction.INITIATOR if one.side == "client" else Direction.RESPONDER, one.data) for one in sent]
        for name in transcript_names()
        for sent in transcript(name).sockets()
    ]
    channel = [(Direction.RESPONDER if number == 2 else Direction.INITIATOR, thesis(number)) for number in range(1, 7)]
    return [sent for sent in found if len(sent) <= LONGEST] + [channel] * 20


EVERYTHING = AnalysisOptions(tables=frozenset(TABLES))


def rows_of(data: bytes, options: AnalysisOptions | None = None) -> list[Row]:
    rows = list(analyse_file(io.BytesIO(data), options))
    assert "C-999" not in {row.rule for row in rows if isinstance(row, FindingRow)}
    return rows


def errors(data: bytes) -> list[str]:
    return [row.rule for row in rows_of(data) if isinstance(row, FindingRow) and row.severity == "error"]


def damaged(sent: Sent, random: Random) -> Sent:
    """Bytes, words, order, number or length of some segments changed."""
    sent = list(sent)
    for _ in range(random.choice((1, 2, 5, 20))):
        place = random.randrange(len(sent))
        direction, data = sent[place]
        changed = bytearray(data)
        kind = random.randrange(5)
        if kind == 0:
            changed[random.randrange(len(data))] = random.randrange(256)
        elif kind == 1:
            word = random.randrange(len(data) // 4) * 4
            changed[word : word + 4] = random.choice((bytes(4), b"\xff" * 4, b"\x7f\xff\xff\xff", random.randbytes(4)))
        elif kind == 2:
            sent.insert(random.randrange(len(sent)), sent[place])
            continue
        elif kind == 3 and len(sent) > 1:
            del sent[place]
            continue
        else:
            del changed[random.randint(min(28, len(data)), len(data)) :]
            changed[4:8] = len(changed).to_bytes(4, "big")
        sent[place] = direction, bytes(changed)
    return sent


@given(SEEDS)
def test_no_traffic_breaks_the_analysis(seed: int) -> None:
    random = Random(seed)
    rows = rows_of(record(*damaged(random.choice(conversations()), random)), EVERYTHING)
    assert [type(row) for row in rows].count(CaptureRow) == 1


def without(packets: list[Packet], lost: set[int]) -> bytes:
    file = io.BytesIO()
    writer = PcapWriter(file, 101)
    for place, packet in enumerate(packets):
        if place not in lost:
            writer.write(packet.data, packet.time)
    return file.getvalue()


@given(SEEDS)
def test_what_a_capture_lost_is_no_error_of_the_traffic(seed: int) -> None:
    random = Random(seed)
    whole = record(*random.choice(conversations()))
    packets = list(PacketReader(io.BytesIO(whole)))
    begin = random.randrange(len(packets))
    lost = random.choice(
        (
            set(random.sample(range(len(packets)), random.randrange(1, 6))),
            set(range(begin, begin + random.randrange(1, 12))),
            set(range(begin)),  # it starts in the middle
        )
    )
    assert not set(errors(without(packets, lost))) - set(errors(whole))


@given(SEEDS)
def test_a_cut_file_gives_a_prefix_of_the_rows_and_a_finding(seed: int) -> None:
    random = Random(seed)
    whole = record(*random.choice(conversations()))
    cut = whole[: random.randrange(len(whole))]
    if seed % 2:  # most cuts are near the end, where most is to be compared
        cut = whole[: len(whole) - random.randrange(len(whole) // 8)]
    rows, all_rows = rows_of(cut, EVERYTHING), rows_of(whole, EVERYTHING)
    segments = [row for row in rows if isinstance(row, SegmentRow)]
    # A finding may come later than the segment that it stands at.
    place = SegmentRow._fields.index("offset")
    expected = [row[: place + 1] for row in all_rows if isinstance(row, SegmentRow)]
    assert expected
    assert [row[: place + 1] for row in segments] == expected[: len(segments)]
    (capture,) = [row for row in rows if isinstance(row, CaptureRow)]
    told = {row.rule for row in rows if isinstance(row, FindingRow)} & {"C-901", "C-903"}
    assert bool(told) is (capture.error is not None)
    assert capture.error is not None or capture.bytes == len(cut)
