"""The Java programs of the benches: Maven builds them once, and each is a process that runs rounds on request."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent / "java"
TARGET = PROJECT / "target"
BUILD_LIMIT = 900
ROUND_LIMIT = 300.0
"""Seconds that a round may take; then its process is killed, and the bench fails."""
JVM = ("-Xmx256m", "-XX:+UseSerialGC", "-Duser.name=app")


class NoJava(Exception):
    """The Java programs cannot be built or run; the message says why."""


def build() -> None:
    """Compile, and fetch libraries and broker, unless that was done since the sources changed. Raises `NoJava`."""
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise NoJava(f"{program} is not installed")
    done = TARGET / "done"
    newest = max(file.stat().st_mtime for file in (*PROJECT.rglob("src/**/*.java"), PROJECT / "pom.xml"))
    if done.exists() and done.stat().st_mtime >= newest:
        return
    command = ["mvn", "--quiet", "--batch-mode", "process-classes"]
    try:
        result = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=BUILD_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        raise NoJava("Maven did not end in time") from None
    if result.returncode:
        output = result.stdout + result.stderr
        if "Could not transfer artifact" in output or "Could not resolve" in output:
            raise NoJava("the libraries cannot be had from the Maven repository")
        raise SystemExit(output[-4000:])
    done.touch()


class JavaClient:
    """A JVM with one kind of client, connected to one server: ``ibm``, ``classes``, ``artemis``, ``qpid``, ``rabbit``;
    inside TLS ``ibm-tls`` or ``artemis-tls``. ``options`` are the JVM's own."""

    def __init__(self, kind: str, port: int, *more: str, options: Sequence[str] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mqbridge-bench-")
        classes = os.pathsep.join([str(TARGET / "classes"), str(TARGET / "lib" / "*")])
        command = ["java", *JVM, *options, "-cp", classes, "mqbridge.bench.Main", kind, "127.0.0.1", str(port), *more]
        self.errors = Path(self._folder.name) / "errors"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command,
                cwd=self._folder.name,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.answer()

    def round(self, what: str, *arguments: object) -> dict[str, Any]:
        """Run a round. Returns its seconds, processor seconds of the client, and other measurements."""
        self.ask(what, *arguments)
        return self.answer()

    def ask(self, what: str, *arguments: object) -> None:
        """Begin a round."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join((what, *map(str, arguments))) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Wait for the end of a round, and return what it has measured."""
        assert self.process.stdout is not None
        guard = threading.Timer(ROUND_LIMIT, self.process.kill)
        guard.start()
        try:
            while (line := self.process.stdout.readline()) and not line.startswith("{"):
                pass
        finally:
            guard.cancel()
        if not line:
            status = self.process.wait()
            raise RuntimeError(f"a Java client ended with status {status}\n{self.errors.read_text()[-3000:]}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self._folder.cleanup()
