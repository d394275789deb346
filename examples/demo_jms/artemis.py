"""Apache Artemis as the provider at the far end of a link: fetched by Maven once, on the loopback interface, ended by
its pid."""

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
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from maven import NotAvailable, require_java, run_maven

VERSION: Final = "2.39.0"
COPY: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mqbridge"
FETCH_LIMIT: Final = 400
CREATE_LIMIT: Final = 120
START_LIMIT: Final = 90.0
STOP_LIMIT: Final = 60.0
USER, PASSWORD = "admin", "a word"


class StartFailed(Exception):
    """The broker did not start; the text is what it said."""


def home() -> Path:
    """The unpacked broker; fetched and unpacked once for a user. Raises `NotAvailable`."""
    require_java()
    CACHE.mkdir(parents=True, exist_ok=True)
    unpacked = CACHE / f"apache-artemis-{VERSION}"
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (unpacked / "unpacked").exists():
            return unpacked
        artifact = f"-Dartifact=org.apache.activemq:apache-artemis:{VERSION}:zip:bin"
        run_maven([COPY, artifact, f"-DoutputDirectory={CACHE}"], CACHE, FETCH_LIMIT)
        archive = CACHE / f"apache-artemis-{VERSION}-bin.zip"
        if not archive.exists():
            raise NotAvailable("the broker Artemis cannot be had from the Maven repository")
        shutil.rmtree(unpacked, ignore_errors=True)
        with zipfile.ZipFile(archive) as file:
            file.extractall(CACHE)
        archive.unlink()
        (unpacked / "bin" / "artemis").chmod(0o755)
        (unpacked / "unpacked").touch()
    return unpacked


class Artemis:
    """One broker with its data in a folder. Its AMQP acceptor keeps ``port`` over restarts; ``own_port`` is that of its
    own protocol.

    ``queues``: of these names it has some from the beginning, which stay; others come and go with their users.
    ``anonymous``: whether a user without password may do everything; ``user`` has one. ``journal``: ``"nio"`` or
    ``"aio"``. ``duplicate_ids``: how many ids of messages it remembers for each address. Raises `NotAvailable`.
    """

    def __init__(
        self,
        folder: Path,
        port: int,
        own_port: int,
        *,
        queues: Sequence[str] = (),
        anonymous: bool = True,
        user: str = USER,
        journal: str = "nio",
        duplicate_ids: int | None = None,
    ) -> None:
        self.folder = folder
        self.port = port
        self._process: subprocess.Popen[bytes] | None = None
        command = [str(home() / "bin" / "artemis"), "create", str(folder), "--silent", "--user", user]
        command += ["--password", PASSWORD, "--allow-anonymous" if anonymous else "--require-login", "--no-web"]
        command += ["--no-stomp-acceptor", "--no-mqtt-acceptor", "--no-hornetq-acceptor", "--no-amqp-acceptor"]
        command += ["--host", "127.0.0.1", "--default-port", str(own_port), f"--{journal}", "--java-memory", "512M"]
        command += ["--no-autotune", "--java-options", "-XX:TieredStopAtLevel=1" if journal == "nio" else "-Dquick=no"]
        subprocess.run(command, capture_output=True, timeout=CREATE_LIMIT, check=True)
        self._configure(queues, duplicate_ids)

    def _configure(self, queues: Sequence[str], duplicate_ids: int | None) -> None:
        file = self.folder / "etc" / "broker.xml"
        text = file.read_text(encoding="utf-8")
        acceptor = f"tcp://127.0.0.1:{self.port}?protocols=AMQP;amqpCredits=1000;amqpLowCredits=300;useEpoll=true"
        text = _after(text, "<acceptors>", f'<acceptor name="amqp">{acceptor}</acceptor>')
        text = re.sub(r"<max-disk-usage>\d+</max-disk-usage>", "<max-disk-usage>99</max-disk-usage>", text)
        assert "<journal-datasync>true</journal-datasync>" in text
        if duplicate_ids is not None:
            size = f"<id-cache-size>{duplicate_ids}</id-cache-size>"
            text = text.replace("<journal-datasync>", f"{size}\n      <journal-datasync>", 1)
        for name in queues:
            made = f'<address name="{name}"><anycast><queue name="{name}"/></anycast></address>'
            text = _after(text, "<addresses>", made)
        file.write_text(text, encoding="utf-8")

    @property
    def endpoint(self) -> str:
        """Where links connect."""
        return f"tcp:127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the broker said since its last start."""
        file = self.folder / "said"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def start(self, limit: float = START_LIMIT) -> None:
        """Start, and wait until it accepts connections. Raises `StartFailed`."""
        with (self.folder / "said").open("wb") as said:
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
                raise StartFailed(f"Artemis did not start: {self.log[-3000:]}")
            time.sleep(0.1)

    def _accepts(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return "AMQ221007" in self.log  # the server is live

    @property
    def pid(self) -> int:
        """The process."""
        assert self._process is not None
        return self._process.pid

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End the broker by a signal, and wait for its end."""
        if self._process is not None:
            if self._process.poll() is None:
                self._process.send_signal(number)
            self._process.wait(STOP_LIMIT)
            self._process = None

    def restart(self) -> None:
        """Kill it and start it again with its data."""
        self.kill()
        self.start()

    def close(self) -> None:
        """End it in order, or by force when that takes too long."""
        try:
            self.kill(signal.SIGTERM)
        except subprocess.TimeoutExpired:
            self.kill()


def _after(text: str, tag: str, added: str) -> str:
    assert text.count(tag) == 1, f"the broker's configuration has no {tag}"
    return text.replace(tag, f"{tag}\n         {added}")
