"""Pytest plugin: real queue manager processes. ``service`` is one that runs; ``make_service`` makes more.

::

    def test_it(service):
        service.mqsc("DEFINE QLOCAL(Q)")
        service.put("Q", "hello", Persistence=1)
        service.restart(kill=True)
        assert service.get("Q")["body"]["text"] == "hello"
        assert service.command("get", "Q").exit_code == 1
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mqbridge.bridge.cli import cli
from mqbridge.bridge.rest_client import RestClient, RestResponse, find_address
from support.processes.forked_starts import STARTS, ForkedProcess
from support.rules.judged_recordings import demand_conforming

START_LIMIT = 60.0
"""Seconds in which a queue manager must be ready."""
STOP_LIMIT = 60.0
"""Seconds in which it must end once it is told to."""
_POLL = 0.01
LOCAL_LISTENER = "tcp:0:interface=127.0.0.1"


def wait_for(what: str, condition: Callable[[], Any], limit: float = 60.0) -> Any:
    """Poll until the condition gives something true, and return that; fail after ``limit`` seconds."""
    until = time.monotonic() + limit
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > until:
            raise AssertionError(f"{what}: not within {limit:g} seconds")
        time.sleep(_POLL)


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class RunningService:
    """One ``mqbridge run`` with a data folder of its own; options of the command as given.

    ``port`` is that of its first listener, new at every start unless ``listen`` names one. ``log`` and ``output`` are
    what it wrote to standard error and standard output since it was made. ``descriptors``: how many files it may have
    open. With ``fresh`` its processes are started as users start them, else they are forked, which is quicker.
    """

    def __init__(
        self,
        folder: Path,
        name: str = "EARTH",
        *,
        mqsc: str = "",
        listen: str | None = LOCAL_LISTENER,
        options: tuple[str, ...] = (),
        descriptors: int | None = None,
        fresh: bool = False,
    ) -> None:
        self.name = name
        self.fresh = fresh
        self.descriptors = descriptors
        self.folder = folder
        self.data = folder / "data"
        self.ready_file = folder / "ready.json"
        self.recordings: Path | None = folder / "recordings"
        self.listen = listen
        self.options = list(options)
        self.process: subprocess.Popen[bytes] | ForkedProcess | None = None
        self.queues: list[str] = []
        self._client: RestClient | None = None
        folder.mkdir(parents=True, exist_ok=True)
        if mqsc:
            script = folder / "start.mqsc"
            script.write_text(mqsc, encoding="utf-8")
            self.options += ["--mqsc", str(script)]

    # Its life

    def launch(self) -> subprocess.Popen[bytes] | ForkedProcess:
        """Start the process and wait for nothing."""
        assert self.process is None
        self.ready_file.unlink(missing_ok=True)
        arguments = ["--data", str(self.data), "--qmgr", self.name, "--ready-file", str(self.ready_file)]
        if self.recordings is not None:
            arguments += ["--record", str(self.recordings)]
        if self.listen is not None:
            arguments += ["--listen", self.listen]
        with (self.folder / "output").open("ab") as output, (self.folder / "log").open("ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": log}
            self.process = self._begin(["run", *arguments, *self.options], clean_environment(), **streams)
        return self.process

    def _begin(
        self, arguments: list[str], environment: dict[str, str], **streams: Any
    ) -> subprocess.Popen[bytes] | ForkedProcess:
        if self.fresh:
            assert self.descriptors is None
            command = [sys.executable, "-m", "mqbridge", *arguments]
            return subprocess.Popen(command, cwd=self.folder, env=environment, **streams)
        return STARTS.launch(self.folder, arguments, environment, descriptors=self.descriptors, **streams)

    def start(self) -> RunningService:
        """Start it and wait until everything accepts."""
        process = self.launch()
        wait_for(f"start of {self.name}", lambda: self.ready_file.exists() or process.poll() is not None, START_LIMIT)
        if process.poll() is not None:
            raise AssertionError(f"{self.name} ended with {process.returncode}:\n{self.log}")
        return self

    def signal(self, number: int = signal.SIGTERM) -> None:
        """Send a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self) -> int:
        """Wait for the end; the exit status."""
        process, self.process = self.process, None
        assert process is not None
        self.disconnect()
        return process.wait(STOP_LIMIT)

    def stop(self) -> int:
        """End it in order; the exit status."""
        self.signal()
        return self.wait()

    def kill(self) -> None:
        """SIGKILL, and gone."""
        self.signal(signal.SIGKILL)
        self.wait()

    def restart(self, *, kill: bool = False) -> RunningService:
        """End it, in order or with SIGKILL, and start it again on the same data."""
        if kill:
            self.kill()
        else:
            assert self.stop() == 0, self.log
        return self.start()

    def close(self) -> None:
        """End it whatever its state."""
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.wait()

    # What is known of it

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.process is not None
        return self.process.pid

    @property
    def ready(self) -> dict[str, Any]:
        """What the ready file says."""
        document: dict[str, Any] = json.loads(self.ready_file.read_text(encoding="utf-8"))
        return document

    @property
    def port(self) -> int:
        """Port of its first listener."""
        return int(self.ready["listeners"][0]["port"])

    @property
    def log(self) -> str:
        """Its log so far."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    @property
    def output(self) -> str:
        """What it printed so far."""
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")

    # Its use

    @property
    def client(self) -> RestClient:
        """A connection to its admin endpoint, kept until it ends."""
        if self._client is None:
            self._client = RestClient(find_address(self.data), "test")
        return self._client

    def disconnect(self) -> None:
        """Drop that connection."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def http(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        *,
        token: bool = True,
    ) -> RestResponse:
        """One request on a connection of its own, whatever is answered. ``{qmgr}`` in the path is our name."""
        connection = UnixConnection(str(self.ready["admin"]).removeprefix("unix:"))
        given = {"ibm-mq-rest-csrf-token": ""} if token else {}
        try:
            connection.request(method, path.replace("{qmgr}", self.name), body, {**given, **(headers or {})})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return RestResponse(response.status, found, response.read())
        finally:
            connection.close()

    def mqsc(self, *commands: str) -> list[str]:
        """Carry out commands, each of which must succeed; the lines of all replies."""
        lines = []
        for command in commands:
            reply = self.client.mqsc(command)
            text = [line for entry in reply["commandResponse"] for line in entry["text"]]
            assert reply["overallCompletionCode"] == 0, f"{command}: {text}"
            lines += text
        return lines

    def attribute(self, command: str, keyword: str) -> str:
        """The value of one attribute in the reply to a DISPLAY of one object."""
        text = " ".join(self.mqsc(command))
        return text.partition(f"{keyword}(")[2].partition(")")[0].strip()

    def depth(self, queue: str) -> int:
        """CURDEPTH."""
        return int(self.attribute(f"DISPLAY QLOCAL({queue}) CURDEPTH", "CURDEPTH"))

    def put(self, queue: str, data: str | bytes, **fields: Any) -> str:
        """Put one message, text as MQSTR; fields of its descriptor by IBM's names. Its id in hexadecimal."""
        if isinstance(data, str):
            fields = {"Format": "MQSTR", "CodedCharSetId": 1208, **fields}
            data = data.encode()
        return self.client.put(queue, data, fields)

    def get(self, queue: str, wait: float = 0) -> dict[str, Any] | None:
        """Get one message in the JSON form, None where there is none."""
        found = self.client.messages(queue, takes=True, wait=wait)
        return found[0] if found else None

    def browse(self, queue: str, limit: int = 1000) -> list[dict[str, Any]]:
        """The messages of a queue in the JSON form, left where they are."""
        return self.client.messages(queue, takes=False, limit=limit)

    def command(self, *arguments: str, input: str | bytes | None = None) -> Result:
        """Run a command of ``mqbridge`` on this queue manager, in this process."""
        name, *rest = arguments
        return CliRunner().invoke(
            cli, [name, "--data", str(self.data), *rest], input=input, prog_name="mqbridge", catch_exceptions=False
        )

    def spawn(
        self,
        *arguments: str,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        environment: dict[str, str] | None = None,
    ) -> subprocess.Popen[bytes] | ForkedProcess:
        """Start a command of ``mqbridge`` on this queue manager as a process of its own; the caller waits for it."""
        given = {**clean_environment(), "MQBRIDGE_DATA": str(self.data), **(environment or {})}
        return self._begin([*arguments], given, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE)


