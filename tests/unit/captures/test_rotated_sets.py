"""Rotated sets: which files make one, and that they are judged as the capture that they were divided from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse_file, analyse_set
from mqbridge.captures.reading.packets import Packet, PacketReader
from mqbridge.captures.rotated_sets import rotated_sets, set_name
from mqbridge.captures.tables import CaptureRow, FindingRow, FlowRow
from support.captures.analysed_rows import of
from support.captures.files import JMS_CAPTURE

OPTIONS = AnalysisOptions("capture", ALL_TABLES)
HEADER = 24
"""Bytes of the header of a pcap file."""


def pieces(count: int) -> list[bytes]:
    """The JMS capture in so many files, divided in the middle of connections."""
    with open(JMS_CAPTURE, "rb") as file:
        packets = list(PacketReader(file))
    size = -(-len(packets) // count)
    return [written(packets[at : at + size]) for at in range(0, len(packets), size)]


def written(packets: list[Packet]) -> bytes:
    head = b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(8) + (1 << 18).to_bytes(4, "little")
    records = [head + packets[0].link_type.to_bytes(4, "little")]
    for packet in packets:
        seconds, rest = divmod(round(packet.time * 1_000_000), 1_000_000)
        words = seconds, rest, len(packet.data), packet.original_length
        records += [b"".join(word.to_bytes(4, "little") for word in words), packet.data]
    return b"".join(records)


def save(folder: Path, *names: str) -> list[str]:
    paths = [folder / name for name in names]
    for path, data in zip(paths, pieces(len(names)), strict=True):
        path.write_bytes(data)
    return list(map(str, paths))


@pytest.mark.parametrize(
    "names",
    [
        ("file_00001.pcap", "file_00002.pcap", "file_00003.pcap"),
        ("s_00009_20260131120000.pcapng", "s_00010_20260131120100.pcapng", "s_00011_20260131120200.pcapng"),
        ("eth0.pcap", "eth0.pcap1", "eth0.pcap2"),
        ("QM1-20231114-221320-0001.pcap", "QM1-20231114-221325-0002.pcap", "QM1-20231115-000000-0003.pcap"),
    ],
)
def test_names_of_recorders(tmp_path: Path, names: tuple[str, ...]) -> None:
    paths = save(tmp_path, *names)
    assert rotated_sets(reversed(paths)) == [paths]
    assert set_name(paths) == f"{paths[0]} to {names[-1]}"


@pytest.mark.parametrize(
    "names",
    [
        ("file_00001.pcap", "file_00003.pcap"),  # one is missing
        ("file_00001.pcap", "other_00002.pcap"),
        ("file_00001.pcap", "file_00002.pcapng"),
        ("QM1-20231114-221320-0002.pcap", "QM1-20231115-000000-0001.pcap"),  # another start of the recorder
        ("monday_1.pcap", "monday_2.pcap"),  # so name people, too
        ("a.pcap", "b.pcap"),
    ],
)
def test_files_that_are_no_set(tmp_path: Path, names: tuple[str, str]) -> None:
    paths = save(tmp_path, *names)
    assert rotated_sets(paths) == [[path] for path in paths]


def test_times_that_go_back_and_files_that_cannot_be_read_are_no_set(tmp_path: Path) -> None:
    first, second, third = save(tmp_path, "file_00002.pcap", "file_00001.pcap", "file_00003.pcap")
    assert rotated_sets([second, first, third]) == [[second], [first, third]]
    Path(third).write_bytes(b"no capture")
    assert rotated_sets([first, third]) == [[first], [third]]


def test_a_set_is_judged_as_the_capture_that_it_is(tmp_path: Path) -> None:
    whole = list(analyse_file(JMS_CAPTURE, OPTIONS))
    paths = save(tmp_path, *(f"jms_{number:05}.pcap" for number in range(1, 8)))
    divided = list(analyse_set(paths, OPTIONS))
    assert [row for row in divided if not isinstance(row, CaptureRow)] == [
        row for row in whole if not isinstance(row, CaptureRow)
    ]
    alone = [row for path in paths for row in analyse_file(path, OPTIONS)]
    assert len(of(FlowRow, alone)) > len(of(FlowRow, divided))
    (row,) = of(CaptureRow, divided)
    assert (row.packets, row.readable) == (1514, True)


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-3]), "C-901"),
        (lambda path: path.write_bytes(b"no capture"), "C-902"),
        (lambda path: path.unlink(), "C-902"),
    ],
)
def test_a_file_of_a_set_that_cannot_be_read_is_a_finding(
    tmp_path: Path, damage: Callable[[Path], object], rule: str
) -> None:
    paths = save(tmp_path, *(f"jms_{number:05}.pcap" for number in (1, 2, 3)))
    damage(Path(paths[1]))
    rows = list(analyse_set(paths))
    (found,) = [row for row in of(FindingRow, rows) if row.rule in ("C-901", "C-902")]
    assert found.rule == rule
    assert "jms_00002.pcap: " in found.seen
    (row,) = of(CaptureRow, rows)
    assert row.readable
    assert max(flow.first_packet for flow in of(FlowRow, rows)) > 505, "what stands behind it is read"
