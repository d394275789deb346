"""The notebooks about captures do what they say, with the captures that they make and with others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from spark_captures import missing

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

PROJECT = Path(__file__).parents[3]
NOTEBOOKS = PROJECT / "examples" / "captures"


def output(name: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", str(NOTEBOOKS / f"{name}.py"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "TMPDIR": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("slowest_calls", ["  MQPUT DEV.QUEUE.1 billing", "orders  MQCONN", "0 calls without an answer"]),
        (
            "lost_between_two_captures",
            ["200 messages before, 185 after, 15 lost", "185 in both, 0 of them with another"],
        ),
        ("batch_size_over_time", ["TO.PLUTO 2026-01-01", "TO.VENUS 2026-01-01", "      50.0"]),
        ("clear_text_passwords", ["Password in clear nightly 10.1.0.1 10.2.0.1:1414 BATCH.SVRCONN"]),
    ],
)
def test_a_notebook_answers_its_question(name: str, lines: list[str], tmp_path: Path) -> None:
    shown = " ".join(output(name, tmp_path).split())
    for line in lines:
        assert line in shown
    assert "secret99" not in shown


@pytest.mark.interop("spark")
@pytest.mark.skipif(bool(missing()), reason=missing() or "Spark runs")
def test_spark_reads_for_a_notebook_as_well(tmp_path: Path) -> None:
    from captures.generate import ChannelTraffic, Scenario

    for number, count in enumerate((20, 17)):
        channels = [ChannelTraffic(sizes=[100] * count)]
        Scenario(seed=1, channels=channels, clients=()).build().save(tmp_path / f"{number}.pcap")
    shown = output("lost_between_two_captures", tmp_path, "0.pcap", "1.pcap", "--spark")
    assert "20 messages before, 17 after, 3 lost" in shown
