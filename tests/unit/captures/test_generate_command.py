"""``python -m mqbridge.captures.generate`` writes the captures that it is asked for, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mqbridge.captures import read_flows, read_segments
from mqbridge.captures.generate.__main__ import main, size_of


def test_a_capture_and_its_truth_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, truth = tmp_path / "made.pcap", tmp_path / "truth.jsonl"
    assert main([str(path), "--channels", "2", "--clients", "1", "--messages", "3", "--truth", str(truth)]) == 0
    rows = [json.loads(line) for line in truth.read_text().splitlines()]
    segments = [row for row in rows if row["table"] == "segment"]
    assert len([row for row in rows if row["table"] == "flow"]) == 3
    assert len(list(read_segments(path))) == len(segments)
    assert f"3 flows, {len(segments)} segments" in capsys.readouterr().out


def test_a_file_of_some_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large.pcap"
    assert main([str(path), "--size", "1M", "--messages", "2", "--link", "vlan", "--ipv6"]) == 0
    assert 1 << 20 <= path.stat().st_size < 3 << 20
    flows = {event.flow.id for event in read_flows(path)}
    assert f"{len(flows):,} flows" in capsys.readouterr().out


def test_every_packet_twice(tmp_path: Path) -> None:
    for share in ("0", "1"):
        assert main([str(tmp_path / share), "--messages", "2", "--link", "sll", "--duplicate", share]) == 0
    once, twice = ((tmp_path / share).stat().st_size - 24 for share in ("0", "1"))
    assert twice == 2 * once
    assert [segment.data for segment in read_segments(tmp_path / "1")] == [  # type: ignore[union-attr]
        segment.data
        for segment in read_segments(tmp_path / "0")  # type: ignore[union-attr]
    ]


def test_the_case_of_a_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.pcap"
    assert main([str(path), "--case", "C-201"]) == 0
    assert "marked: flow 1, packet" in capsys.readouterr().out
    assert main([str(path), "--case", "C-201", "--lawful"]) == 0
    assert "marked" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--case", "C-000"], "no case for rule C-000"),
        (["--size", "lots"], "'lots' is no size"),
        (["--size", "1M", "--case", "C-201"], "goes with neither"),
        (["--lose", "2"], "not within 0 and 1"),
        (["--channels", "0", "--clients", "0"], "nothing to generate"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "made.pcap"), *arguments])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none" / "made.pcap")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_sizes() -> None:
    assert [size_of(text) for text in ("7", "2K", "3MiB", "1g")] == [7, 2048, 3 << 20, 1 << 30]
