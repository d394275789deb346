"""RabbitMQ with its plugin for AMQP 1.0 as a broker at the far end of a link, as Debian has it, on loopback addresses.

Everything of a broker lies in one folder, and its node has a port mapper (epmd) of its own, so that neither is seen by
others of the machine. Where RabbitMQ is not installed, the test is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from support.processes.ports import free_port

INSTALLED = Path("/usr/lib/rabbitmq/lib")
START_LIMIT = 90.0
STOP_LIMIT = 60.0
USER, PASSWORD = "stock", "a word"
OPTIONS = "-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +SDcpu 1:1 +sbwt none +sbwtdcpu none +sbwtdio none"
"""Of Erlang: listen on a loopback address, take one core, and do not turn in circles while there is nothing to do."""


def server() -> Path:
    """The program of the broker itself; that of the same name in Debian's path becomes another user first."""
    found = sorted(INSTALLED.glob("rabbitmq_server-*/sbin/rabbitmq-server"))
    if not found or shutil.which("epmd") is None:
        pytest.skip("RabbitMQ is not installed (package rabbitmq-server)")
    return found[-1]


class RabbitMQ:
    """One broker with its data in a folder, and with durable queues. It keeps its port over restarts.

    A queue that is addressed by ``/queue/NAME`` is made for the link, and is gone with the broker; `address` names one
    that stays.
    """

    def __init__(self, folder: Path, queues: tuple[str, ...]) -> None:
        self._program = server()
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True)
        mapper_port = free_port()
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("RABBITMQ_", "ERL_"))},
            "HOME": str(folder),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(mapper_port),
            "RABBITMQ_NODENAME": f"mqbridge-{self.port}@localhost",
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "rabbitmq-env.conf"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RUNNING_UNDER_SYSTEMD": "true",  # the script then becomes the broker, which so is our child
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": OPTIONS,
        }
        self._configure(queues)
        self._mapper = subprocess.Popen(
            ["epmd", "-address", "127.0.0.1", "-port", str(mapper_port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._environment,
        )

    def _configure(self, queues: tuple[str, ...]) -> None:
        definitions = {
            "vhosts": [{"name": "/"}],
            "users": [{"name": USER, "password": PASSWORD, "tags": ""}],
            "permissions": [{"user": USER, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}],
            "queues": [
                {"name": name, "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}} for name in queues
            ],
        }
        (self.folder / "definitions.json").write_text(json.dumps(definitions), encoding="utf-8")
        lines = [
            f"listeners.tcp.1 = 127.0.0.1:{self.port}",
            f"load_definitions = {self.folder / 'definitions.json'}",
            "disk_free_limit.absolute = 1MB",
        ]
        (self.folder / "rabbitmq.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (self.folder / "rabbitmq-env.conf").touch()
        (self.folder / "enabled_plugins").write_text("[rabbitmq_amqp1_0].\n", encoding="utf-8")

    @staticmethod
    def address(queue: str) -> str:
        """The address of a durable queue."""
        return f"/amq/queue/{queue}"

    @property
    def endpoint(self) -> str:
        """Where links connect."""
        return f"tcp:127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What the broker has said since its last start."""
        file = self.folder / "said"
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def start(self, limit: float = START_LIMIT) -> None:
        """Start, and wait until it accepts connections."""
        with (self.folder / "said").open("wb") as said:
            self._process = subprocess.Popen(
                [str(self._program)],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        until = time.monotonic() + limit
        while not self._accepts():
            if self._process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise AssertionError(f"RabbitMQ did not start: {self.log[-3000:]}")
            time.sleep(0.1)

    def _accepts(self) -> bool:
        if "Server startup complete" not in self.log:
            return False
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End the broker by a signal, and wait for its end."""
        if self._process is not None:
            if self._process.poll() is None:
                self._process.send_signal(number)
            self._process.wait(STOP_LIMIT)
            self._process = None

    def close(self) -> None:
        """End it in order, or by force when that takes too long, and then its port mapper."""
        try:
            self.kill(signal.SIGTERM)
        except subprocess.TimeoutExpired:
            self.kill()
        self._mapper.kill()
        self._mapper.wait(STOP_LIMIT)
