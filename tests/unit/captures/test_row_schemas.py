"""The schemas of the tables say what the rows are."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mqbridge.captures.tables import SCHEMA_VERSION, TABLES, CommonFields, FlowRow, ddl, schema

KINDS = {"string", "int", "long", "double", "boolean", "binary", "timestamp", "array<string>", "map<string,string>"}


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_the_fields_of_the_row(table: str) -> None:
    columns = schema(table)
    assert tuple(column.name for column in columns) == TABLES[table]._fields
    assert columns[0] == ("capture", "string", False)
    for column in columns:
        assert column.type in KINDS or isinstance(column.type, tuple)


def test_times_numbers_and_what_may_be_missing() -> None:
    columns = {column.name: column for column in schema("messages")}
    assert columns["time"] == ("time", "timestamp", False)
    assert columns["confirm_time"] == ("confirm_time", "timestamp", True)
    assert columns["latency"] == ("latency", "double", True)
    assert columns["flow"].type == "int"
    assert columns["length"].type == "long"
    assert columns["body"] == ("body", "binary", True)
    (common,) = (column for column in schema("segments") if column.name == "common")
    assert common.nullable
    assert isinstance(common.type, tuple)
    assert tuple(column.name for column in common.type) == CommonFields._fields
    assert all(column.nullable for column in common.type)


def test_the_notation_of_spark() -> None:
    assert ddl("findings").startswith("`capture` string not null, `rule` string not null, `severity` string not null")
    assert "`common` struct<`channel`:string, " in ddl("segments")
    assert "`fields` map<string,string>," in ddl("segments")
    assert "`packets` bigint not null" in ddl("flows")


def test_flows_hold_what_the_json_form_says() -> None:
    wanted = {"client", "server", "start", "end", "kind", "channel", "queue_manager", "segments", "messages", "outcome"}
    assert wanted | {"flow", "capture", "reason"} <= set(FlowRow._fields)
    assert SCHEMA_VERSION == 1


def test_an_unknown_table_has_no_schema() -> None:
    with pytest.raises(KeyError):
        schema("packets")


def test_rows_and_analysis_load_no_heavy_library() -> None:
    program = (
        "import sys, mqbridge.captures, mqbridge.captures.tables, mqbridge.captures.analysis\n"
        "import mqbridge.bridge.cli.replay\n"
        "print([name for name in ('numpy', 'pandas', 'pyarrow', 'pyspark', 'twisted') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
