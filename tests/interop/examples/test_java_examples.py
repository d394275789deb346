"""The examples in Java do what their pages say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.processes import java_programs
from support.processes.running_service import RunningService

EXAMPLES = Path(__file__).parents[3] / "examples"
LIMIT = 300


def output(name: str, folder: Path, program: str, *arguments: str) -> list[str]:
    """Builds an example and runs it in a scratch folder; what it says, line by line."""
    project = EXAMPLES / name
    java_programs.build(project)
    command = [*java_programs.java(project), program, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(folder.glob("FFDC/*")), "the client library reports a fault of its own"
    return done.stdout.splitlines()


@pytest.mark.timeout(1500)
def test_the_smallest_program_for_jms(service: RunningService, tmp_path: Path) -> None:
    assert output("java_jms", tmp_path, "SendAndReceive", str(service.port)) == ["hello"]
    assert service.depth("DEV.QUEUE.1") == 0


@pytest.mark.timeout(1500)
def test_a_spring_program_works_in_transactions(service: RunningService, tmp_path: Path) -> None:
    port = f"--ibm.mq.connName=127.0.0.1({service.port})"
    assert output("spring", tmp_path, "orders.Application", port) == [
        "delivery 1 of 250 screws",
        "delivery 2 of 250 screws",
        "shipped at try 2: 250 screws",
    ]
    assert (service.depth("DEV.QUEUE.1"), service.depth("DEV.QUEUE.2")) == (0, 0)
