"""Ctrl-C ends commands that read or ask with status 130, and without a word."""

from __future__ import annotations

import importlib
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from support.processes.interrupted_reader import interrupt_reader

ROOT = Path(__file__).parents[4]
ENOUGH = bytes(1 << 20)


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mqbridge", *arguments]


@pytest.mark.parametrize("command", [("decode", "-"), ("user", "add", "app")], ids=lambda command: command[0])
def test_while_standard_input_is_read(command: tuple[str, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "MQBRIDGE_DATA": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        program(*command), stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT, env=environment, bufsize=0
    ) as running:
        interrupt_reader(running, ENOUGH)
        assert running.stdout is not None
        assert running.stderr is not None
        assert (running.stdout.read(), running.stderr.read().strip()) == (b"", b"")
        assert running.returncode == 130


def test_while_a_password_is_asked_for(tmp_path: Path) -> None:
    terminal, side = pty.openpty()
    try:
        with subprocess.Popen(
            program("user", "add", "app", "--data", str(tmp_path)),
            stdin=side,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            bufsize=0,
            start_new_session=True,
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            told = b""
            while not told.endswith(b"New password of app: "):
                piece = running.stderr.read(100)
                assert piece, told
                told += piece
            running.send_signal(signal.SIGINT)
            assert running.wait(60) == 130
            assert (running.stdout.read(), running.stderr.read().strip()) == (b"", b"")
    finally:
        os.close(terminal)
        os.close(side)
    assert list(tmp_path.iterdir()) == []


def test_while_a_command_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib, "import_module", interrupted)
    result = CliRunner().invoke(cli, ["replay"])
    assert (result.exit_code, result.output.strip()) == (130, "")
