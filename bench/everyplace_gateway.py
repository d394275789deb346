"""A gateway of Everyplace in a process of its own, and a process with devices that are enrolled there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from servers import Ours, free_port
from tls_clients import Certificates

from mqbridge.bridge.cli.connecting import connect
from mqbridge.bridge.rest_client.everyplace import act_on_device

NAME: Final = "HUB"
_CONFIGURATION: Final = """
[everyplace]
name = "{name}"
{more}
[[everyplace.listener]]
name = "devices"
adapter = "{adapter}"
endpoint = "tcp:{port}:interface=127.0.0.1"
timeout = 0
max = 0
"""


class Gateway:
    """Queue manager BENCH with gateway HUB. ``mqsc``: its objects. ``definitions``: text of a file of definitions."""

    def __init__(self, folder: Path, adapter: str = "tcp", mqsc: str = "", definitions: str = "") -> None:
        self.adapter = adapter
        more = ""
        if definitions:
            (folder / "definitions.ini").write_text(definitions, encoding="utf-8")
            more = f'definitions = "{folder}/definitions.ini"\n'
        self.port = free_port()
        file = folder / f"gateway-{adapter}-{self.port}.toml"
        text = _CONFIGURATION.format(name=NAME, adapter=adapter, port=self.port, more=more)
        file.write_text(text, encoding="utf-8")
        certificates = Certificates(folder)
        self._options = ["--config", str(file)]
        self.server = Ours(mqsc, *self._options, keys=lambda keys: certificates.repository(keys, "BENCH"))

    @property
    def data(self) -> Path:
        """Its folder."""
        return self.server.folder / "data"

    def enrol(self, names: Sequence[str]) -> dict[str, str]:
        """Enrol devices; return their tokens."""
        with connect(str(self.data), None, "bench") as client:
            return {name: act_on_device(client, name, "enrol", {"host": "127.0.0.1"})["token"] for name in names}

    def kill(self) -> None:
        """SIGKILL."""
        self.server.process.kill()
        self.server.process.wait()

    def restart(self) -> None:
        """Start it again, with its data."""
        ready = self.server.folder / "ready.json"
        ready.unlink()
        command = [sys.executable, "-m", "mqbridge", "run", "--data", str(self.data), "--qmgr", "BENCH"]
        command += ["--listen", f"tcp:{self.server.port}:interface=127.0.0.1", "--ready-file", str(ready)]
        self.server.launch([*command, *self._options])
        self.server.wait_for(ready.exists)

    def close(self) -> None:
        """End it."""
        self.server.close()


class FleetProcess:
    """Devices that are connected to a gateway when this is made (`everyplace_fleet`)."""

    def __init__(self, gateway: Gateway, count: int, target: str, **more: Any) -> None:
        tokens = gateway.enrol([f"D{number}" for number in range(count)])
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "everyplace_fleet.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        order = {"gateway": NAME, "host": "127.0.0.1", "port": gateway.port, "adapter": gateway.adapter}
        self.ready = self.ask(order | {"target": target, "devices": tokens} | more)

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Give an order, and return what it answers."""
        self.tell(order)
        return self.answer()

    def tell(self, order: dict[str, Any]) -> None:
        """Give an order."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Return what the last order came to."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the devices have ended")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
