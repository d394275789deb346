"""A Java program with IBM's JMS client that sends and receives messages as it is told, and says what it reads."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Self

from support.processes import java_programs

from .described import read_lines


class Exchange:
    """The program, connected to a queue manager. ``generation``: javax or jakarta."""

    def __init__(self, generation: str, folder: Path, *, port: int, channel: str, queue_manager: str) -> None:
        java_programs.build()
        folder.mkdir(parents=True, exist_ok=True)
        self._errors = (folder / "errors").open("w")
        command = [*java_programs.java(java_programs.PROJECT / generation), "mqbridge.checks.MessageExchange"]
        self._process = subprocess.Popen(
            [*command, "127.0.0.1", str(port), channel, queue_manager],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(60)
        finally:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._errors.close()

    def ask(self, command: str) -> list[str]:
        """The lines of an answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines = []
        for line in self._process.stdout:
            if line == ".\n":
                assert not lines or not lines[0].startswith("failed"), f"{command}: {lines[0]}"
                return lines
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"the program ended at {command}")

    def read(self, command: str) -> dict[str, str]:
        """The facts of an answer about a message."""
        return read_lines(self.ask(command))
