"""Apache Artemis as the provider at the far end of a link: fetched by Maven once, on the loopback interface, ended by
its pid."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from maven import NotAvailable, require_java, run_maven

VERSION: Final = "2.39.0"
COPY: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mqbridge"
FETCH_LIMIT: Final = 400
CREATE_LIMIT: Final = 120
START_LIMIT: Final = 90.0
STOP_LIMIT: Final = 60.0
USER, PASSWORD = "admin", "a word"
_MADE_PORT: Final = 61616
"""The port of its own protocol that ``artemis create`` writes, and each broker replaces."""


class StartFailed(Exception):
    """The broker did not start; the text is what it said."""


def home() -> Path:
    """The unpacked broker; fetched and unpacked once for a user. Raises `NotAvailable`."""
    require_java()
    unpacked = CACHE / f"apache-artemis-{VERSION}"
    with _alone():
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


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Nobody else makes anything in the cache."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make_instance(folder: Path, options: Sequence[str]) -> None:
    """What ``artemis create`` makes, copied: it takes a second and a half, and runs once for these options. Raises
    `NotAvailable`."""
    unpacked = home().resolve()
    pattern = unpacked / "instances" / hashlib.sha256("\0".join(options).encode()).hexdigest()[:16]
    with _alone():
        if not (pattern / "made").exists():
            shutil.rmtree(pattern, ignore_errors=True)
            command = [str(unpacked / "bin" / "artemis"), "create", str(pattern), *options]
            subprocess.run(command, capture_output=True, timeout=CREATE_LIMIT, check=True)
            (pattern / "made").touch()
    shutil.copytree(pattern, folder)
    here = folder.resolve()
    for name in ("bin/artemis", "etc/artemis.profile", "etc/artemis-utility.profile", "etc/bootstrap.xml"):
        file = folder / name
        text = file.read_text(encoding="utf-8")
        assert quote(str(pattern)) in text, f"{name} does not name the broker's folder"
        text = text.replace(f"file:{quote(str(pattern))}", f"file:{quote(str(here))}")
        file.write_text(text.replace(str(pattern), str(here)), encoding="utf-8")


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
        made = ["--silent", "--user", user, "--password", PASSWORD, "--host", "127.0.0.1", "--no-web"]
        made += ["--allow-anonymous" if anonymous else "--require-login", "--default-port", str(_MADE_PORT)]
        made += ["--no-stomp-acceptor", "--no-mqtt-acceptor", "--no-hornetq-acceptor", "--no-amqp-acceptor"]
        made += [f"--{journal}", "--java-memory", "512M", "--no-autotune", "--java-options"]
        made += ["-XX:TieredStopAtLevel=1" if journal == "nio" else "-Dquick=no"]
        _make_instance(folder, made)
        self._configure(own_port, queues, duplicate_ids)

    def _configure(self, own_port: int, queues: Sequence[str], duplicate_ids: int | None) -> None:
        file = self.folder / "etc" / "broker.xml"
        text = file.read_text(encoding="utf-8")
        assert text.count(f":{_MADE_PORT}?") == 1
        text = text.replace(f":{_MADE_PORT}?", f":{own_port}?")
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
