"""Apache Artemis as a broker at the far end of a link: fetched by Maven, on the loopback interface, ended by its pid.

Where there is no Java 17 or no Maven, or the archive cannot be had, the test is skipped with the reason.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from support.processes.java_programs import require_java
from support.processes.ports import free_port

VERSION = "2.39.0"
ARCHIVE = f"org.apache.activemq:apache-artemis:{VERSION}:zip:bin"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mqbridge-tests"
FETCH_LIMIT = 400
CREATE_LIMIT = 120
START_LIMIT = 90.0
STOP_LIMIT = 60.0
USER, PASSWORD = "admin", "a word"


def home() -> Path:
    """The unpacked broker; fetched and unpacked once on a machine."""
    require_java()
    CACHE.mkdir(parents=True, exist_ok=True)
    unpacked = CACHE / f"apache-artemis-{VERSION}"
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (unpacked / "unpacked").exists():
            return unpacked
        command = ["mvn", "--quiet", "--batch-mode", "dependency:copy", f"-Dartifact={ARCHIVE}"]
        command.append(f"-DoutputDirectory={CACHE}")
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip("Maven did not bring the broker in time")
        archive = CACHE / f"apache-artemis-{VERSION}-bin.zip"
        if result.returncode or not archive.exists():
            pytest.skip("the broker Artemis cannot be had from the Maven repository")
        shutil.rmtree(unpacked, ignore_errors=True)
        with zipfile.ZipFile(archive) as file:
            file.extractall(CACHE)
        archive.unlink()
        (unpacked / "bin" / "artemis").chmod(0o755)
        (unpacked / "unpacked").touch()
    return unpacked


class Artemis:
    """One broker with its data in a folder. Its AMQP acceptor keeps its port over restarts.

    ``anonymous``: whether a user without password may do everything. ``journal``: ``"nio"`` or ``"aio"``.
    ``duplicate_ids``: how many ids of messages it remembers for each address.
    """

    def __init__(
        self, folder: Path, *, anonymous: bool = True, journal: str = "nio", duplicate_ids: int | None = None
    ) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        command = [str(home() / "bin" / "artemis"), "create", str(folder), "--silent", "--user", USER]
        command += ["--password", PASSWORD, "--allow-anonymous" if anonymous else "--require-login", "--no-web"]
        command += ["--no-stomp-acceptor", "--no-mqtt-acceptor", "--no-hornetq-acceptor", "--no-amqp-acceptor"]
        command += ["--host", "127.0.0.1", "--default-port", str(free_port()), f"--{journal}", "--java-memory", "512M"]
        command += ["--no-autotune", "--java-options", "-XX:TieredStopAtLevel=1" if journal == "nio" else "-Dquick=no"]
        subprocess.run(command, capture_output=True, timeout=CREATE_LIMIT, check=True)
        self._configure(duplicate_ids)

    def _configure(self, duplicate_ids: int | None) -> None:
        file = self.folder / "etc" / "broker.xml"
        text = file.read_text(encoding="utf-8")
        acceptor = f"tcp://127.0.0.1:{self.port}?protocols=AMQP;amqpCredits=1000;amqpLowCredits=300;useEpoll=true"
        acceptor = f'<acceptor name="amqp">{acceptor}</acceptor>'
        text, found = re.subn(r"<acceptors>", f"<acceptors>\n         {acceptor}", text)
        assert found == 1
        text = re.sub(r"<max-disk-usage>\d+</max-disk-usage>", "<max-disk-usage>99</max-disk-usage>", text)
        assert "<journal-datasync>true</journal-datasync>" in text
        if duplicate_ids is not None:
            size = f"<id-cache-size>{duplicate_ids}</id-cache-size>"
            text = text.replace("<journal-datasync>", f"{size}\n      <journal-datasync>", 1)
        file.write_text(text, encoding="utf-8")

    @property
    def endpoint(self) -> str:
        """Where links connect."""
        return f"tcp:127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the broker said."""
        file = self.folder / "said"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def start(self, limit: float = START_LIMIT) -> None:
        """Start, and wait until it accepts connections."""
        with (self.folder / "said").open("ab") as said:
            self._process = subprocess.Popen(
                [str(self.folder / "bin" / "artemis"), "run"],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        until = time.monotonic() + limit
        while not self._accepts():
            if self._process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise AssertionError(f"Artemis did not start: {self.log[-3000:]}")
            time.sleep(0.1)

    def _accepts(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return "AMQ221007" in self.log  # the server is live

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End the broker by a signal, and wait for its end."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(number)
        process.wait(STOP_LIMIT)

    def restart(self) -> None:
        """Kill it and start it again with its data."""
        self.kill()
        (self.folder / "said").unlink(missing_ok=True)
        self.start()

    def close(self) -> None:
        """End it in order, or by force when that takes too long."""
        try:
            self.kill(signal.SIGTERM)
        except subprocess.TimeoutExpired:
            self.kill()
