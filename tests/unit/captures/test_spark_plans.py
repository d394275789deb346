"""What Spark's driver decides without Spark: paths, options, tasks, filters."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from pyspark.sql import datasource as filters
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.generate import Scenario
from mqbridge.captures.indexing import CapturePart, FlowShare, index_capture
from mqbridge.captures.spark.conditions import Conditions, read_filters
from mqbridge.captures.spark.folder_stream import FolderStream
from mqbridge.captures.spark.options import read_options
from mqbridge.captures.spark.paths import find_captures, is_url, local_path
from mqbridge.captures.spark.planning import (
    MOST_SHARES,
    CapturePiece,
    Task,
    divide,
    in_order,
    pack,
    parts_of,
    plan,
    whole_piece,
)
from mqbridge.captures.spark.spark_worker import piece_rows
from mqbridge.captures.tables import FlowRow, schema


def fill(folder: Path, *names: str, data: bytes = b"x") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


# paths


def test_folders_give_what_has_the_name_of_a_capture(tmp_path: Path) -> None:
    wanted = ["B.PCAPNG", "a.pcap", "c.pcap3", "d.cap.zst", "e/f.pcap.gz"]
    fill(tmp_path, *wanted, "a.txt", "a.pcap.part", ".a.pcap", ".git/a.pcap", "pcap")
    assert find_captures([str(tmp_path)]) == [str(tmp_path / name) for name in wanted]


def test_files_are_taken_whatever_their_name_and_once(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt", "b.pcap", "c[1].pcap")
    given = [str(tmp_path / "a.txt"), f"{tmp_path}/*.pcap", str(tmp_path / "c[1].pcap"), f"file://{tmp_path}/b.pcap"]
    assert find_captures(given) == [str(tmp_path / name) for name in ("a.txt", "b.pcap", "c[1].pcap")]


def test_captures_of_several_names_come_once_by_the_first(tmp_path: Path) -> None:
    fill(tmp_path / "folder", "a.pcap", "below/b.pcap")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    (tmp_path / "other.pcap").symlink_to(tmp_path / "folder" / "a.pcap")
    os.link(tmp_path / "folder" / "below" / "b.pcap", tmp_path / "copy.pcap")
    folder, link, other = (str(tmp_path / name) for name in ("folder", "link", "other.pcap"))
    names = [f"{folder}/a.pcap", f"{folder}/below/b.pcap"]
    for twice in ([folder, f"{folder}/"], [folder, link], [folder, f"{folder}/../folder"], [folder, names[0], other]):
        assert find_captures(twice) == names
    assert find_captures([other, f"{tmp_path}/copy.pcap", folder]) == [other, f"{tmp_path}/copy.pcap"]
    assert find_captures([f"{tmp_path}/*/"]) == names


def test_a_name_behind_which_there_is_nothing_stays(tmp_path: Path) -> None:
    for name in ("a.pcap", "b.pcap"):
        (tmp_path / name).symlink_to(tmp_path / "nothing")
    assert find_captures([str(tmp_path), f"{tmp_path}/"]) == [f"{tmp_path}/a.pcap", f"{tmp_path}/b.pcap"]


def test_a_path_at_which_there_is_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        find_captures([str(tmp_path / "a.pcap")])
    with pytest.raises(FileNotFoundError, match="no file matches"):
        find_captures([f"{tmp_path}/*.pcap"])
    assert find_captures([f"{tmp_path}/*.pcap"], may_be_empty=True) == []


def test_urls_are_told_from_paths() -> None:
    assert is_url("s3a://bucket/a.pcap")
    assert is_url("file:/a.pcap")
    assert not is_url("C:/a.pcap")
    assert not is_url("captures/a.pcap")
    assert local_path("file:///a%20b.pcap") == "/a b.pcap"
    with pytest.raises(ValueError, match="no path that every worker can open"):
        local_path("hdfs://host/a.pcap")


# options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "packets"}, "table=packets: it may be .*flows"),
        ({"tabel": "flows"}, "no such option: tabel"),
        ({"partitions": "none"}, "partitions=none: a number from 1 is wanted"),
        ({"partitions": "0"}, "partitions=0: a number from 1 is wanted"),
        ({"bodies": "all"}, "bodies=all: it may be none, hash, bytes"),
        ({"settle": "soon"}, "settle=soon: seconds are wanted"),
        ({"version": "2"}, "version=2: the tables have version 1 here"),
        ({"across": "no"}, "across=no: it may be true, false"),
    ],
)
def test_wrong_options_say_what_is_wrong(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_options(options)


def test_options_are_read_without_regard_to_case() -> None:
    asked = read_options({"Path": "a", "paths": '["b", "c"]', "TABLE": "Flows", "maxFilesPerTrigger": "3"})
    assert (asked.paths, asked.table, asked.max_files) == (("a", "b", "c"), "flows", 3)
    assert asked.analysis("x").tables == {"flows"}
    assert read_options({"fields": "none"}).analysis("x").fields == frozenset()
    assert read_options({"fields": "A.B, C.D"}).analysis("x").fields == {"A.B", "C.D"}
    assert read_options({}).analysis("x").fields is None


def test_workers_get_the_whole_path_of_a_key_log() -> None:
    assert read_options({"keylog": "keys.log"}).keylog == os.path.abspath("keys.log")
    assert read_options({}).keylog is None


# tasks


def piece(name: str, size: int) -> CapturePiece:
    return CapturePiece(name, name, size)


def test_piles_are_balanced_and_hold_everything_once() -> None:
    pieces = [piece(str(size), size) for size in (5, 90, 10, 40, 50, 5)]
    piles = pack(pieces, 2)
    assert sorted(sum(each.size for each in pile) for pile in piles) == [100, 100]
    assert sorted(each for pile in piles for each in pile) == sorted(pieces)
    assert len(pack(pieces[:1], 5)) == 1


def test_piles_in_order() -> None:
    pieces = [piece(str(number), 4) for number in range(7)]
    piles = in_order(pieces, 10)
    assert [each for pile in piles for each in pile] == pieces
    assert [len(pile) for pile in piles] == [2, 2, 2, 1]


def test_large_captures_are_divided_only_where_cores_would_idle() -> None:
    large = 1 << 30
    assert parts_of(1 << 20, 1 << 20, 8) == 1
    assert parts_of(large, large, 8) == 8
    assert parts_of(large, 100 * large, 8) == 1
    assert parts_of(large, 3 * large, 2) == 2


@pytest.mark.parametrize("count", [1, 2, 7, MOST_SHARES + 1])
@pytest.mark.parametrize("cut", [0, 20])
def test_pieces_give_the_rows_of_the_whole(tmp_path: Path, count: int, cut: int) -> None:
    path = tmp_path / "a.pcap"
    Scenario(seed=1, repeat=12, spread=0.1).build().save(path)
    os.truncate(path, path.stat().st_size - cut)
    pieces = divide(whole_piece(str(path)), count, None, across=True)
    parts = [each.part for each in pieces if each.part is not None]
    assert len(parts) == (count if count > 1 else 0)
    assert all(isinstance(part, FlowShare if count <= MOST_SHARES else CapturePart) for part in parts)
    options = AnalysisOptions(capture=str(path))
    found = sorted(repr(row) for each in pieces for row in piece_rows(each, options))
    assert found == sorted(map(repr, analyse_file(path, options)))
    assert ("C-901" in "".join(found)) is bool(cut)


@pytest.mark.parametrize("count", [1, 2, MOST_SHARES + 1])
def test_a_capture_that_is_gone_is_told_of_once(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.pcap"
    Scenario(seed=1, repeat=12).build().save(path)
    pieces = divide(whole_piece(str(path)), count, None, across=True)
    path.unlink()
    options = AnalysisOptions(capture=str(path), tables=frozenset({"findings"}))
    found = [row for each in pieces for row in piece_rows(each, options) if "cannot be opened" in repr(row)]
    assert len(found) == 1


def test_one_flow_of_a_divided_capture_is_read_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    Scenario(seed=1, repeat=12, spread=0.1).build().save(path)
    conditions = read_filters("segments", [filters.EqualTo(("flow",), 7)])
    pieces = divide(whole_piece(str(path)), 4, None, across=False, conditions=conditions)
    read = [flow.id for each in pieces if isinstance(each.part, CapturePart) for flow in each.part.flows]
    assert read == [7]
    options = read_options({"table": "flows"}).analysis(str(path))
    rows = [row for each in pieces for row in piece_rows(each, options)]
    assert rows == [row for row in analyse_file(path, options) if isinstance(row, FlowRow) and row.flow == 7]
    assert len(index_capture(path).flows) == 24


def test_what_the_index_says_of_a_capture_is_enough_for_its_row(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    Scenario(seed=1, repeat=12).build().save(path)
    asked = read_options({"table": "captures", "partitions": "4"})
    tasks = plan([str(path)], asked, Conditions("captures"))
    pieces = [each for task in tasks if isinstance(task, Task) for each in task.pieces]
    assert [each.part for each in pieces] == [None]
    assert pieces[0].summary is not None
    options = asked.analysis(str(path))
    assert list(piece_rows(pieces[0], options)) == list(analyse_file(path, options))


def test_captures_of_which_no_row_is_wanted_are_not_read(tmp_path: Path) -> None:
    fill(tmp_path, "a.pcap", "b.pcap")
    names = find_captures([str(tmp_path)])
    conditions = read_filters("flows", [filters.StringEndsWith(("capture",), "b.pcap")])
    tasks = plan(names, read_options({"table": "flows"}), conditions)
    assert [each.capture for task in tasks if isinstance(task, Task) for each in task.pieces] == [names[1]]


# filters


def row(**values: object) -> tuple[object, ...]:
    return tuple(values.get(column.name) for column in schema("flows"))


@pytest.mark.parametrize(
    ("condition", "yes", "no"),
    [
        (filters.EqualTo(("kind",), "tls"), "tls", "unknown"),
        (filters.Not(filters.EqualTo(("kind",), "tls")), "unknown", "tls"),
        (filters.In(("kind",), ("tls", "unknown")), "tls", "client-connection"),
        (filters.StringStartsWith(("kind",), "cli"), "client-connection", "tls"),
        (filters.StringContains(("kind",), "ien"), "client-connection", "tls"),
        (filters.GreaterThan(("kind",), "m"), "tls", "client-connection"),
        (filters.LessThanOrEqual(("kind",), "m"), "client-connection", "tls"),
        (filters.IsNotNull(("kind",)), "tls", None),
        (filters.EqualTo(("kind",), "tls"), "tls", None),
        (filters.Not(filters.EqualTo(("kind",), "tls")), "unknown", None),
    ],
)
def test_conditions_are_tried_on_rows(condition: filters.Filter, yes: str, no: str | None) -> None:
    read = read_filters("flows", [condition])
    assert read.admit(row(kind=yes))
    assert not read.admit(row(kind=no))


def test_times_are_compared_with_room_for_microseconds() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    read = read_filters("flows", [filters.GreaterThan(("start",), moment), filters.LessThan(("end",), moment)])
    at = moment.timestamp()
    assert read.admit(row(start=at + 1, end=at - 1))
    assert read.admit(row(start=at, end=at))
    assert not read.admit(row(start=at - 1, end=at - 1))
    assert not read.admit(row(start=at + 1, end=at + 1))


@pytest.mark.parametrize(
    "condition",
    [
        filters.EqualTo(("common", "channel"), "A"),
        filters.IsNull(("kind",)),
        filters.EqualTo(("no_such",), 1),
        filters.EqualTo(("kind",), None),
        filters.Not(filters.EqualTo(("start",), datetime(2026, 1, 1, tzinfo=UTC))),
        filters.EqualTo(("agreed",), {}),
    ],
)
def test_what_is_not_understood_is_left_to_spark(condition: filters.Filter) -> None:
    assert read_filters("flows", [condition]).all == []


def test_values_that_cannot_be_compared_are_left_to_spark() -> None:
    assert read_filters("flows", [filters.GreaterThan(("kind",), 3)]).admit(row(kind="tls"))
    assert Conditions("flows").admit(row())


# streams


def test_offsets_name_the_files_that_were_taken(tmp_path: Path) -> None:
    stream = FolderStream(read_options({"path": str(tmp_path), "table": "flows"}), ["flow"])
    start = stream.initialOffset()
    assert stream.latestOffset(start, ReadAllAvailable()) == start
    fill(tmp_path, "b.pcap", "a.pcap", "c.pcap.part")
    fill(tmp_path, "empty.pcap", data=b"")
    os.utime(tmp_path / "b.pcap", ns=(1, 1))
    first = stream.latestOffset(start, ReadMaxFiles(1))
    assert first == {"files": {str(tmp_path / "b.pcap"): "1@1"}}
    then = stream.latestOffset(first, ReadAllAvailable())
    assert list(then["files"]) == [str(tmp_path / "a.pcap"), str(tmp_path / "b.pcap")]
    assert stream.latestOffset(then, ReadAllAvailable()) == then
    tasks = stream.partitions(first, then)
    assert [each.capture for task in tasks if isinstance(task, Task) for each in task.pieces] == [
        str(tmp_path / "a.pcap")
    ]
    assert stream.partitions(then, then) == []


def test_files_that_are_gone_are_forgotten_with_the_next_new_one(tmp_path: Path) -> None:
    stream = FolderStream(read_options({"path": str(tmp_path)}), [])
    fill(tmp_path, "a.pcap")
    one = stream.latestOffset(stream.initialOffset(), ReadAllAvailable())
    (tmp_path / "a.pcap").unlink()
    assert stream.latestOffset(one, ReadAllAvailable()) == one
    fill(tmp_path, "b.pcap")
    assert list(stream.latestOffset(one, ReadAllAvailable())["files"]) == [str(tmp_path / "b.pcap")]


def test_a_stream_waits_until_a_file_is_left_alone(tmp_path: Path) -> None:
    stream = FolderStream(read_options({"path": str(tmp_path), "settle": "100"}), [])
    fill(tmp_path, "a.pcap", "b.pcap")
    os.utime(tmp_path / "a.pcap", ns=(1, 1))
    assert list(stream.latestOffset(stream.initialOffset(), ReadAllAvailable())["files"]) == [str(tmp_path / "a.pcap")]


def test_what_comes_after_available_now_is_left(tmp_path: Path) -> None:
    stream = FolderStream(read_options({"path": str(tmp_path)}), [])
    fill(tmp_path, "a.pcap")
    stream.prepareForTriggerAvailableNow()
    fill(tmp_path, "b.pcap")
    assert list(stream.latestOffset(stream.initialOffset(), ReadAllAvailable())["files"]) == [str(tmp_path / "a.pcap")]
