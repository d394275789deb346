"""A Java program at one end of the link, as a process that says what it has sent and received."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Final

import maven
from judge import Way, read_facts
from processes import StartFailed, await_end

PROJECT: Final = Path(__file__).parent / "java"
START_LIMIT: Final = 60.0
"""Seconds until a program must have connected."""
SHOWN: Final = 1500
"""Characters of a program's complaint that are shown."""


class JavaEnd:
    """The program; ``out`` and ``back`` are told what it has sent and received.

    ``arguments``: those of the class ``demo.Program``. ``name``: how it is called on the screen. ``folder``: where it
    runs, made for it; the client libraries leave files there.
    """

    def __init__(self, name: str, folder: Path, arguments: list[str], out: Way, back: Way) -> None:
        self.name = name
        self.requests = 0
        """How many of the messages that it sends are requests, once it is ready."""
        self._out, self._back = out, back
        self._ready = threading.Event()
        folder.mkdir()
        self._errors = folder / f"{folder.name}.log"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [*maven.java(PROJECT), "demo.Program", *arguments],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,  # Ctrl-C is for the demo, which ends it
                text=True,
                encoding="ascii",
            )
        threading.Thread(target=self._follow, daemon=True).start()

    def wait_until_ready(self) -> None:
        """Wait until it has connected. Raises `StartFailed`."""
        if not self._ready.wait(START_LIMIT) or self.ended is not None:
            raise StartFailed(f"{self.name} does not start: {self.complaint}")

    def allow(self, messages: int) -> None:
        """Let it send so many messages by now."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{messages}\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended, which `ended` tells

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    @property
    def ended(self) -> int | None:
        """The exit status, None while it runs."""
        return self._process.poll()

    @property
    def complaint(self) -> str:
        """The end of what it said on standard error."""
        return self._errors.read_text("utf-8", errors="replace")[-SHOWN:].strip() or "it says nothing"

    def stop(self) -> None:
        """End it."""
        if self.ended is None:
            self._process.terminate()
        await_end(self._process)

    def _follow(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, _, facts = line.rstrip("\n").partition("\t")
            if word == "sent":
                self._out.send(read_facts(facts))
            elif word == "received":
                self._back.receive(read_facts(facts))
            elif word == "ready":
                self.requests = int(facts)
                self._ready.set()
        self._ready.set()
