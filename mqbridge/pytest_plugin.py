"""Pytest plugin with the fixtures ``mq`` and ``mq_tls``: a new queue manager in memory for each test.

One helper process per session runs them, with its own interpreter, independent of the tests' module search path and
event loop. This file imports only the standard library and pytest, so that it does not affect what the tests import.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from mqbridge.bridge.client import QueueManager

CHANNEL: Final = "DEV.APP.SVRCONN"
CIPHER: Final = "ANY_TLS12_OR_HIGHER"
ANSWER_TIMEOUT: Final = 30.0
"""Seconds for the queue manager to answer a command."""
END_TIMEOUT: Final = 10.0
MAX_MESSAGES: Final = 999_999
_HOME: Final = str(Path(__file__).resolve().parents[1])
_PROGRAM: Final = "import sys; sys.path.insert(0, {home!r}); import mqbridge; mqbridge.run_test_helper()"
_TOKEN: Final = {"ibm-mq-rest-csrf-token": "pytest"}


class HelperError(Exception):
    """The helper process has ended, or failed to do what was requested."""


class CommandFailed(Exception):
    """An MQSC command failed; ``lines`` of its reply."""

    def __init__(self, command: str, lines: list[str]) -> None:
        super().__init__(f"{command}: {' '.join(lines)}")
        self.lines = lines


class Helper:
    """The helper process."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mqbridge-"))
        self._errors = (self.folder / "errors").open("wb+")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM.format(home=_HOME), str(self.folder)],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )

    def ask(self, **order: Any) -> dict[str, Any]:
        """Send a request and return the answer. Raises `HelperError`."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = b""
        if not line:
            self.check(END_TIMEOUT)
            raise HelperError("the helper process has closed its output")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise HelperError(answer["error"])
        return answer

    def check(self, patience: float = 1.0) -> None:
        """Raise `HelperError` if the process has ended, or ends within ``patience`` seconds."""
        try:
            status = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            return
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace")
        raise HelperError(f"the helper process ended with {status}:\n{text}")

    def close(self) -> None:
        """End it."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        self._errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class QueuedMessage:
    """A message on a queue. ``md``: fields of its descriptor by IBM's names, ids in hexadecimal. ``properties``: by
    name. ``text``: None if it is not text. ``data``: its bytes behind the properties."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.md: dict[str, Any] = document["MQMD"]
        self.properties: dict[str, Any] = {name: each["value"] for name, each in document["properties"].items()}
        self.text: str | None = document["body"].get("text")
        self.data: bytes = bytes.fromhex(document["body"]["hex"])

    def __repr__(self) -> str:
        return f"<QueuedMessage {self.data[:40]!r}>"


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=ANSWER_TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class TestQueueManager:
    """The value of the fixtures: a queue manager with the default objects, such as ``DEV.QUEUE.1``.

    ``name``, ``host``, ``port`` and ``channel`` are for the program under test; any user can connect, also without a
    user id. With ``tls`` the channel demands TLS 1.2 or higher: ``authority`` is a file with the certificate that
    clients trust, ``certificate`` one with key and certificate of a client, which need not be used; else both are None.
    """

    __test__ = False

    def __init__(self, helper: Helper, *, tls: bool = False) -> None:
        self._helper = helper
        told = helper.ask(do="new", tls=tls)
        self._number: int = told["number"]
        self._admin: str = told["admin"].removeprefix("unix:")
        self.name: str = told["name"]
        self.host: str = told["host"]
        self.port: int = told["port"]
        self.channel = CHANNEL
        self.authority = Path(told["authority"]) if tls else None
        self.certificate = Path(told["certificate"]) if tls else None
        if tls:
            self.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH({CIPHER}) SSLCAUTH(OPTIONAL)")

    @property
    def url(self) -> str:
        """Return the URL for ``mqbridge.connect`` and ``--client``."""
        address = f"{self.host}:{self.port}/{self.name}?channel={self.channel}"
        return f"mq://{address}" if self.authority is None else f"mqs://{address}&trusted={quote(str(self.authority))}"

    @property
    def environment(self) -> dict[str, str]:
        """Return environment variables for programs with IBM's C client, or ours; with TLS for ours."""
        found = {"MQSERVER": f"{self.channel}/TCP/{self.host}({self.port})"}
        return found if self.authority is None else {**found, "MQSSLKEYR": str(self.authority)}

    def mqsc(self, *commands: str) -> list[str]:
        """Run MQSC commands; return the lines of their replies. Raises `CommandFailed`."""
        lines: list[str] = []
        for command in commands:
            order = {"type": "runCommand", "parameters": {"command": command}}
            path = f"/ibmmq/rest/v2/admin/action/qmgr/{quote(self.name)}/mqsc"
            reply = json.loads(self._request("POST", path, json.dumps(order).encode(), "application/json"))
            text = [line for entry in reply["commandResponse"] for line in entry["text"]]
            if reply["overallCompletionCode"]:
                raise CommandFailed(command, text)
            lines += text
        return lines

    def messages(self, queue: str) -> list[QueuedMessage]:
        """Browse the messages on a queue."""
        path = f"{self._path(queue)}?limit={MAX_MESSAGES}&wait=0"
        found = self._request("GET", path, None, "application/x-ndjson")
        return [QueuedMessage(json.loads(line)) for line in found.split(b"\n") if line]

    def depth(self, queue: str) -> int:
        """Return the number of messages on a queue."""
        reply = " ".join(self.mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH"))
        return int(reply.partition("CURDEPTH(")[2].partition(")")[0])

    def put(self, queue: str, body: str | bytes, **fields: Any) -> str:
        """Put a message, text as MQSTR; ``fields`` of its descriptor by IBM's names. Returns its id in hexadecimal."""
        data = body.encode() if isinstance(body, str) else body
        described = {"Format": "MQSTR", "CodedCharSetId": 1208} if isinstance(body, str) else {}
        line = {"MQMD": described | fields, "body": {"hex": data.hex()}}
        found = self._request("POST", self._path(queue), json.dumps(line).encode() + b"\n", "application/x-ndjson")
        return str(json.loads(found)["messageId"])

    def connect(self, **parameters: Any) -> QueueManager:
        """Connect with our own client, as ``mqbridge.connect``."""
        import mqbridge

        return mqbridge.connect(self.url, **parameters)

    @property
    def log(self) -> str:
        """Return the queue manager's log."""
        return str(self._helper.ask(do="log", number=self._number)["log"])

    def close(self) -> None:
        """End the queue manager, with all connections."""
        self._helper.ask(do="end", number=self._number)

    def _path(self, queue: str) -> str:
        return f"/ibmmq/rest/v2/messaging/qmgr/{quote(self.name)}/queue/{quote(queue, safe='')}/message"

    def _request(self, method: str, path: str, body: bytes | None, kind: str) -> bytes:
        connection = _UnixConnection(self._admin)
        try:
            connection.request(method, path, body, {"Content-Type": kind, "Accept": kind, **_TOKEN})
            response = connection.getresponse()
            found = response.read()
            if response.status >= 400:
                raise CommandFailed(f"{method} {path}", [found.decode(errors="replace")])
            return found
        except OSError:
            self._helper.check()
            raise
        finally:
            connection.close()

    def __repr__(self) -> str:
        return f"<TestQueueManager {self.url}>"


@pytest.fixture(scope="session")
def mqbridge_helper() -> Iterator[Helper]:
    """Start the helper process of the session, when the first test uses ``mq``."""
    helper = Helper()
    yield helper
    helper.close()


@pytest.fixture
def mq(mqbridge_helper: Helper, pytestconfig: pytest.Config) -> Iterator[TestQueueManager]:
    """Return a new queue manager in memory: ``host``, ``port``, ``channel``, ``url``, ``mqsc``, ``messages`` …"""
    manager = TestQueueManager(mqbridge_helper, tls=pytestconfig.getoption("mqbridge_tls"))
    yield manager
    manager.close()


@pytest.fixture
def mq_tls(mqbridge_helper: Helper) -> Iterator[TestQueueManager]:
    """Return a new queue manager in memory whose channel demands TLS: ``url``, ``authority``, ``certificate`` …"""
    manager = TestQueueManager(mqbridge_helper, tls=True)
    yield manager
    manager.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--mqbridge-tls``."""
    group = parser.getgroup("mqbridge")
    group.addoption(
        "--mqbridge-tls",
        action="store_true",
        help="the queue managers of the fixture mq demand TLS, as those of mq_tls",
    )
