"""``mqbridge replay``: JSON, wrong input, what is not installed, and the exit status."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mqbridge.bridge.cli import replay as module
from mqbridge.captures.rules import load
from mqbridge.captures.tables import Row
from support.captures.files import JMS_CAPTURE, record
from support.captures.replay_runs import CHANNEL_OF_2003, GARBAGE, IN, OUT, as_json, replay, saved
from support.captures.vectors import thesis

# the contract of --json


def check_report(report: dict[str, Any], captures: int) -> None:
    """Every key of the contract, and no other."""
    assert list(report) == ["version", "captures", "flows", "segments", "messages", "findings", "conforms"]
    assert report["version"] == 1
    assert len(report["captures"]) == captures
    for capture in report["captures"]:
        assert list(capture) == ["path", "packets", "bytes", "unread"]
        assert isinstance(capture["path"], str)
        assert all(isinstance(capture[key], int) for key in ("packets", "bytes", "unread"))
    for flow in report["flows"]:
        assert {key: type(value) for key, value in flow.items()} == {
            "id": int,
            "capture": int,
            "client": str,
            "server": str,
            "start": float,
            "end": float,
            "kind": str,
            "channel": str,
            "queue_manager": str,
            "segments": int,
            "messages": int,
            "outcome": str,
            "reason": int,
        }
        assert flow["kind"] in ("client-connection", "message-channel", "tls", "unknown")
        assert flow["outcome"] in ("ended", "refused", "cut", "open")
        assert flow["capture"] in range(captures)
        assert flow["start"] <= flow["end"]
    keys = ["rule", "severity", "flow", "packet", "time", "title", "expected", "seen", "spec"]
    flows = {(flow["capture"], flow["id"]) for flow in report["flows"]}
    catalogue = load()
    for finding in report["findings"]:
        assert list(finding) == keys + (["capture"] if captures > 1 else [])
        rule = catalogue[finding["rule"]]
        assert (finding["title"], finding["spec"]) == (rule.title, rule.spec)
        assert finding["severity"] in ("error", "warning", "security", "performance", "inferred", "info")
        assert finding["flow"] == 0 or (finding.get("capture", 0), finding["flow"]) in flows
        assert isinstance(finding["packet"], int)
        assert isinstance(finding["time"], float)
        assert finding["expected"]
        assert finding["seen"]
    assert report["segments"] == sum(flow["segments"] for flow in report["flows"])
    assert report["messages"] == sum(flow["messages"] for flow in report["flows"])
    assert report["conforms"] is all(finding["severity"] != "error" for finding in report["findings"])


def test_the_report_of_a_real_client_session() -> None:
    report = as_json(JMS_CAPTURE)
    check_report(report, 1)
    assert report["captures"] == [{"path": str(JMS_CAPTURE), "packets": 1514, "bytes": 382_626, "unread": 0}]
    assert (len(report["flows"]), report["segments"], report["messages"]) == (13, 506, 16)
    assert report["flows"][0] == {
        "id": 1,
        "capture": 0,
        "client": "10.10.10.4:57107",
        "server": "10.10.10.11:1414",
        "start": 1757727215.077512,
        "end": 1757727217.047191,
        "kind": "client-connection",
        "channel": "APP.SVRCONN",
        "queue_manager": "QM2",
        "segments": 8,
        "messages": 0,
        "outcome": "refused",
        "reason": 2035,
    }
    assert report["conforms"] is True


def test_the_report_of_a_channel_of_2003(tmp_path: Path) -> None:
    report = as_json(saved(tmp_path / "channel.pcap", CHANNEL_OF_2003))
    check_report(report, 1)
    (flow,) = report["flows"]
    assert (flow["kind"], flow["channel"], flow["messages"]) == ("message-channel", "ch.clon.hp", 1)
    assert flow["queue_manager"] == "QM_carlitosway"
    assert report["conforms"] is True


def test_several_captures_in_one_report(tmp_path: Path) -> None:
    first = saved(tmp_path / "a.pcap", CHANNEL_OF_2003)
    second = saved(tmp_path / "b.pcap.gz", gzip.compress(GARBAGE))
    saved(tmp_path / "notes.txt", b"no capture")
    report = as_json(tmp_path, status=1)
    check_report(report, 2)
    assert [capture["path"] for capture in report["captures"]] == [str(first), str(second)]
    assert [(flow["capture"], flow["id"]) for flow in report["flows"]] == [(0, 1), (1, 1)]
    assert {finding["capture"] for finding in report["findings"] if finding["severity"] == "error"} == {1}
    assert report == as_json(first, second, status=1)


def test_a_capture_of_several_names_counts_once(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    capture = saved(folder / "a.pcap", CHANNEL_OF_2003)
    link = tmp_path / "link.pcap"
    link.symlink_to(capture)
    for names in ((folder, f"{folder}/.", capture), (capture, folder), (link, folder, link)):
        report = as_json(*names)
        assert [each["path"] for each in report["captures"]] == [str(link if link in names else capture)]
        assert len(report["flows"]) == 1


def test_a_capture_of_several_names_is_played_once(tmp_path: Path) -> None:
    capture = saved(tmp_path / "a.pcap", record((OUT, thesis(2))))  # which has no beginning
    for names in ([capture], [tmp_path, f"{tmp_path}/../{tmp_path.name}", capture]):
        result = replay("--against", "127.0.0.1:1", "--json", *names)
        assert result.exit_code == 2, result.output
        assert len(json.loads(result.stdout)["flows"]) == 1


def test_standard_input_is_no_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path / "-", CHANNEL_OF_2003)
    monkeypatch.chdir(tmp_path)
    report = as_json("-", "./-", data=CHANNEL_OF_2003)
    assert [each["path"] for each in report["captures"]] == ["-", "./-"]


def test_findings_come_in_the_order_of_packets() -> None:
    packets = [finding["packet"] for finding in as_json(JMS_CAPTURE)["findings"] if finding["flow"]]
    assert packets == sorted(packets)


# exit status


def test_status_by_severity(tmp_path: Path) -> None:
    good, bad = saved(tmp_path / "good.pcap", CHANNEL_OF_2003), saved(tmp_path / "bad.pcap", GARBAGE)
    assert replay(good).exit_code == 0
    assert replay(bad).exit_code == 1
    assert replay("--fail-on", "performance", good).exit_code == 0
    assert replay("--fail-on", "performance", bad).exit_code == 1
    assert replay("--fail-on", "security", good).exit_code == 1  # in clear
    assert replay("--fail-on", "performance", "--fail-on", "security", "--json", good).exit_code == 1
    assert replay("--fail-on", "bad", good).exit_code == 2


@pytest.mark.parametrize("data", [b"", b"no capture", b"\x1f\x8b", b"\x1f\x8bgarbage of some length" * 3])
def test_unreadable_input(tmp_path: Path, data: bytes) -> None:
    path = saved(tmp_path / "x.pcap", data)
    result = replay(path)
    assert result.exit_code in ((2,) if not data.startswith(b"\x1f\x8b") else (0, 2))
    assert str(path) in result.output
    assert "Traceback" not in result.output


def test_no_such_file_and_the_rest_is_told_all_the_same(tmp_path: Path) -> None:
    good = saved(tmp_path / "good.pcap", CHANNEL_OF_2003)
    result = replay(tmp_path / "missing.pcap", good)
    assert result.exit_code == 2
    assert "missing.pcap: no such file or folder" in result.stderr
    assert "ch.clon.hp" in result.stdout
    report = as_json(tmp_path / "missing.pcap", good, status=2)
    assert len(report["flows"]) == 1


def test_an_empty_folder(tmp_path: Path) -> None:
    result = replay(tmp_path)
    assert result.exit_code == 2
    assert "no capture is in this folder" in result.stderr


def test_a_folder_with_nothing_but_a_recording_that_still_grows(tmp_path: Path) -> None:
    saved(tmp_path / "EARTH-0001.pcap.part", CHANNEL_OF_2003)
    result = replay(tmp_path)
    assert result.exit_code == 2
    assert "no capture is in this folder but EARTH-0001.pcap.part, which still grows" in result.stderr
    assert replay(tmp_path / "EARTH-0001.pcap.part").exit_code == 0


def test_a_capture_without_mq_is_not_praised(tmp_path: Path) -> None:
    path = saved(tmp_path / "web.pcap", record((IN, b"GET / HTTP/1.1\r\n\r\n"), (OUT, b"HTTP/1.1 200 OK\r\n\r\n")))
    result = replay(path)
    assert result.exit_code == 0
    assert "nothing to judge" in result.stdout
    assert "conforms" not in result.stdout
    assert as_json(path)["conforms"]


def test_a_bar_says_how_much_of_a_large_capture_has_been_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[tuple[Any, ...]] = []
    steps: list[int] = []

    class Bar(module.Progress):
        def __init__(self, what: str, total: int | None, *, shown: bool) -> None:
            super().__init__(what, total, shown=shown)
            bars.append((what, total, shown))

        def advance(self, number: int) -> None:
            super().advance(number)
            steps.append(number)

    monkeypatch.setattr(module, "Progress", Bar)
    monkeypatch.setattr(module, "PROGRESS_ROWS", 1)
    path = saved(tmp_path / "a.pcap.gz", JMS_CAPTURE.read_bytes())
    assert replay(path).exit_code == 0
    monkeypatch.setattr(module, "PROGRESS_SIZE", 1)
    assert replay(path).exit_code == 0
    size = path.stat().st_size
    assert bars == [("bytes", size, False), ("bytes", size, True)]
    assert sum(steps) == 2 * size


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = saved(tmp_path / "secret.pcap", CHANNEL_OF_2003)
    path.chmod(0)
    result = replay(path)
    assert result.exit_code == 2
    assert "Permission denied" in result.stderr


def test_a_cut_capture_is_judged_as_far_as_it_goes(tmp_path: Path) -> None:
    result = replay(saved(tmp_path / "cut.pcap", CHANNEL_OF_2003[:-30]))
    assert result.exit_code == 0
    assert "C-901" in result.stdout
    assert "ch.clon.hp" in result.stdout


def test_standard_input() -> None:
    report = as_json("-", data=CHANNEL_OF_2003)
    assert report["captures"][0]["path"] == "-"
    assert report["messages"] == 1


def test_wrong_usage() -> None:
    for arguments in ((), ("--keylog", "/does/not/exist", "x.pcap"), ("--fail-on",), ("--master", "local[1]", "-")):
        result = replay(*arguments)
        assert result.exit_code == 2
        assert "Error: " in result.output


def test_spark_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    result = replay("--master", "local[1]", saved(tmp_path / "good.pcap", CHANNEL_OF_2003))
    assert result.exit_code == 2
    assert "pip install 'mqbridge[spark]'" in result.stderr
    assert replay("s3a://bucket/folder/").exit_code == 2


def test_spark_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def replay_paths(*arguments: object, **options: object) -> Iterator[Row]:
        raise RuntimeError("[JAVA_GATEWAY_EXITED] no Java\nand a long story")
        yield

    monkeypatch.setitem(sys.modules, "mqbridge.captures.spark.replaying", SimpleNamespace(replay_paths=replay_paths))
    monkeypatch.setattr(module, "find_spec", lambda name: name)
    result = replay("--master", "local[1]", saved(tmp_path / "good.pcap", CHANNEL_OF_2003))
    assert result.exit_code == 2
    assert result.stderr.strip() == "Spark: RuntimeError: [JAVA_GATEWAY_EXITED] no Java"


def test_a_rotated_set_is_one_capture(tmp_path: Path) -> None:
    packets = gzip.decompress(JMS_CAPTURE.read_bytes())
    middle = 24
    while middle < len(packets) // 2:  # to the end of a packet
        middle += 16 + int.from_bytes(packets[middle + 8 : middle + 12], "little")
    saved(tmp_path / "jms_00001.pcap", packets[:middle])
    saved(tmp_path / "jms_00002.pcap", packets[:24] + packets[middle:])
    report = as_json(tmp_path)
    check_report(report, 1)
    assert report["captures"][0]["path"] == f"{tmp_path / 'jms_00001.pcap'} to jms_00002.pcap"
    assert len(report["flows"]) == 13
    assert report["captures"][0]["packets"] == 1514


def test_many_captures_without_spark_are_read_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "SPARK_SIZE", 1)
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    for name in ("a.pcap", "b.pcap"):
        saved(tmp_path / name, CHANNEL_OF_2003)
    assert len(as_json(tmp_path)["captures"]) == 2


def test_pyarrow_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("mqbridge.captures.tables.parquet", "mqbridge.captures.tables.arrow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    result = replay("--output", tmp_path / "out", saved(tmp_path / "good.pcap", CHANNEL_OF_2003))
    assert result.exit_code == 2
    assert "pip install 'mqbridge[parquet]'" in result.stderr
    assert not (tmp_path / "out").exists()
