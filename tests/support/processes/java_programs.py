"""Builds and runs the Java programs of ``tests/interop/java``, which use IBM's client libraries, unmodified.

Maven fetches the libraries and compiles once; a test process that comes later finds the classes. Where there is no Java
17, no Maven, or the libraries cannot be had, the test is skipped with the reason.
"""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.project.demo_jms_parts import maven

PROJECT = Path(__file__).parents[2] / "interop" / "java"
SOURCES = PROJECT / "javax" / "src" / "main" / "java" / "mqbridge" / "checks"
RUN_LIMIT = 600
java = maven.java
GENERATIONS = ("javax", "jakarta")
_GROUP = re.compile(r"^public (?:final )?class (\w+) extends", re.MULTILINE)
_CHECK = re.compile(r"^    public void (\w+)\(\) throws Exception", re.MULTILINE)


def groups() -> dict[str, list[str]]:
    """Names of the classes with checks, and of their checks."""
    found = {}
    for file in sorted(SOURCES.glob("*.java")):
        text = file.read_text(encoding="utf-8")
        if match := _GROUP.search(text):
            found[match[1]] = _CHECK.findall(text)
    return found


def require_java() -> None:
    """Skip the test where the programs cannot be built."""
    try:
        maven.require_java()
    except maven.NotAvailable as reason:
        pytest.skip(str(reason))


def build(project: Path = PROJECT) -> None:
    """Compile a Maven project with its modules, unless that was done since the sources changed."""
    try:
        maven.build(project)
    except maven.NotAvailable as reason:
        pytest.skip(str(reason))


@dataclass(slots=True)
class Outcome:
    """What a run of one class said: checks that passed, checks that failed with their traces, the whole output."""

    passed: list[str]
    failed: dict[str, str]
    output: str


def run(
    generation: str,
    group: str,
    folder: Path,
    *,
    port: int,
    channel: str,
    queue_manager: str,
    helper: Callable[[str], object],
) -> Outcome:
    """Run the checks of one class in a scratch folder, in which the library may leave what it likes.

    ``helper`` does what a check asks of whoever runs the queue manager; see ``Console`` in the programs.
    """
    build()
    folder.mkdir(parents=True, exist_ok=True)
    command = [*java(PROJECT / generation), "mqbridge.checks.Run"]
    command += [group, "127.0.0.1", str(port), channel, queue_manager]
    lines = []
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # Checks that do not come to their turn in time are missed by the caller.
        limit = threading.Timer(RUN_LIMIT, process.kill)
        limit.start()
        try:
            for raw in process.stdout:
                line = raw.decode("utf-8", "replace").rstrip("\n")
                lines.append(line)
                if line.startswith("ask "):
                    process.stdin.write(_answer(helper, line.removeprefix("ask ")).encode() + b"\n")
                    process.stdin.flush()
        finally:
            limit.cancel()
            process.kill()
    return _read(lines)


def _answer(helper: Callable[[str], object], wish: str) -> str:
    try:
        helper(wish)
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("\n", " ")
    return "done"


def _read(lines: list[str]) -> Outcome:
    passed, failed, name = [], {}, ""
    for line in lines:
        if line.startswith("check "):
            _, name, word = line.split()
            if word == "ok":
                passed.append(name)
            else:
                failed[name] = ""
        elif line.startswith(" ") and name in failed:
            failed[name] += line + "\n"
    return Outcome(passed, failed, "\n".join(lines))
