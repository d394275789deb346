"""Java programs with a JMS client that send and receive messages as they are told, and say what they read."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from support.processes import java_programs

from .described import read_lines


class Exchange:
    """The program of a module of ``tests/interop/java``. See ``Conversation`` there for what it can be told."""

    def __init__(self, module: str, program: str, folder: Path, arguments: Iterable[str]) -> None:
        java_programs.build()
        folder.mkdir(parents=True, exist_ok=True)
        self._errors = (folder / "errors").open("w")
        command = [*java_programs.java(java_programs.PROJECT / module), f"mqbridge.checks.{program}"]
        self._process = subprocess.Popen(
            [*command, *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
        )

    @classmethod
    def ibm(cls, generation: str, folder: Path, *, port: int, channel: str, queue_manager: str) -> Self:
        """IBM's client, connected to a queue manager. ``generation``: javax or jakarta."""
        return cls(generation, "MessageExchange", folder, ["127.0.0.1", str(port), channel, queue_manager])

    @classmethod
    def qpid(cls, folder: Path, *, url: str, user: str, password: str) -> Self:
        """Qpid JMS, connected to a provider."""
        return cls("qpid", "QpidExchange", folder, [url, user, password])

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

    def ask(self, command: str, message: Iterable[str] | None = None) -> list[str]:
        """The lines of an answer. ``message``: the lines of one, for commands that take it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        lines = [command] if message is None else [command, *message, "."]
        self._process.stdin.write("".join([f"{line}\n" for line in lines]))
        self._process.stdin.flush()
        answer: list[str] = []
        for line in self._process.stdout:
            if line == ".\n":
                assert not answer or not answer[0].startswith("failed"), f"{command}: {answer[0]}"
                return answer
            answer.append(line.rstrip("\n"))
        raise AssertionError(f"the program ended at {command}")

    def read(self, command: str, message: Iterable[str] | None = None) -> dict[str, str]:
        """The facts of an answer about a message."""
        answer = self.ask(command, message)
        assert answer != ["nothing"], f"{command}: no message came in time"
        return read_lines(answer)
