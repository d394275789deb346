"""Captures in a file system of Hadoop's, read as a user reads them: ``mqbridge replay hdfs://…``."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.captures.hadoop_cluster import hadoop_cluster

CAPTURE = Path(__file__).parents[2] / "vectors" / "jms-client" / "jms-put-sessions.pcap.gz"
NAMES = ("one.pcap.gz", "two [words].pcap.gz", "empty.pcap")
LIMIT = 240


def replay(*arguments: str | Path) -> tuple[int, dict[str, Any], str]:
    """Status, report and what went to standard error."""
    command = [sys.executable, "-m", "mqbridge", "replay", "--json", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def named(report: dict[str, Any], folder: str) -> dict[str, Any]:
    """The report with the names of files below a folder."""
    for capture in report["captures"]:
        assert capture["path"].startswith(f"{folder}/")
        capture["path"] = capture["path"].removeprefix(f"{folder}/")
    return report


@pytest.mark.timeout(1200)
def test_captures_in_hdfs_are_judged_as_on_disk(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    for name in NAMES[:2]:
        shutil.copy(CAPTURE, folder / name)
    (folder / NAMES[2]).touch()
    with hadoop_cluster(tmp_path, [folder / name for name in NAMES]) as url:
        status, report, _ = replay(url)
        missing, others, why = replay(f"{url}/none.pcap", f"{url}/{NAMES[0]}")
    expected_status, expected, _ = replay(folder)
    assert status == expected_status
    assert named(report, url) == named(expected, str(folder))
    assert {capture["path"] for capture in report["captures"]} == set(NAMES)
    assert missing == 2
    assert [capture["path"] for capture in others["captures"]] == [f"{url}/{NAMES[0]}"]
    assert f"{url}/none.pcap: no such file or folder\n" in why
