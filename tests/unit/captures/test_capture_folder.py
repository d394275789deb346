"""Folders and files that connections are recorded into: rotation, limits, and a disk that fails."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from mqbridge.captures import Direction, Endpoint, read_segments
from mqbridge.captures.analysis import analyse_set
from mqbridge.captures.recording.capture_file import CaptureFile
from mqbridge.captures.recording.capture_folder import CaptureFolder
from mqbridge.captures.recording.recorded_connection import RecordedConnection
from mqbridge.captures.rotated_sets import rotated_sets
from mqbridge.captures.tables import FlowRow
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import build_segment

CLIENT, SERVER = Endpoint("10.0.0.1", 40_000), Endpoint("10.0.0.2", 1414)
SEGMENT = build_segment(SegmentType.MESSAGE_DATA, bytes(972))
NOW = 1_700_000_000.0
IN, OUT = Direction.INITIATOR, Direction.RESPONDER


def folder(path: Path, **limits: object) -> CaptureFolder:
    given = {"file_size": 10_000, "file_time": 60.0, "keep": 1 << 30, **limits}
    return CaptureFolder(path, "QM1", **given)  # type: ignore[arg-type]


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


def talk(connection: RecordedConnection, count: int, now: float = NOW) -> None:
    for _ in range(count):
        connection.send(IN, SEGMENT, now)


def end(connection: RecordedConnection, now: float = NOW) -> None:
    connection.close(IN, now)
    connection.close(OUT, now)


def segments(path: Path) -> int:
    read = read_segments(path)
    count = sum(1 for _ in read)
    assert read.flows.error is None
    return count


def test_a_file_is_unfinished_until_it_is_full_and_its_connections_have_ended(tmp_path: Path) -> None:
    captures = folder(tmp_path)
    first = captures.connect(CLIENT, SERVER, NOW)
    talk(first, 12)
    assert names(tmp_path) == ["QM1-20231114-221320-0001.pcap.part"]
    second = captures.connect(CLIENT._replace(port=40_001), SERVER, NOW)
    talk(second, 1)
    end(first)
    assert names(tmp_path) == ["QM1-20231114-221320-0001.pcap", "QM1-20231114-221320-0002.pcap.part"]
    captures.close()
    assert [segments(tmp_path / name) for name in names(tmp_path)] == [12, 1]


def test_a_connection_that_goes_on_and_on_moves_to_the_next_file_with_its_numbers(tmp_path: Path) -> None:
    captures = folder(tmp_path)
    connection = captures.connect(CLIENT, SERVER, NOW)
    talk(connection, 50)
    end(connection)
    captures.close()
    files = [tmp_path / name for name in names(tmp_path)]
    assert len(files) == 3
    assert all(file.stat().st_size < 23_000 for file in files)
    whole = io.BytesIO(files[0].read_bytes() + b"".join(file.read_bytes()[24:] for file in files[1:]))
    read = read_segments(whole)
    found = list(read)
    assert [each.flow.id for each in found] == [1] * 50
    assert not read.flows.unread
    (rotated,) = rotated_sets(map(str, files))
    flows = [row for row in analyse_set(rotated) if isinstance(row, FlowRow)]
    assert [(row.segments, row.outcome, row.lost) for row in flows] == [(50, "cut", 0)]


def test_time_ends_a_file_without_a_word_being_said(tmp_path: Path) -> None:
    captures = folder(tmp_path)
    connection = captures.connect(CLIENT, SERVER, NOW)
    end(connection)
    captures.tick(NOW + 59)
    assert names(tmp_path)[0].endswith(".part")
    captures.tick(NOW + 60)
    assert names(tmp_path)[0].endswith(".pcap")


def test_what_was_recorded_can_be_read_while_the_file_grows(tmp_path: Path) -> None:
    captures = folder(tmp_path)
    talk(captures.connect(CLIENT, SERVER, NOW), 3)
    captures.tick(NOW + 1)
    assert segments(tmp_path / names(tmp_path)[0]) == 3
    captures.close()


def test_the_oldest_files_are_deleted_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "other.pcap").write_bytes(bytes(50_000))
    captures = folder(tmp_path, keep=30_000)
    for step in range(6):
        connection = captures.connect(CLIENT, SERVER, NOW + step)
        talk(connection, 11, NOW + step)
        end(connection, NOW + step)
        finished = tmp_path / f"QM1-20231114-22132{step}-000{step + 1}.pcap"
        os.utime(finished, (NOW + step, NOW + step))
    captures.close()
    assert names(tmp_path) == ["QM1-20231114-221324-0005.pcap", "QM1-20231114-221325-0006.pcap", "other.pcap"]


def test_files_that_a_killed_process_left_are_finished(tmp_path: Path) -> None:
    first = folder(tmp_path)
    talk(first.connect(CLIENT, SERVER, NOW), 2)
    first.close()
    [finished] = tmp_path.iterdir()
    finished.rename(finished.with_name(f"{finished.name}.part"))
    second = folder(tmp_path)
    assert names(tmp_path) == ["QM1-20231114-221320-0001.pcap"]
    talk(second.connect(CLIENT, SERVER, NOW), 2)
    assert len(names(tmp_path)) == 2
    second.close()
    assert len(names(tmp_path)) == 2


def test_only_the_owner_reads_captures(tmp_path: Path) -> None:
    captures = folder(tmp_path / "new")
    captures.connect(CLIENT, SERVER, NOW)
    captures.close()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert next((tmp_path / "new").iterdir()).stat().st_mode & 0o777 == 0o600


def test_a_full_disk_ends_the_recording_and_nothing_else() -> None:
    told: list[OSError] = []
    captures = CaptureFile(Path("/dev/full"), NOW, failed=told.append)
    connection = captures.connect(CLIENT, SERVER, NOW)
    talk(connection, 1000)
    captures.tick(NOW)
    talk(connection, 1000)
    end(connection)
    assert [error.errno for error in told] == [28]
    assert captures.over


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_made_is_said_at_once(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        folder(tmp_path / "new")


def test_passwords_are_masked_unless_they_are_asked_for(tmp_path: Path) -> None:
    body = b"UID " + b"app         " + b"secret      " + b"app".ljust(64) + bytes(40)
    sign_on = build_segment(SegmentType.USERID_DATA, body)
    for passwords in (False, True):
        path = tmp_path / f"{passwords}.pcap"
        captures = CaptureFile(path, NOW, passwords=passwords)
        connection = captures.connect(CLIENT, SERVER, NOW)
        for byte in sign_on:
            connection.send(IN, bytes([byte]), NOW)
        connection.reset(OUT, NOW)
        captures.close()
        [segment] = read_segments(path)
        assert (b"secret" in segment.data) is passwords  # type: ignore[union-attr]


def test_a_recording_in_the_same_folder_is_left_alone(tmp_path: Path) -> None:
    first = folder(tmp_path)
    one = first.connect(CLIENT, SERVER, NOW)
    talk(one, 3)
    second = folder(tmp_path)
    other = second.connect(CLIENT, SERVER, NOW)
    talk(other, 2)
    assert names(tmp_path) == ["QM1-20231114-221320-0001.pcap.part", "QM1-20231114-221320-0002.pcap.part"]
    first.close()
    second.close()
    assert [segments(tmp_path / name) for name in names(tmp_path)] == [3, 2]


def test_a_capture_that_another_recording_writes_is_not_emptied(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    captures = CaptureFile(path, NOW)
    talk(captures.connect(CLIENT, SERVER, NOW), 3)
    captures.tick(NOW)
    with pytest.raises(BlockingIOError, match="another recording"):
        CaptureFile(path, NOW)
    captures.close()
    assert segments(path) == 3


def test_a_capture_that_is_overwritten_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    path.write_bytes(bytes(10_000))
    path.chmod(0o644)
    captures = CaptureFile(path, NOW)
    talk(captures.connect(CLIENT, SERVER, NOW), 3)
    captures.close()
    assert path.stat().st_mode & 0o777 == 0o600
    assert segments(path) == 3


def test_whole_packets_are_in_the_file_whenever_it_is_read(tmp_path: Path) -> None:
    captures = CaptureFile(tmp_path / "a.pcap", NOW)
    connection = captures.connect(CLIENT, SERVER, NOW)
    sizes = set()
    for _ in range(2000):
        talk(connection, 1)
        size = (tmp_path / "a.pcap").stat().st_size
        if size and size not in sizes:
            sizes.add(size)
            segments(tmp_path / "a.pcap")
    assert len(sizes) > 3
    captures.close()
    assert segments(tmp_path / "a.pcap") == 2000
