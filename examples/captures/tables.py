"""Tables of captures as pandas data frames, for the notebooks beside this file.

They run as they are (``python slowest_calls.py``), cell by cell in an editor that knows ``# %%``, and with captures of
your own: ``python slowest_calls.py folder/*.pcap``. With ``--spark`` Spark reads the captures.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas
import pyarrow

from captures.analysis import AnalysisOptions, analyse_file
from captures.generate import Scenario
from captures.tables.arrow import arrow_schema, record_batches


def given(make: Callable[[], Sequence[Scenario]]) -> list[str]:
    """The captures of the command line, else some that are made."""
    paths = [argument for argument in sys.argv[1:] if argument.endswith((".pcap", ".pcapng", ".gz", ".zst"))]
    if paths:
        return paths
    folder = Path(tempfile.mkdtemp(prefix="captures-"))
    for number, scenario in enumerate(make(), 1):
        scenario.build().save(folder / f"made-{number}.pcap")
        paths.append(str(folder / f"made-{number}.pcap"))
    return paths


def read(table: str, *paths: str) -> pandas.DataFrame:
    """One table of captures: segments, flows, findings, messages, calls, batches or captures."""
    if "--spark" in sys.argv:
        from captures.spark import MqCapture, session

        spark = session()
        spark.dataSource.register(MqCapture)
        return spark.read.format("mq").option("table", table).load(list(paths)).toPandas()
    options = AnalysisOptions(tables=frozenset({table, "flows"}))
    batches = []
    for path in paths:
        rows = (row for row in analyse_file(path, options) if type(row).__name__ == NAMES[table])
        batches += record_batches(table, rows)
    return pyarrow.Table.from_batches(batches, arrow_schema(table)).to_pandas()


NAMES = {"flows": "FlowRow", "findings": "FindingRow", "messages": "MessageRow", "calls": "CallRow"}
NAMES |= {"batches": "BatchRow", "segments": "SegmentRow", "captures": "CaptureRow"}
