"""Rows as Arrow and Parquet: schema as declared, values as they were."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse_file
from mqbridge.captures.tables import TABLES, BatchRow, CaptureRow, Column, FindingRow, Row, SegmentRow, Type, schema
from support.captures.files import JMS_CAPTURE

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
import pyarrow.parquet as pq

from mqbridge.captures.tables import arrow, parquet
from mqbridge.captures.tables.arrow import VERSION_KEY, arrow_schema, record_batch, record_batches
from mqbridge.captures.tables.parquet import ParquetTables

FINDING = FindingRow("a.pcap", "C-201", "error", 1, 7, 1757764107.25, "title", "8", "9", "channels.md 5.3")


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    options = AnalysisOptions("jms", ALL_TABLES, "bytes")
    return list(analyse_file(JMS_CAPTURE, options))


def plain(value: Any, kind: Type) -> Any:
    """A value of a row as Arrow gives it back."""
    if value is None:
        return None
    if kind == "timestamp":
        return datetime.fromtimestamp(round(value * 1e6) / 1e6, UTC)
    if kind == "map<string,string>":
        return list(value.items())
    if isinstance(kind, tuple):
        return as_dict(value, kind)
    return value


def as_dict(row: Sequence[Any], columns: tuple[Column, ...]) -> dict[str, Any]:
    return {column.name: plain(value, column.type) for column, value in zip(columns, row, strict=True)}


@pytest.mark.parametrize("table", TABLES)
def test_the_schema_is_the_declared_one(table: str) -> None:
    declared = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "double": pa.float64(),
        "boolean": pa.bool_(),
        "binary": pa.binary(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }
    found = arrow_schema(table)
    assert found.metadata[VERSION_KEY] == b"1"
    assert [(field.name, field.nullable) for field in found] == [(one.name, one.nullable) for one in schema(table)]
    for field, column in zip(found, schema(table), strict=True):
        if column.type in declared:
            assert field.type == declared[column.type]
        elif isinstance(column.type, tuple):
            assert [inner.name for inner in field.type] == [inner.name for inner in column.type]
        else:
            assert str(field.type).startswith(("list", "map"))


@pytest.mark.parametrize("table", TABLES)
def test_parquet_gives_back_every_value(table: str, rows: list[Row], tmp_path: Path) -> None:
    with ParquetTables(tmp_path, ALL_TABLES) as tables:
        for row in rows:
            tables.write(row)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(f"{name}.parquet" for name in TABLES)
    read = pq.read_table(tmp_path / f"{table}.parquet")
    mine = [row for row in rows if isinstance(row, TABLES[table])]
    assert read.schema.equals(arrow_schema(table), check_metadata=False)
    assert read.to_pylist() == [as_dict(row, schema(table)) for row in mine]
    if table in ("segments", "flows", "messages", "calls"):
        assert mine


def test_batches_have_a_limit_and_an_order() -> None:
    found = [FINDING._replace(packet=number) for number in range(25)]
    batches = list(record_batches("findings", found, 10))
    assert [batch.num_rows for batch in batches] == [10, 10, 5]
    assert pa.Table.from_batches(batches)["packet"].to_pylist() == list(range(25))
    assert list(record_batches("findings", [])) == []
    assert record_batch("segments", []).num_rows == 0


def test_batches_of_heavy_rows_end_early(rows: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "BATCH_BYTES", 100 * arrow.ENTRY_BYTES)
    segments = [row for row in rows if isinstance(row, SegmentRow)]
    batches = list(record_batches("segments", segments))
    assert len(batches) > 10
    for batch in batches:
        *before, _ = [len(fields or ()) for fields in batch["fields"].to_pylist()]
        assert sum(before) < 100
    whole = pa.Table.from_batches([record_batch("segments", segments)])
    assert pa.Table.from_batches(batches).to_pylist() == whole.to_pylist()


def test_row_groups_hold_several_batches(rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "BATCH_ROWS", 10)
    monkeypatch.setattr(parquet, "GROUP_ROWS", 40)
    segments = [row for row in rows if isinstance(row, SegmentRow)]
    with ParquetTables(tmp_path, frozenset(("segments",))) as tables:
        for row in segments:
            tables.write(row)
    file = pq.ParquetFile(tmp_path / "segments.parquet")
    groups = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
    assert groups == [40] * (len(segments) // 40) + [len(segments) % 40] * (len(segments) % 40 > 0)
    assert len(groups) > 2
    assert file.read().to_pylist() == pa.Table.from_batches([record_batch("segments", segments)]).to_pylist()


def test_maps_that_are_missing_or_empty_stay_so(rows: list[Row]) -> None:
    first = next(row for row in rows if isinstance(row, SegmentRow))
    maps = [None, {}, {"a": "1", "b": ""}, None, {"ä": "ü"}]
    batch = record_batch("segments", [first._replace(fields=fields) for fields in maps])
    found = batch["fields"].to_pylist()
    assert found == [None, [], [("a", "1"), ("b", "")], None, [("ä", "ü")]]


def test_missing_values_are_null() -> None:
    row = BatchRow("a", 1, "initiator", 1, "00", 1, 3, 3, 300, 1.5, 7, 2.25, None, None, "in doubt")
    (read,) = record_batch("batches", [row]).to_pylist()
    assert read["asked"] == datetime(1970, 1, 1, 0, 0, 2, 250_000, tzinfo=UTC)
    assert read["confirmed"] is None
    assert read["latency"] is None


def test_tables_can_be_asked_like_a_database(rows: list[Row]) -> None:
    compute = pytest.importorskip("pyarrow.compute")
    calls = pa.Table.from_batches(record_batches("calls", [row for row in rows if isinstance(row, TABLES["calls"])]))
    refused = calls.filter(compute.equal(calls["reason"], 2035))
    assert set(refused["name"].to_pylist()) == {"MQCONN"}
    messages = pa.Table.from_batches(
        record_batches("messages", [row for row in rows if isinstance(row, TABLES["messages"])])
    )
    messages = messages.select(["msg_id", "body_sha256"])
    joined = messages.join(messages, "msg_id", right_suffix=" again", join_type="inner")
    assert joined.num_rows == messages.num_rows == 16
    assert joined["body_sha256"].to_pylist() == joined["body_sha256 again"].to_pylist()


def test_an_error_leaves_no_file_that_looks_whole(tmp_path: Path) -> None:
    def fail(tables: ParquetTables) -> None:
        with tables:
            tables.write(FINDING)
            tables.write(CaptureRow("a.pcap", 1, 2, 0, True, None))  # of a table that is not written
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail(ParquetTables(tmp_path / "new", frozenset(("findings",))))
    assert list((tmp_path / "new").iterdir()) == []
