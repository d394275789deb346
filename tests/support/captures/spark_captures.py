"""Captures of every kind for the tests with Spark, and what the plain way says of them."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions, analyse_file, capture_rows
from mqbridge.captures.errors import UnknownCaptureError
from mqbridge.captures.generate import Scenario, cut_file
from mqbridge.captures.tables import TABLES, Row
from support.captures.vectors import VECTORS

JMS_CAPTURE = VECTORS / "jms-client" / "jms-put-sessions.pcap.gz"
EVERYTHING = AnalysisOptions(tables=ALL_TABLES)


def missing() -> str:
    """Why Spark cannot run here; empty where it can."""
    if find_spec("pyspark") is None or find_spec("pyarrow") is None:
        return "pyspark is not installed"
    return "" if shutil.which("java") else "Java is not installed"


def make_captures(folder: Path) -> list[str]:
    """Fill a folder; the paths of its captures in order: good ones, packed, cut, damaged, and none at all.

    The last but one cannot be opened.
    """
    below = folder / "below"
    below.mkdir(parents=True)
    made = Scenario(seed=1, repeat=4).build().data
    storm = Scenario(seed=3, repeat=60, channels=()).build().data
    noisy = Scenario(seed=2, repeat=2, duplicate=0.1, reorder=0.1, lose=0.02).build().data
    (folder / "a.pcap").write_bytes(made)
    (folder / "a storm.pcap").write_bytes(storm)
    (folder / "b.pcap.gz").write_bytes(gzip.compress(noisy))
    (folder / "c cut.pcap").write_bytes(cut_file(made, 0.6))
    (folder / "d[1]{2}.pcap").write_bytes(made[:2000] + bytes(range(256)) * 4 + made[3024:])
    (folder / "e.pcap").write_bytes(b"")
    (folder / "f.pcap").write_bytes(b"this is text, whatever its name says")
    (folder / "g.pcap.gz").write_bytes(gzip.compress(made)[:-3000])
    (folder / "h.pcap").symlink_to(folder / "nothing")
    shutil.copy(JMS_CAPTURE, below / "i.pcap.gz")
    (folder / "j.pcap.part").write_bytes(made)
    (folder / ".k.pcap").write_bytes(made)
    (folder / "notes.txt").write_text("no capture")
    return [*sorted(str(file) for file in folder.glob("[a-h]*[pz]")), str(below / "i.pcap.gz")]


def plain_rows(captures: Iterable[str], options: AnalysisOptions = EVERYTHING) -> list[Row]:
    """What the plain way says of captures, one after the other."""
    rows: list[Row] = []
    for capture in captures:
        if Path(capture).exists():
            rows += analyse_file(capture, options)
        else:
            reason = UnknownCaptureError(0, 0, "it cannot be opened: No such file or directory")
            rows += capture_rows(replace(options, capture=capture), 0, 0, reason, {})
    return rows


def as_values(table: str, rows: Iterable[Row]) -> list[str]:
    """Rows of one table as Arrow has them, comparable, in an order of their own."""
    from mqbridge.captures.tables.arrow import record_batches

    kept = (row for row in rows if type(row) is TABLES[table])
    return sorted(repr(row) for batch in record_batches(table, kept) for row in batch.to_pylist())


def spark_values(frame: Any) -> list[str]:
    """The same of a data frame."""
    return sorted(repr(row) for row in frame.toArrow().to_pylist())
