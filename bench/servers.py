"""The servers that benches compare, each a process with a folder of its own: ours, Apache Artemis, RabbitMQ."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from java_side import TARGET

START_LIMIT = 90.0
STOP_LIMIT = 30.0
POLL = 0.005
_TICKS = os.sysconf("SC_CLK_TCK")
_RABBIT = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


class NoServer(Exception):
    """A server is not available; the message says why."""


def free_port() -> int:
    """A free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def processor(session: int) -> float:
    """User and system seconds of the processes of a session, or of a process that leads none."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session or int(stat.parent.name) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / _TICKS


def _end(number: int, frame: object) -> None:
    """Stop the servers when the bench is terminated."""
    del frame
    raise SystemExit(128 + number)


class Server:
    """A process that listens; ``port``."""

    name = ""

    def __init__(self) -> None:
        signal.signal(signal.SIGTERM, _end)
        self._folder = tempfile.TemporaryDirectory(prefix="mqbridge-bench-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name)
        self.port = free_port()
        self.process: subprocess.Popen[bytes]

    def launch(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        """Start the process; what it says goes into a file."""
        with (self.folder / "output").open("wb") as output:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def wait_for(self, condition: Any) -> None:
        """Wait until the process is ready. Raises `NoServer` when it ends or takes too long."""
        until = time.monotonic() + START_LIMIT
        while not condition():
            if self.process.poll() is not None or time.monotonic() > until:
                output = (self.folder / "output").read_text(errors="replace")[-1500:]
                self.close()
                raise NoServer(f"{self.name} did not start: {output}")
            time.sleep(POLL)

    def listens(self) -> bool:
        """Whether the port is open."""
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def processor(self) -> float:
        """User and system seconds that it has used."""
        return processor(self.process.pid)

    def stop(self) -> None:
        """End the process."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_LIMIT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def close(self) -> None:
        """End it for good."""
        self.stop()
        self._folder.cleanup()


class Ours(Server):
    """``mqbridge run`` with a store on disk. ``keys``: a key repository of its own, written by this function.
    ``environment``: further variables."""

    name = "mqbridge"

    def __init__(
        self,
        mqsc: str = "",
        *options: str,
        keys: Callable[[Path], object] | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        super().__init__()
        if keys is not None:
            (self.folder / "data").mkdir(mode=0o700)
            keys(self.folder / "data" / "ssl")
        script, ready = self.folder / "start.mqsc", self.folder / "ready.json"
        script.write_text(mqsc, encoding="utf-8")
        command = [sys.executable, "-m", "mqbridge", "run", "--data", str(self.folder / "data"), "--qmgr", "BENCH"]
        command += ["--listen", "tcp:0:interface=127.0.0.1", "--ready-file", str(ready), "--mqsc", str(script)]
        self.launch([*command, *options], environment)
        self.wait_for(ready.exists)
        self.ready = json.loads(ready.read_text(encoding="utf-8"))
        self.port = self.ready["listeners"][0]["port"]


class Artemis(Server):
    """Apache Artemis with a sync for each commit, and with its asynchronous journal if libaio is available.

    With a key store (file, password, cipher suite) it listens inside TLS as well, at ``port_of_tls``.
    """

    name = "Artemis"

    def __init__(self, key_store: tuple[Path, str, str] | None = None) -> None:
        super().__init__()
        home = next(TARGET.glob("apache-artemis-*"), None)
        if home is None:
            raise NoServer("the broker was not fetched")
        self.journal = "aio" if has_libaio() else "nio"
        (home / "bin" / "artemis").chmod(0o755)
        self.instance = self.folder / "broker"
        options = [f"--{self.journal}", "--silent", "--user", "admin", "--password", "admin", "--allow-anonymous"]
        options += ["--no-web", "--no-amqp-acceptor", "--no-stomp-acceptor", "--no-mqtt-acceptor"]
        options += ["--no-hornetq-acceptor", "--no-autotune", "--host", "127.0.0.1", "--default-port", str(self.port)]
        created = subprocess.run(
            [str(home / "bin" / "artemis"), "create", str(self.instance), *options, "--java-memory", "512M"],
            capture_output=True,
            text=True,
            timeout=START_LIMIT,
            check=False,
        )
        if created.returncode:
            raise NoServer(f"artemis create: {created.stdout[-500:]}{created.stderr[-500:]}")
        broker = self.instance / "etc" / "broker.xml"
        text = broker.read_text(encoding="utf-8")
        if "<journal-datasync>true</journal-datasync>" not in text:
            raise NoServer("its journal is not synced")
        text = re.sub(r"<max-disk-usage>\d+</max-disk-usage>", "<max-disk-usage>99</max-disk-usage>", text)
        broker.write_text(text, encoding="utf-8")
        self.port_of_tls = 0
        if key_store is not None:
            self.port_of_tls = free_port()
            text = broker.read_text(encoding="utf-8")
            broker.write_text(text.replace("</acceptors>", self._acceptor(*key_store) + "</acceptors>"), "utf-8")
        self.run()

    def _acceptor(self, file: Path, password: str, cipher_suite: str) -> str:
        """A second acceptor, of TLS 1.3 with one cipher suite."""
        store = f"sslEnabled=true;keyStorePath={file};keyStorePassword={password};keyStoreType=PKCS12"
        chosen = f"enabledProtocols=TLSv1.3;enabledCipherSuites={cipher_suite};protocols=CORE"
        return f'<acceptor name="tls">tcp://127.0.0.1:{self.port_of_tls}?{store};{chosen}</acceptor>'

    def run(self) -> None:
        """Start it as its own script does, without a shell in between."""
        self.launch([str(self.instance / "bin" / "artemis"), "run"])
        self.wait_for(self.listens)


class Rabbit(Server):
    """RabbitMQ from the distribution's package."""

    name = "RabbitMQ"

    def __init__(self) -> None:
        if not _RABBIT.exists() or shutil.which("erl") is None:
            raise NoServer("rabbitmq-server is not installed (Debian: apt-get install rabbitmq-server)")
        super().__init__()
        self.name = f"RabbitMQ {version_of_rabbit()}"
        config, plugins = self.folder / "rabbitmq.conf", self.folder / "plugins"
        config.write_text(f"listeners.tcp.1 = 127.0.0.1:{self.port}\n", encoding="utf-8")
        plugins.write_text("[].\n", encoding="utf-8")
        self._names = {"HOME": str(self.folder), "ERL_EPMD_PORT": str(free_port()), "ERL_EPMD_ADDRESS": "127.0.0.1"}
        self.launch(
            [str(_RABBIT)],
            self._names
            | {
                "RABBITMQ_NODENAME": "bench@localhost",
                "RABBITMQ_DIST_PORT": str(free_port()),
                "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
                "RABBITMQ_LOG_BASE": str(self.folder / "log"),
                "RABBITMQ_CONFIG_FILE": str(config),
                "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            },
        )
        self.wait_for(self.listens)

    def close(self) -> None:
        """End it, and the port mapper that it has left behind."""
        super().close()
        subprocess.run(["epmd", "-kill"], env=os.environ | self._names, capture_output=True, check=False)


def has_libaio() -> bool:
    """Whether Artemis can use the kernel's asynchronous writes."""
    return any(Path(folder).glob("**/libaio.so.1*") for folder in ("/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"))


def version_of_rabbit() -> str:
    """Version of the package."""
    found = next(Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*"), None)
    return "" if found is None else found.name.rpartition("-")[2]
