from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.processes.running_service import RunningService, clean_environment


def run(service: RunningService, redirection: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command whose standard streams a shell redirects."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "mqbridge", *arguments],
        cwd=service.folder,
        env={**clean_environment(), "MQBRIDGE_DATA": str(service.data)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "status", "stderr"),
    [
        (("mqsc",), 0, ""),
        (("put", "DEV.QUEUE.3"), 0, ""),
        (("user", "add", "joe"), 1, "the password is empty\n"),
        (("decode", "-"), 1, "error: the input is empty\n"),
    ],
)
def test_closed_standard_input_is_an_empty_one(
    shared_service: RunningService, arguments: tuple[str, ...], status: int, stderr: str
) -> None:
    result = run(shared_service, "<&-", *arguments)
    assert (result.returncode, result.stderr) == (status, stderr)


@pytest.mark.parametrize(("redirection", "why"), [(">/dev/full", "No space left on device"), (">&-", "closed")])
@pytest.mark.parametrize("command", ["get", "browse"])
def test_what_cannot_be_written_stays_on_the_queue(
    shared_service: RunningService, command: str, redirection: str, why: str
) -> None:
    shared_service.mqsc("DEFINE QLOCAL(B.STAYS) REPLACE")
    shared_service.put("B.STAYS", "kept")
    result = run(shared_service, redirection, command, "B.STAYS")
    assert result.returncode == 1
    assert why in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert shared_service.get("B.STAYS")["body"]["text"] == "kept"


def test_replies_that_cannot_be_written_end_the_command_with_a_line(shared_service: RunningService) -> None:
    result = run(shared_service, ">/dev/full", "mqsc", "-e", "DISPLAY QLOCAL(*)")
    assert (result.returncode, result.stderr) == (1, "mqbridge: No space left on device\n")


def test_a_script_in_another_code_page_says_where(shared_service: RunningService, tmp_path: Path) -> None:
    script = tmp_path / "latin.mqsc"
    script.write_bytes("DEFINE QLOCAL(B.LATIN)\nALTER QLOCAL(B.LATIN) DESCR('café')\n".encode("latin-1"))
    result = shared_service.command("mqsc", str(script))
    assert result.exit_code == 10
    assert result.stderr == f"{script}, line 2: not UTF-8 text; save it in UTF-8\n"
    assert "AMQ8006I: queue created." in result.stdout
    result = shared_service.command("mqsc", "-", input=b"DISPLAY QLOCAL(\xff)\n")
    assert (result.exit_code, result.stderr) == (10, "standard input, line 1: not UTF-8 text; save it in UTF-8\n")


def test_a_script_that_cannot_be_read(shared_service: RunningService, tmp_path: Path) -> None:
    result = shared_service.command("mqsc", str(tmp_path / "none"))
    assert (result.exit_code, result.stderr) == (10, f"{tmp_path / 'none'}: No such file or directory\n")
    result = shared_service.command("mqsc", str(tmp_path))
    assert (result.exit_code, result.stderr) == (10, f"{tmp_path}: Is a directory\n")


def test_a_wait_that_is_no_number(shared_service: RunningService) -> None:
    result = shared_service.command("get", "DEV.QUEUE.3", "--wait", "nan")
    assert result.exit_code == 2
    assert "'nan' is not a valid float" in result.stderr


def test_half_a_character_in_a_command_is_a_bad_request(shared_service: RunningService) -> None:
    result = shared_service.command("mqsc", "-e", "DISPLAY QLOCAL(\udcff)")
    assert result.exit_code == 10
    assert "lone surrogate" in result.stderr


def test_a_port_that_speaks_no_http(shared_service: RunningService) -> None:
    result = run(shared_service, "", "mqsc", "--url", f"http://127.0.0.1:{shared_service.port}", "-e", "PING QMGR")
    assert result.returncode == 20
    assert result.stderr.endswith("what answers there speaks no HTTP; give its admin endpoint\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("put", "Q\udcff", "x"),
        ("put", "DEV.QUEUE.3", "x", "--reply-to", "\udcff"),
        ("put", "DEV.QUEUE.3", "x", "--property", "a=\udcff"),
        ("get", "DEV.QUEUE.3", "--selector", "a = '\udcff'"),
    ],
)
def test_arguments_that_are_no_text(shared_service: RunningService, arguments: tuple[str, ...]) -> None:
    result = run(shared_service, "", *arguments)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "no text in the terminal's character set" in result.stderr


def test_a_password_that_is_no_text(shared_service: RunningService) -> None:
    (shared_service.folder / "bad-password").write_bytes(b"\xff\xfe\n")
    result = run(shared_service, "<bad-password", "user", "add", "joe")
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("queue", ["\u20ac", "Q\udcff"])
def test_names_that_the_other_code_page_does_not_have(shared_service: RunningService, queue: str) -> None:
    result = run(shared_service, "", "put", queue, "x", "--client", f"mq://127.0.0.1:{shared_service.port}/EARTH")
    assert result.returncode in (1, 2)
    assert len(result.stderr.splitlines()) == 1
