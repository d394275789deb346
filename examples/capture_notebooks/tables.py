"""Tables of captures as pandas data frames, for the notebooks beside this file.

They run as they are (``python slowest_calls.py``), cell by cell in an editor that knows ``# %%``, and with captures of
your own: ``python slowest_calls.py folder/*.pcap other-folder/``. With ``--spark``, and ``--spark=spark://host:7077``
for a cluster, Spark reads the captures, and only the columns that are needed come here.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas
import pyarrow

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.generate import Builder, Scenario
from mqbridge.captures.spark.paths import find_captures
from mqbridge.captures.tables import TABLES
from mqbridge.captures.tables.arrow import arrow_schema, record_batches

SPARK = [argument.partition("=")[2] for argument in sys.argv[1:] if argument.partition("=")[0] == "--spark"]
ARGUMENTS = [argument for argument in sys.argv[1:] if not argument.startswith("--")]


def given(make: Callable[[], Sequence[Scenario | Builder]]) -> list[str]:
    """The paths of the command line, files, folders and patterns, else captures that are made."""
    if ARGUMENTS:
        return ARGUMENTS
    folder = Path(tempfile.mkdtemp(prefix="captures-"))
    paths = []
    for number, traffic in enumerate(make(), 1):
        paths.append(str(folder / f"made-{number}.pcap"))
        traffic.build().save(paths[-1])
    print(f"no captures given: {', '.join(paths)} were made")
    return paths


def read(table: str, *paths: str, columns: Sequence[str] | None = None) -> pandas.DataFrame:
    """One table of captures: segments, flows, findings, messages, calls, batches or captures."""
    try:
        captures = find_captures(paths)
        return _read_with_spark(table, captures, columns) if SPARK else _read_here(table, captures, columns)
    except (OSError, ValueError) as error:
        raise SystemExit(f"{Path(sys.argv[0]).name}: {error}") from None


def _read_here(table: str, captures: list[str], columns: Sequence[str] | None) -> pandas.DataFrame:
    options = AnalysisOptions(tables=frozenset({table}))
    names = list(columns) if columns else arrow_schema(table).names
    batches = []
    for capture in captures:
        rows = (row for row in analyse_file(capture, options) if isinstance(row, TABLES[table]))
        batches += [batch.select(names) for batch in record_batches(table, rows)]
    empty = pyarrow.schema([arrow_schema(table).field(name) for name in names]).empty_table()
    return pyarrow.concat_tables([empty, *map(_as_table, batches)]).to_pandas()


def _as_table(batch: pyarrow.RecordBatch) -> pyarrow.Table:
    return pyarrow.Table.from_batches([batch]).replace_schema_metadata(None)


def _read_with_spark(table: str, captures: list[str], columns: Sequence[str] | None) -> pandas.DataFrame:
    frame: Any = mq(table, captures)
    return (frame.select(*columns) if columns else frame).toPandas()


def mq(table: str, captures: list[str]) -> Any:
    """The same as a data frame of Spark."""
    try:
        from mqbridge.captures.spark import MqCapture, session
    except ImportError as error:
        raise SystemExit(f"{error}: --spark needs pip install 'mqbridge[spark]', and Java 17") from None
    spark = session(SPARK[0] if SPARK else None)
    spark.dataSource.register(MqCapture)
    return spark.read.format("mq").option("table", table).load(captures)
