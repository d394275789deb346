"""The examples with the Python client and with the fixture ``mq`` run as they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import TMC2

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


@pytest.mark.spec("channels.md 13")
@pytest.mark.spec("mq-wire.md 5.15")
def test_the_trigger_monitor(mq: Any, tmp_path: Path) -> None:
    """A message starts the program that its queue names, which is told by an MQTMC2 why it runs."""
    told = tmp_path / "told.json"
    program = tmp_path / "program.py"
    save = f"pathlib.Path({str(told)!r}).write_text(json.dumps(sys.argv[1:]))"
    program.write_text(f"import json, pathlib, sys\n{save}\n")
    mq.mqsc("DEFINE QLOCAL(STARTS)")
    mq.mqsc(f"DEFINE PROCESS(P) APPLICID('{sys.executable} {program}') ENVRDATA('more') USERDATA('mine')")
    mq.mqsc("DEFINE QLOCAL(WORK) TRIGGER TRIGTYPE(FIRST) PROCESS(P) INITQ(STARTS) TRIGDATA('data')")
    mq.put("WORK", "job")  # nobody serves the initiation queue yet: the trigger comes when somebody does
    result = run(str(EXAMPLES / "trigger_monitor.py"), mq.url, "STARTS", "1")
    assert (result.returncode, result.stderr) == (0, "")
    argument, environment = json.loads(told.read_text())
    assert environment == "more"
    record = TMC2.codec(ByteOrder.BIG).parse(argument.encode(), 0)
    assert len(argument) == TMC2.size
    texts = {key: value.decode().rstrip() for key, value in record.as_dict().items()}
    assert (texts["q_name"], texts["process_name"], texts["trigger_data"]) == ("WORK", "P", "data")
    assert (texts["user_data"], texts["q_mgr_name"], texts["version"]) == ("mine", mq.name, "   2")
