from __future__ import annotations

import os
import pty
from pathlib import Path

import pytest

from support.processes.running_service import MakeService, RunningService


def test_commands_of_the_command_line(shared_service: RunningService) -> None:
    result = shared_service.command("mqsc", "-e", "DEFINE QLOCAL(E.1)", "-e", "DISPLAY QLOCAL(E.1) MAXDEPTH")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:2] == ["AMQ8006I: queue created.", "AMQ8409I: queue details:"]
    assert lines[2:] == ["   QUEUE(E.1)                              TYPE(QLOCAL)", "   MAXDEPTH(5000)"]


def test_a_command_that_fails_is_status_10_and_the_next_ones_run(shared_service: RunningService) -> None:
    result = shared_service.command("mqsc", "-e", "DELETE QLOCAL(NO.SUCH)", "-e", "DEFINE QLOCAL(E.2)")
    assert result.exit_code == 10
    assert [line[:10] for line in result.stdout.splitlines()] == ["AMQ8147E: ", "AMQ8006I: "]


SCRIPT = """* objects
DEFINE QLOCAL(F.1) +
       DESCR('one, two')

DISPLAY QLOCAL(F.1) DESCR
DEFINE NONSENSE(X)
DELETE QLOCAL(NO.SUCH)
END
DEFINE QLOCAL(F.NEVER)
"""


@pytest.mark.parametrize("from_file", [True, False])
def test_a_script_is_repeated_and_counted(shared_service: RunningService, tmp_path: Path, from_file: bool) -> None:
    shared_service.command("mqsc", "-e", "DELETE QLOCAL(F.1)")
    if from_file:
        file = tmp_path / "objects.mqsc"
        file.write_text(SCRIPT, encoding="utf-8")
        result = shared_service.command("mqsc", str(file))
    else:
        result = shared_service.command("mqsc", "-", input=SCRIPT)
    assert result.exit_code == 10
    lines = result.stdout.splitlines()
    assert lines[0] == "Starting MQSC for queue manager EARTH."
    assert "       : * objects" in lines
    assert "     1 : DEFINE QLOCAL(F.1) +" in lines
    assert "       :        DESCR('one, two')" in lines
    assert "     2 : DISPLAY QLOCAL(F.1) DESCR" in lines
    assert "   DESCR(one, two)" in lines
    assert lines[-3:] == [
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]
    assert "F.NEVER" not in " ".join(shared_service.mqsc("DISPLAY QLOCAL(*)"))


def test_a_script_without_faults_is_status_0(shared_service: RunningService) -> None:
    result = shared_service.command("mqsc", input="PING QMGR\n")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "All valid MQSC commands were processed."


def test_a_script_that_ends_in_a_continuation(shared_service: RunningService) -> None:
    result = shared_service.command("mqsc", input="DEFINE QLOCAL(G.1) +\n")
    assert result.exit_code == 10
    assert "AMQ8405E: " in result.stdout


def test_a_dump_can_be_run_on_another_queue_manager(make_service: MakeService, tmp_path: Path) -> None:
    earth = make_service()
    earth.mqsc(
        "DEFINE QLOCAL(Q) DESCR('it''s here') MAXDEPTH(17) TRIGGER",
        "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('host(1414)') XMITQ(Q)",
        "ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)",
    )
    dump = earth.command("mqsc", "--dump")
    assert (dump.exit_code, dump.stderr) == (0, "")
    file = tmp_path / "dump.mqsc"
    file.write_text(dump.stdout, encoding="utf-8")
    other = make_service("OTHER")
    result = other.command("mqsc", str(file))
    assert result.exit_code == 0, [line for line in result.stdout.splitlines() if "E: " in line]
    lines = set(other.command("mqsc", "--dump").stdout.splitlines())
    missing = [line for line in dump.stdout.splitlines() if line not in lines and not line.startswith("*")]
    assert missing == []


def test_nobody_there_is_status_20(tmp_path: Path) -> None:
    service = RunningService(tmp_path)
    for arguments in (("-e", "PING QMGR"), ("--dump",), ("-",), ("--url", "unix:/no/such/socket", "-e", "PING QMGR")):
        result = service.command("mqsc", *arguments)
        assert result.exit_code == 20
        assert "2059" in result.stderr


def test_a_script_that_cannot_be_read(shared_service: RunningService, tmp_path: Path) -> None:
    assert shared_service.command("mqsc", str(tmp_path / "none")).exit_code == 10
    file = tmp_path / "binary"
    file.write_bytes(b"\xff\xfe\n")
    assert shared_service.command("mqsc", str(file)).exit_code == 10


def test_several_sources_are_wrong_usage(shared_service: RunningService) -> None:
    assert shared_service.command("mqsc", "-e", "PING QMGR", "--dump").exit_code == 2


def test_a_conversation_on_a_terminal(shared_service: RunningService, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {"HOME": str(tmp_path), "TERM": "dumb"}
    process = shared_service.spawn("mqsc", stdin=theirs, stdout=theirs, environment=environment)
    os.close(theirs)
    output = _read_until(ours, b"mqsc> ")
    for line in (b"DEFINE QLOCAL(T.1) +", b"MAXDEPTH(3)", b"DISPLAY QLOCAL(T.1) MAXDEPTH", b"NONSENSE"):
        os.write(ours, line + b"\n")
        output += _read_until(ours, b"     + " if line.endswith(b"+") else b"mqsc> ")
    os.write(ours, b"END\n")
    assert process.wait(60) == 0
    process.communicate()
    os.close(ours)
    assert b"AMQ8006I: queue created." in output
    assert b"   MAXDEPTH(3)" in output
    assert b"AMQ8405E: " in output
    history = (tmp_path / ".mqbridge_history").read_text(encoding="utf-8")
    assert "MAXDEPTH(3)" in history
    assert "NONSENSE" in history


def _read_until(terminal: int, prompt: bytes) -> bytes:
    found = b""
    while not found.endswith(prompt):
        data = os.read(terminal, 65536)
        assert data
        found += data
    return found
