"""The course of the demo: processes one after the other, and what came of each."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from host import PRICES
from ports import free_ports
from processes import QueueManager, await_end
from rest import Rest
from screen import Screen

HERE: Final = Path(__file__).parent
PATIENCE: Final = 60.0
"""Seconds that a step may take."""
CONNECTIONS: Final = 10
"""Connections of the client that is recorded."""
PUT: Final = 40
"""Orders that the program of MQ puts."""
COLUMNS: Final = ("step", "of", "right")
OBJECTS: Final = "DEFINE QLOCAL(HOST.REQUESTS)\nDEFINE QLOCAL(ANSWERS)\n"
TO_SATURN: Final = (
    "DEFINE QLOCAL(XMIT) USAGE(XMITQ)\nDEFINE QREMOTE(ORDERS) RNAME(TARGET) RQMNAME(SATURN) XMITQ(XMIT)\n"
)
AT_SATURN: Final = "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL('ch.earth.saturn') CHLTYPE(RCVR) TRPTYPE(TCP)\n"
DOOR: Final = """
[[myopenq]]
endpoint = "tcp:{port}:interface=127.0.0.1"
mode = "framed"
"""
CHANNEL: Final = """
[[partner]]
name = "saturn"
protocol = "mq-capture"
endpoint = "tcp:127.0.0.1:{port}"
send = "XMIT"
values = {{ channel = "ch.earth.saturn" }}
"""
MESSAGES: Final = 5
"""Messages that go along the chain of the thesis."""
PARTNER: Final = """
[[partner]]
name = "host"
protocol = "{description}"
endpoint = "tcp:127.0.0.1:{port}"
send = "HOST.REQUESTS"
values = {{ action = "ORDER", number = {amount} }}
"""
AMOUNT: Final = 3
ORDER: Final = {"MsgType": 1, "Persistence": 1, "Format": "MQSTR", "ReplyToQ": "ANSWERS"}


class Failed(Exception):
    """A step has not done what it should."""


class Course:
    """``folder``: of all files; ``requests``: that are learnt from."""

    def __init__(self, folder: Path, requests: int) -> None:
        self._folder = folder
        self._requests = requests
        self._screen = Screen({"steps": 1})
        self._running: list[subprocess.Popen[Any]] = []
        self._managers: list[QueueManager] = []
        self._rows: list[tuple[str, int, int]] = []
        self._ports = free_ports()

    def run(self) -> bool:
        """Go through all steps; whether everything was right."""
        tell = self._screen.tell
        port = self._host()
        tell(f"a host listens on port {port}; its protocol stands in host.py alone")
        capture = self._recorded(port, "host.pcap", self._requests, 1)
        tell(f"its own client was recorded: {capture.stat().st_size:,} bytes")
        draft = self._learnt(capture, port)
        other = self._recorded(port, "other.pcap", self._requests // 2, 2)
        self._checked(draft, other, port)
        self._replaced(draft, capture, port)
        self._reached(draft, port)
        self._chained()
        self._screen.table(COLUMNS, self._rows)
        return all(of == right for _, of, right in self._rows)

    def close(self) -> None:
        """End all processes."""
        for manager in self._managers:
            manager.quiesce()
        for manager in self._managers:
            manager.wait()
        for process in self._running:
            if process.poll() is None:
                process.kill()
            process.wait()

    def _host(self) -> int:
        file = self._folder / "host.port"
        self._start("host.log", str(HERE / "host.py"), str(file))
        self._until(file.exists, "the host")
        return int(file.read_text())

    def _recorded(self, port: int, name: str, requests: int, seed: int) -> Path:
        """Run the client through a recorder; return the capture."""
        capture = self._folder / name
        listening = next(self._ports)
        endpoint = f"tcp:{listening}:interface=127.0.0.1"
        words = [
            "-m",
            "mqbridge",
            "record",
            "--listen",
            endpoint,
            "--to",
            f"127.0.0.1:{port}",
            "--output",
            str(capture),
        ]
        recorder = self._start(f"{name}.log", *words)
        self._until(lambda: _accepts(listening), "the recorder")
        client = [str(HERE / "client.py"), str(listening), str(CONNECTIONS), str(requests // CONNECTIONS), str(seed)]
        sent, accepted = map(int, self._output(*client).split())
        recorder.send_signal(signal.SIGTERM)
        await_end(recorder)
        self._rows.append((f"answers that the client accepts, recorded in {name}", sent, accepted))
        return capture

    def _learnt(self, capture: Path, port: int) -> Path:
        """Learn the protocol; return its description."""
        folder = self._folder / "learnt"
        begun = time.monotonic()
        words = ["-m", "mqbridge", "protocol", "learn", str(capture), "--port", str(port), "--output", str(folder)]
        shown = self._output(*words, "--known", "action=ORDER", "--name", "host")
        self._screen.tell(f"its protocol was learnt in {time.monotonic() - begun:.1f} s:")
        for line in shown.splitlines():
            self._screen.say(f"          {line}")
        counted = re.search(r"([\d,]+) of ([\d,]+) messages", shown)
        if counted is None or "every message builds back to its bytes" not in shown:
            raise Failed("the draft does not build back what was recorded")
        right, of = (int(figure.replace(",", "")) for figure in counted.groups())
        self._rows.append(("messages that build back from the draft to their bytes", of, right))
        return folder / "protocol.toml"

    def _checked(self, draft: Path, capture: Path, port: int) -> None:
        words = ["-m", "mqbridge", "protocol", "check", "--json", str(draft), str(capture), "--port", str(port)]
        found = json.loads(self._output(*words, may_fail=True))
        self._rows.append(("bytes of other traffic that the draft explains", found["bytes"], found["explained"]))
        self._screen.tell(f"other traffic was checked by the draft: {found['messages']:,} messages")

    def _replaced(self, draft: Path, capture: Path, port: int) -> None:
        """Be the host for its own client, from the recording."""
        place = next(self._ports)
        endpoint = f"tcp:{place}:interface=127.0.0.1"
        words = ["-m", "mqbridge", "protocol", "play", str(draft), "--listen", endpoint]
        player = self._start("play.log", *words, "--with", str(capture), "--port", str(port))
        self._until(lambda: _accepts(place), "the host that is played")
        client = [str(HERE / "client.py"), str(place), str(CONNECTIONS), str(self._requests // CONNECTIONS), "3"]
        sent, accepted = map(int, self._output(*client).split())
        player.send_signal(signal.SIGTERM)
        await_end(player)
        self._rows.append(("answers that the client accepts of mqbridge protocol play", sent, accepted))
        self._screen.tell("mqbridge protocol play has been the host for its own client")

    def _reached(self, draft: Path, port: int) -> None:
        """Put orders on a queue of MQ; their answers come to another."""
        partner = PARTNER.format(description=draft, port=port, amount=AMOUNT)
        rest = self._queue_manager("EARTH", OBJECTS, partner)[0]
        self._screen.tell("a queue manager has the host as a partner by this draft; a program puts orders")
        items = [sorted(PRICES)[number % len(PRICES)] for number in range(PUT)]
        for item in items:
            rest.put("HOST.REQUESTS", [{"MQMD": {**ORDER}, "body": {"text": item}}])
        answers: list[dict[str, Any]] = []
        end = time.monotonic() + PATIENCE
        while len(answers) < PUT and time.monotonic() < end:
            answers += rest.get("ANSWERS", limit=PUT, wait=1.0)
        wanted = [f"{AMOUNT} {item}" for item in items]
        right = sum(each["body"].get("text") == words for each, words in zip(answers, wanted, strict=False))
        self._rows.append(("answers of the host to a program of MQ", PUT, right))

    def _chained(self) -> None:
        """Send messages as the thesis did: a tool puts them on a remote queue of MyOpenQ, whose sender takes them to a
        bridge, which builds packets of a message channel from templates; a receiver channel takes them."""
        saturn, port = self._queue_manager("SATURN", AT_SATURN, "")
        here, bridge = next(self._ports), next(self._ports)
        self._queue_manager("BRIDGE", TO_SATURN, DOOR.format(port=bridge) + CHANNEL.format(port=port))
        self._queue_manager("CLON", "", DOOR.format(port=here))
        moq = ["-m", "mqbridge", "moq"]
        remote = ["-t", "remote", "-rs", "127.0.0.1", "-rp", str(bridge)]
        self._output(*moq, "create", "--framed", "-p", str(here), "-q", "ORDERS", *remote)
        self._screen.tell("the chain of the thesis: moq put, remote queue, template session, receiver channel")
        texts = [f"Mensaje {number}" for number in range(MESSAGES)]
        for text in texts:
            self._output(*moq, "put", "--framed", "-p", str(here), "-q", "ORDERS", "-m", text)
        found: list[dict[str, Any]] = []
        end = time.monotonic() + PATIENCE
        while len(found) < MESSAGES and time.monotonic() < end:
            found += saturn.get("TARGET", limit=MESSAGES, wait=1.0)
        right = sum(each["body"].get("text") == text for each, text in zip(found, texts, strict=False))
        self._rows.append(("messages from moq put to a receiver channel", MESSAGES, right))

    def _queue_manager(self, name: str, objects: str, more: str) -> tuple[Rest, int]:
        """Start a queue manager; return a program's way to it, and the port of its channels."""
        manager = QueueManager(name, self._folder, objects, more=more)
        self._managers.append(manager)
        manager.start()
        port = manager.port()
        assert port is not None, "it runs"
        return Rest(manager.admin, name), port

    def _start(self, log: str, *words: str) -> subprocess.Popen[Any]:
        with (self._folder / log).open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, *words], stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
            )
        self._running.append(process)
        return process

    def _output(self, *words: str, may_fail: bool = False) -> str:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
        )
        if done.returncode and not (may_fail and done.stdout):
            raise Failed(f"{' '.join(words[:5])}: {done.stdout}{done.stderr}")
        return done.stdout

    def _until(self, reached: Any, what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not reached():
            if time.monotonic() > end:
                raise Failed(f"{what} does not start")
            time.sleep(0.05)


def _accepts(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1.0):
            return True
    except OSError:
        return False
