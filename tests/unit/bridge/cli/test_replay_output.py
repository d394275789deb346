"""``mqbridge replay``: the report in the terminal and in pipes, the catalogue, tables and page."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqbridge.captures.reading.link_layers import ACK
from mqbridge.captures.rules import load
from mqbridge.captures.tables import TABLES
from support.captures.files import JMS_CAPTURE, Wire, pcap, record
from support.captures.replay_runs import CHANNEL_OF_2003, GARBAGE, IN, replay, saved
from support.captures.vectors import thesis

ROOT = Path(__file__).parents[4]


def test_the_report_can_be_read_in_a_pipe(tmp_path: Path) -> None:
    result = replay(saved(tmp_path / "bad.pcap", GARBAGE))
    lines = result.stdout.splitlines()
    assert "\x1b" not in result.stdout
    assert all(line == line.rstrip() and line.isprintable() for line in lines)
    assert lines[0].endswith("1 flows, 2 segments, 0 messages")
    at = next(place for place, line in enumerate(lines) if line.startswith("error C-912 "))
    assert lines[at].endswith("(mq-wire.md 6.1)")
    assert "flow 1, packet " in lines[at + 1]
    assert lines[at + 2] == "    expected: a segment header"
    assert lines[at + 3].startswith("    seen:     90 bytes passed over")
    assert lines[-1].startswith("does not conform: 1 error")


def test_the_report_of_the_real_session_names_flows_calls_and_users() -> None:
    shown = replay(JMS_CAPTURE).stdout
    for text in ("10.10.10.4:57107", "APP.SVRCONN", "QM2", "root", "refused (2035)", "MQPUT", "MQRC_NOT_AUTHORIZED 9"):
        assert text in shown
    assert "conforms: " in shown


def test_the_length_of_a_report_is_bounded() -> None:
    wire = Wire()
    packets = []
    for number in range(120):
        wire = Wire(client=wire_end(number), numbers=wire.numbers)
        packets += wire.handshake()
        packets.append(wire.packet("c", ACK, 1001, 5001, thesis(1) + b"garbage that begins no segment " * 3))
    result = replay("-", data=pcap(*(packet.data for packet in packets), link_type=101))
    assert result.exit_code == 1
    assert "… 100 more flows" in result.stdout
    assert "  … 115 more" in result.stdout
    assert len(result.stdout.splitlines()) < 200


def wire_end(number: int) -> Any:
    from mqbridge.captures import Endpoint

    return Endpoint("192.168.0.90", 2000 + number)


def test_the_verdict_says_where_a_part_is_not_in_the_capture(tmp_path: Path) -> None:
    wire = Wire()
    packets = [*wire.handshake(), wire.packet("c", ACK, 1001, 5001, thesis(1))]
    shown = replay(saved(tmp_path / "whole.pcap", pcap(*(one.data for one in packets), link_type=101))).stdout
    assert shown.splitlines()[-1].startswith("conforms: ")
    packets.append(wire.packet("c", ACK, 1001 + len(thesis(1)), 5001 + len(thesis(2)), thesis(3)))
    shown = replay(saved(tmp_path / "one side.pcap", pcap(*(one.data for one in packets), link_type=101))).stdout
    assert f" {len(thesis(2))} bytes of the server lost: " in shown
    assert shown.splitlines()[-1].startswith("conforms, as far as it is in the capture: 1 warning")


def test_names_off_the_wire_cannot_steer_a_terminal(tmp_path: Path) -> None:
    hostile = thesis(1).replace(b"ch.clon.hp", b"\x1b[31mEVIL\n")
    shown = replay(saved(tmp_path / "hostile.pcap", record((IN, hostile)))).stdout
    assert "\x1b" not in shown
    assert "EVIL" in shown


def test_the_catalogue() -> None:
    shown = replay("--rules").stdout
    listed = json.loads(replay("--rules", "--json").stdout)
    assert listed["version"] == 1
    assert [row["rule"] for row in listed["rules"]] == list(load())
    for row in listed["rules"]:
        assert list(row) == ["rule", "severity", "title", "spec", "example", "explanation"]
        assert row["rule"] in shown
        assert row["explanation"]


def test_tables_and_page_in_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "new" / "out"
    result = replay("--output", out, JMS_CAPTURE)
    assert result.exit_code == 0
    assert f"tables are in {out}" in result.stdout
    assert {file.name for file in out.iterdir()} == {*(f"{table}.parquet" for table in TABLES), "report.html"}
    assert parquet.read_table(out / "segments.parquet").num_rows == 506
    assert replay("--output", out, "--json", JMS_CAPTURE).exit_code == 0  # again, over what is there


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    file = saved(tmp_path / "file", b"")
    result = replay("--output", file / "below", JMS_CAPTURE)
    assert result.exit_code == 2
    assert result.stderr.startswith(str(file))


@pytest.mark.parametrize("name", ["report.html", "segments.parquet", "calls.parquet"])
def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path: Path, name: str) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    part = tmp_path / f"{name}.part"
    part.symlink_to("/dev/full")
    result = replay("--output", tmp_path, JMS_CAPTURE)
    assert result.exit_code == 2
    assert result.stderr == f"{part}: No space left on device\n"
    assert not list(tmp_path.glob("*.part"))
    assert not (tmp_path / name).exists()


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mqbridge", "replay", *arguments]


@pytest.mark.parametrize(("capture", "status"), [(GARBAGE, 1), (CHANNEL_OF_2003, 0)], ids=["bad", "good"])
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["report", "json"])
@pytest.mark.parametrize("output", ['{ "$@"; echo $? >&3; } | true', '"$@" >&-; echo $? >&3'], ids=["unread", "closed"])
def test_the_verdict_does_not_depend_on_readers(
    tmp_path: Path, output: str, form: tuple[str, ...], capture: bytes, status: int
) -> None:
    path = saved(tmp_path / "some.pcap", capture)
    through = ["sh", "-c", f"{{ {output}; }} 3>&2", "sh", *program(*form, str(path))]
    run = subprocess.run(through, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.stderr == f"{status}\n"


def test_sigint_ends_it_at_once() -> None:
    with subprocess.Popen(
        program("-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, bufsize=0
    ) as running:
        assert running.stdin is not None
        more = pcap(*[b"\0" * 1000] * 1000)  # more than a pipe holds: it reads when this is written
        while more:
            more = more[running.stdin.write(more) :]
        running.send_signal(signal.SIGINT)
        for _ in range(60):
            with suppress(subprocess.TimeoutExpired):
                running.wait(1)
                break
            # Until a buffer is full Python does not look whether a signal came.
            with suppress(BrokenPipeError):
                running.stdin.write(bytes(1 << 20))
        assert running.stderr is not None
        assert running.stderr.read().strip() == b""
        assert running.returncode == 130