def clean_environment() -> dict[str, str]:
    """Return the environment without the variables that change what commands do."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MQBRIDGE_")}


MakeService = Callable[..., RunningService]


@pytest.fixture
def make_service(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MakeService]:
    """Return a maker of queue managers (arguments of `RunningService` but the folder); all are ended after the test.

    With ``start=False`` the process is not started. Everything that they and their partners put on the wire is recorded
    and judged when the test is over: an error fails it, unless it is marked ``faulty_traffic``.
    """
    made: list[RunningService] = []

    def make(name: str = "EARTH", *, start: bool = True, **arguments: Any) -> RunningService:
        service = RunningService(tmp_path / name, name, **arguments)
        made.append(service)
        return service.start() if start else service

    yield make
    for service in made:
        service.close()
    if request.node.get_closest_marker("faulty_traffic") is None:
        demand_conforming(service.recordings for service in made)


@pytest.fixture(scope="module")
def shared_service(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[RunningService]:
    """Return a running queue manager EARTH for all tests of a module, which must leave it running; see ``queue``."""
    service = RunningService(tmp_path_factory.mktemp("shared"), options=("--store", "memory"))
    yield service.start()
    service.close()
    if request.node.get_closest_marker("faulty_traffic") is None:
        demand_conforming([service.recordings])


@pytest.fixture
def queue(shared_service: RunningService) -> str:
    """Return the name of a new local queue at the shared queue manager."""
    number = len(shared_service.queues)
    name = f"Q.{number}"
    shared_service.queues.append(name)
    shared_service.mqsc(f"DEFINE QLOCAL({name}) MAXDEPTH(999999)")
    return name


@pytest.fixture
def service(make_service: MakeService) -> RunningService:
    """Return a running queue manager EARTH with an empty data folder and one listener on a free port."""
    return make_service()
