"""The examples with the Python client and with the fixture ``mq`` run as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[3] / "examples"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, **environment},
    )


def test_the_python_client(mq: Any) -> None:
    result = run(str(EXAMPLES / "python_client.py"), mq.url)
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "selected: ['world']",
        "hello {'colour': 'red'}",
        "world {'colour': 'blue'}",
    ]
    assert mq.messages("DEV.QUEUE.1") == []
    assert run(str(EXAMPLES / "python_client.py"), **mq.environment).returncode == 0


def test_the_fixture() -> None:
    result = run("-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES / "pytest_fixture"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 passed" in result.stdout
