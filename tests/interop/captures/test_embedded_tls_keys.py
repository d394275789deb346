"""TLS sessions in pcapng files that hold their keys: the segments come out without a key log file, or beside one."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from mqbridge.captures import CapturedSegment, Direction, Endpoint, Recorder, read_segments
from mqbridge.captures.capture_files import Source
from support.captures.files import as_pcapng, record, secrets
from support.captures.replay_runs import IN, OUT, as_json
from support.captures.tls_sessions import Tls, TlsSession
from support.captures.vectors import thesis
from support.tshark.run import needs_tshark

pytestmark = [pytest.mark.interop("tshark"), needs_tshark]

SENT = [(IN, thesis(1)), (OUT, thesis(2)), *[(IN, thesis(3))] * 20]


def session(version: Tls, keylog: Path) -> TlsSession:
    made = TlsSession(version, "mq.example.com", keylog)
    for direction, data in SENT:
        made.send(direction, data)
    made.close(IN)
    made.close(OUT)
    return made


def found(source: Source, keylog: Path | None = None) -> list[tuple[int, Direction, bytes]]:
    capture = read_segments(source, keylog)
    items = [(item.flow.id, item.direction, item.data) for item in capture if isinstance(item, CapturedSegment)]
    assert (capture.flows.error, capture.flows.decryption_error) == (None, None)
    return items


def of_flow(number: int) -> list[tuple[int, Direction, bytes]]:
    return [(number, direction, data) for direction, data in SENT]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("version", Tls)
def test_keys_are_used_wherever_they_stand(version: Tls, order: str, tmp_path: Path) -> None:
    whole = record(*session(version, tmp_path / "keys.log").wire, segment_size=700)
    keys = (tmp_path / "keys.log").read_bytes()
    for share in (0, 0.5, 1):
        path = tmp_path / "a.pcapng"
        path.write_bytes(as_pcapng(whole, {share: secrets(keys, order)}, order))
        assert found(path) == of_flow(1), share
    assert found(io.BytesIO(gzip.compress(as_pcapng(whole, {0: secrets(keys, order)}, order)))) == of_flow(1)


def test_lines_of_one_session_may_stand_in_several_blocks(tmp_path: Path) -> None:
    whole = record(*session(Tls.V1_3, tmp_path / "keys.log").wire)
    lines = (tmp_path / "keys.log").read_bytes().splitlines()
    assert len(lines) > 3
    blocks = {place / len(lines): secrets(line) for place, line in enumerate(lines)}
    assert found(io.BytesIO(as_pcapng(whole, blocks))) == of_flow(1)


def test_a_key_log_file_goes_beside_keys_in_the_capture(tmp_path: Path) -> None:
    made = [session(version, tmp_path / f"{version.name}.log") for version in Tls]
    file = io.BytesIO()
    recorder = Recorder(file)
    for number, one in enumerate(made):
        connection = recorder.connect(Endpoint("10.0.0.1", 5000 + number), Endpoint("10.0.0.2", 1414), 1.0)
        for turn, (direction, data) in enumerate(one.wire):
            connection.send(direction, data, 2.0 + turn)
    inside, beside = (tmp_path / f"{version.name}.log" for version in Tls)
    for share in (0, 1):
        capture = as_pcapng(file.getvalue(), {share: secrets(inside.read_bytes().rstrip())})
        assert found(io.BytesIO(capture)) == of_flow(1)
        for pack in (bytes, gzip.compress):
            both = found(io.BytesIO(pack(capture)), beside)
            assert [[item for item in both if item[0] == flow] for flow in (1, 2)] == [of_flow(1), of_flow(2)]


@pytest.mark.skipif(shutil.which("editcap") is None, reason="editcap is not installed")
def test_what_editcap_writes_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.pcap").write_bytes(record(*session(Tls.V1_3, tmp_path / "keys.log").wire))
    command = ["editcap", "--inject-secrets", f"tls,{tmp_path}/keys.log", tmp_path / "a.pcap", tmp_path / "b.pcapng"]
    subprocess.run(command, check=True, capture_output=True, timeout=120, env={**os.environ, "HOME": str(tmp_path)})
    assert found(tmp_path / "b.pcapng") == of_flow(1)


def test_the_commands_use_them_unasked(tmp_path: Path) -> None:
    whole = record(*session(Tls.V1_2, tmp_path / "keys.log").wire)
    data = as_pcapng(whole, {0: secrets((tmp_path / "keys.log").read_bytes())})
    path = tmp_path / "a.pcapng"
    path.write_bytes(data)
    (flow,) = as_json(path, status=1)["flows"]  # one message, again and again
    assert (flow["kind"], flow["segments"]) == ("message-channel", len(SENT))
    shown = CliRunner().invoke(cli, ["decode", "--json", str(path)])
    assert len(json.loads(shown.stdout)["segments"]) == len(SENT)
    command = [sys.executable, "-m", "mqbridge", "replay", "--json", "-"]
    ran = subprocess.run(command, input=data, capture_output=True, timeout=120, check=False)  # through a pipe
    assert json.loads(ran.stdout)["flows"] == [flow], ran.stderr
