"""The openssl command as the other end of a TLS connection."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

OPENSSL = shutil.which("openssl")
LIMIT = 20

needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")


def s_client(port: int, *options: str | Path, brief: bool = True, said: bytes = b"") -> str:
    """Connect, say something and leave; what the command tells, of both outputs."""
    command = [OPENSSL or "", "s_client", "-connect", f"127.0.0.1:{port}", *(["-brief"] if brief else []), *options]
    done = subprocess.run(command, input=said, capture_output=True, timeout=LIMIT, check=False)
    return (done.stdout + done.stderr).decode("utf-8", "replace")


class SServer:
    """An ``openssl s_server`` that takes one connection; ``end`` returns what it has told and received."""

    def __init__(self, port: int, *options: str | Path) -> None:
        self.process = subprocess.Popen(
            [OPENSSL or "", "s_server", "-accept", f"127.0.0.1:{port}", "-naccept", "1", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdout is not None
        self._told = b""
        while b"ACCEPT" not in self._told and (line := self.process.stdout.readline()):
            self._told += line

    def until(self, word: bytes) -> bytes:
        """Read until a word has come, or nothing comes any more."""
        assert self.process.stdout is not None
        while word not in self._told and (data := self.process.stdout.read1(1 << 16)):
            self._told += data
        return self._told

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
