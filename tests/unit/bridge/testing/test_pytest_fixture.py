"""The fixture ``mq``: a fresh queue manager for each test, apart from the tests' own modules, and fast."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import mqbridge
from mqbridge import pytest_plugin

QUEUE = "DEV.QUEUE.1"
HOME = Path(pytest_plugin.__file__).parent
USERS_TEST = """
import asyncio
import protocol

async def program(host, port):
    reader, writer = await asyncio.open_connection(host, port)
    writer.close()
    await writer.wait_closed()

def test_first(mq):
    assert protocol.MINE
    asyncio.run(program(mq.host, mq.port))
    mq.put("DEV.QUEUE.1", "x")
    assert mq.depth("DEV.QUEUE.1") == 1

def test_second(mq):
    assert mq.messages("DEV.QUEUE.1") == []
"""


@pytest.mark.parametrize("number", [1, 2])
def test_each_test_has_a_fresh_queue_manager(mq: Any, number: int) -> None:
    assert mq.messages(QUEUE) == []
    mq.mqsc("DEFINE QLOCAL(MINE)")
    mq.put("MINE", b"\0\1", CorrelId="61" * 24)
    mq.put("MINE", "text")
    first, second = mq.messages("MINE")
    assert (first.data, first.text, first.md["CorrelId"]) == (b"\0\1", None, "61" * 24)
    assert (second.text, second.properties, mq.depth("MINE")) == ("text", {}, 2)
    assert "AMQ8003" in mq.log


def test_what_a_program_puts_is_seen(mq: Any) -> None:
    with mq.connect() as qm:
        qm.put(QUEUE, "hello", properties={"colour": "red"}, persistent=True)
    (message,) = mq.messages(QUEUE)
    assert (message.text, message.properties, message.md["Persistence"]) == ("hello", {"colour": "red"}, 1)
    assert mq.environment == {"MQSERVER": f"DEV.APP.SVRCONN/TCP/127.0.0.1({mq.port})"}


@pytest.mark.parametrize("number", [1, 2])
def test_a_queue_manager_may_demand_tls(mq_tls: Any, number: int) -> None:
    with mq_tls.connect() as qm:
        qm.put(QUEUE, "hello")
        assert (qm.tls.protocol, str(qm.tls.certificate.subject)) == ("TLSV13", "CN=QM1")
    assert [message.text for message in mq_tls.messages(QUEUE)] == ["hello"]
    with mqbridge.connect(f"{mq_tls.url}&certificate={mq_tls.certificate}&peer=CN=QM1,SERIALNUMBER=*") as qm:
        shown = " ".join(mq_tls.mqsc("DISPLAY CHSTATUS(*) SSLPEER SECPROT"))
    assert "CN=client" in shown
    assert "SECPROT(TLSV13)" in shown
    with pytest.raises(mqbridge.TlsFailed, match="2397"):
        mqbridge.connect(f"mq://{mq_tls.host}:{mq_tls.port}/QM1")


def test_variables_of_the_environment_are_for_tls_too(mq_tls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in mq_tls.environment.items():
        monkeypatch.setenv(name, value)
    with mqbridge.connect() as qm:
        assert qm.tls is not None


def test_a_command_that_fails_says_so(mq: Any) -> None:
    with pytest.raises(pytest_plugin.CommandFailed, match="AMQ8147"):
        mq.mqsc("DISPLAY QLOCAL(NO.SUCH)")
    with pytest.raises(pytest_plugin.CommandFailed, match="2085"):
        mq.put("NO.SUCH", "x")


def test_the_next_queue_manager_is_there_in_no_time() -> None:
    seconds = []
    began = time.perf_counter()
    helper = pytest_plugin.Helper()
    for _ in range(10):
        manager = pytest_plugin.TestQueueManager(helper)
        seconds.append(time.perf_counter() - began)
        manager.close()
        began = time.perf_counter()
    helper.close()
    assert min(seconds) < seconds[0] / 10, "a process is not started for each"


def test_open_connections_do_not_hold_up_the_end(mqbridge_helper: Any) -> None:
    manager = pytest_plugin.TestQueueManager(mqbridge_helper)
    qm = manager.connect()
    qm.put(QUEUE, "x", syncpoint=True)
    began = time.perf_counter()
    manager.close()
    assert time.perf_counter() - began < 8
    qm.abort()


def test_a_helper_that_ends_is_an_error_that_says_why() -> None:
    helper = pytest_plugin.Helper()
    helper._process.kill()
    with pytest.raises(pytest_plugin.HelperError, match="ended with -9"):
        helper.ask(do="new")
    folder = helper.folder
    helper.close()
    assert not folder.exists()


def test_a_queue_manager_whose_helper_has_ended_says_so() -> None:
    helper = pytest_plugin.Helper()
    manager = pytest_plugin.TestQueueManager(helper)
    helper._process.kill()
    with pytest.raises(pytest_plugin.HelperError, match="ended with -9"):
        manager.put("DEV.QUEUE.1", "too late")
    helper.close()


def test_modules_of_the_tests_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "protocol.py").write_text("MINE = True\n")
    assert "2 passed" in run_pytest(tmp_path, USERS_TEST)


def test_tls_is_an_option(tmp_path: Path) -> None:
    written = "def test_it(mq):\n    with mq.connect() as qm:\n        assert qm.tls.protocol == 'TLSV13'\n"
    assert "1 passed" in run_pytest(tmp_path, written, "--mqbridge-tls")


def run_pytest(folder: Path, written: str, *options: str) -> str:
    """Run a file of tests, which all pass; return what pytest says."""
    (folder / "test_users.py").write_text(written)
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", *options, str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_plugin_imports_no_room() -> None:
    code = "import sys, mqbridge.pytest_plugin; print(*(name for name in sys.modules if name.startswith('mqbridge')))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, cwd=HOME
    )
    assert result.stdout.split() == ["mqbridge", "mqbridge.pytest_plugin"]
