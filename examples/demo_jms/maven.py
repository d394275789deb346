"""Java programs that Maven builds once, with the libraries that it fetches."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

OLDEST_JAVA: Final = 17
BUILD_LIMIT: Final = 600
"""Seconds that Maven may take."""
MAVEN_OPTIONS: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of the Java that runs it: it ends before the better code of the slower compiler pays."""
_NOT_FETCHED: Final = ("Could not transfer", "Could not resolve", "could not be resolved", "was not found in")


class NotAvailable(Exception):
    """What a program needs cannot be had here; the text says what it is, in one sentence."""


class BuildFailed(Exception):
    """Maven did not build a project; the text is what it said."""


def require_java() -> None:
    """Raise `NotAvailable` unless there are a compiler for Java 17, and Maven."""
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None:
            raise NotAvailable(f"{program} is not installed")
    version = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    number = re.search(r'version "(\d+)', version)
    if number is None or int(number[1]) < OLDEST_JAVA:
        found = version.splitlines()[0] if version else "nothing"
        raise NotAvailable(f"Java {OLDEST_JAVA} is needed, not {found}")


def build(project: Path) -> None:
    """Compile a project with its modules, unless that was done since the sources changed. Raises `NotAvailable`, and
    `BuildFailed`."""
    require_java()
    done = project / "target" / "done"
    done.parent.mkdir(exist_ok=True)
    with (project / "target" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sources = [file for file in project.rglob("src/**/*") if file.is_file()]
        newest = max(file.stat().st_mtime for file in [*sources, *project.rglob("pom.xml")])
        if done.exists() and done.stat().st_mtime >= newest:
            return
        run_maven(["process-classes"], project)
        done.touch()


def run_maven(arguments: list[str], folder: Path, limit: float = BUILD_LIMIT) -> None:
    """Run Maven in a folder. Raises `NotAvailable` where it cannot fetch something in time, and `BuildFailed`."""
    command = ["mvn", "--quiet", "--batch-mode", *arguments]
    environment = {"MAVEN_OPTS": MAVEN_OPTIONS, **os.environ}
    try:
        result = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotAvailable("Maven did not end in time") from None
    if result.returncode:
        said = result.stdout + result.stderr
        if any(words in said for words in _NOT_FETCHED):
            raise NotAvailable("the libraries and the broker cannot be had from the Maven repository")
        raise BuildFailed(said[-4000:])


def java(project: Path) -> list[str]:
    """The command that runs a class of a compiled project, but for the name of the class."""
    target = project / "target"
    options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.name=app"]
    return ["java", *options, "-cp", os.pathsep.join([str(target / "classes"), str(target / "lib" / "*")])]
