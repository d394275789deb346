"""MQTT beside Everyplace: brokers, and clients of paho with QoS 2 that one thread serves, as it does our devices.

Mosquitto keeps messages in memory and writes a snapshot from time to time; it syncs nothing. Artemis syncs its journal
for each message. paho keeps what waits in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent))

from servers import NoServer, Server

try:
    from paho.mqtt import client as mqtt
    from paho.mqtt.enums import CallbackAPIVersion
except ImportError:  # pragma: no cover
    mqtt = None

ROUND_LIMIT: Final = 300.0
_MISC: Final = 1.0
_PLACES: Final = ("/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto")


def require_paho() -> None:
    """Raise `NoServer` where paho is not installed."""
    if mqtt is None:
        raise NoServer("paho-mqtt is not installed (extra bench)")


class Mosquitto(Server):
    """The distribution's Mosquitto with persistence, for anybody on the loopback interface."""

    name = "mosquitto"

    def __init__(self, *lines: str) -> None:
        program = shutil.which("mosquitto") or next((each for each in _PLACES if Path(each).exists()), None)
        if program is None:
            raise NoServer("mosquitto is not installed (Debian: apt-get install mosquitto)")
        super().__init__()
        config = self.folder / "mosquitto.conf"
        settings = [
            f"listener {self.port} 127.0.0.1",
            "allow_anonymous true",
            "persistence true",
            f"persistence_location {self.folder}/",
            "max_inflight_messages 50",
            "max_queued_messages 0",
            "user root" if os.geteuid() == 0 else "",
            *lines,
        ]
        config.write_text("\n".join(settings) + "\n", encoding="utf-8")
        self.launch([program, "-c", str(config)])
        self.wait_for(self.listens)


class Publishers:
    """Clients of paho, each with a connection of its own, in one thread without any of paho's.

    ``inflight``: messages that a client sends before the first of them is settled. ``password``: for Artemis.
    """

    def __init__(self, port: int, count: int, inflight: int = 50, host: str = "127.0.0.1", name: str = "bench") -> None:
        require_paho()
        self._selector = selectors.DefaultSelector()
        self.settled = 0
        self.clients: list[Any] = []
        for number in range(count):
            client = mqtt.Client(
                CallbackAPIVersion.VERSION2, client_id=f"{name}-{number}", protocol=mqtt.MQTTv311, clean_session=False
            )
            client.max_inflight_messages_set(inflight)
            client.on_publish = self._published
            client.username_pw_set("admin", "admin")
            client.connect(host, port, keepalive=600)
            self.clients.append(client)
            self._selector.register(client.socket(), selectors.EVENT_READ, client)
        self._drive(lambda: all(client.is_connected() for client in self.clients))

    def _published(self, *about: Any) -> None:
        self.settled += 1

    def publish(self, topic: str, body: bytes, each: int) -> float:
        """Publish so many messages from each client; return the seconds until the last one is settled."""
        return self.publish_all(topic, [body] * each)

    def publish_all(self, topic: str, bodies: Sequence[bytes]) -> float:
        """Publish these messages from each client; return the seconds until the last one is settled."""
        self.settled = 0
        began = time.monotonic()
        for client in self.clients:
            for body in bodies:
                client.publish(topic, body, qos=2)
        self._drive(lambda: self.settled == len(bodies) * len(self.clients))
        return time.monotonic() - began

    def _drive(self, done: Any) -> None:
        until = time.monotonic() + ROUND_LIMIT
        misc = time.monotonic() + _MISC
        while not done():
            for client in self.clients:
                if client.want_write():
                    client.loop_write()
            for key, _ in self._selector.select(0.01):
                key.data.loop_read(100)
            if time.monotonic() > misc:
                misc += _MISC
                for client in self.clients:
                    client.loop_misc()
                if time.monotonic() > until:
                    raise NoServer("the broker does not settle")

    def close(self) -> None:
        """Disconnect them."""
        for client in self.clients:
            with contextlib.suppress(OSError, KeyError, ValueError):
                self._selector.unregister(client.socket())
            client.disconnect()
        self._selector.close()


class PublisherProcess:
    """`Publishers` in a process of their own."""

    def __init__(self, port: int, count: int) -> None:
        require_paho()
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(port), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ask({"size": 1, "each": 1})

    def ask(self, order: dict[str, int]) -> dict[str, float]:
        """Publish ``each`` messages of ``size`` bytes; return count, seconds and processor seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise NoServer("the publishers have ended")
        found: dict[str, float] = json.loads(line)
        return found

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main() -> int:
    publishers = Publishers(int(sys.argv[1]), int(sys.argv[2]))
    for line in sys.stdin:
        order = json.loads(line)
        used = time.process_time()
        seconds = publishers.publish("orders", b"x" * order["size"], order["each"])
        found = {"count": order["each"] * len(publishers.clients), "seconds": seconds}
        print(json.dumps(found | {"cpu": time.process_time() - used}), flush=True)
    publishers.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
