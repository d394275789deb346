"""Two queue managers with a link each to one broker, by which they send to each other; all three are killed.

Each queue manager's programs put JMS messages of every kind. Their way to the broker and their way from it belong to
different queue managers, so neither end can hide what the other has done twice.
"""

from __future__ import annotations

import operator
import random
import struct
import threading
import time
import zlib
from pathlib import Path
from typing import Any

from mqbridge.bridge.message_json import field_values, message_from_json
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage, Typed
from support.processes.artemis import PASSWORD, USER, Artemis
from support.processes.killed_pair import LONGEST_PEACE, Putter, is_persistent, judge
from support.processes.running_service import MakeService, RunningService, wait_for

KINDS = ("text", "bytes", "map", "stream", "object", "none")
SERIALIZED_STRING = b"\xac\xed\x00\x05t"
"""How Java's serialization of a string begins; its length and its bytes follow."""
DUPLICATE_ID = "_AMQ_DUPL_ID"
"""The property that receivers see in addition."""
MQSC = """
DEFINE QLOCAL(FAR) MAXDEPTH(999999)
DEFINE QLOCAL(TARGET) MAXDEPTH(999999)
DEFINE QLOCAL(DLQ) MAXDEPTH(999999)
ALTER QMGR DEADQ(DLQ)
"""
CONFIGURATION = """
[[link]]
name = "{name}"
endpoint = "{endpoint}"
user = "{user}"
password_file = "broker.pw"
send = [{{ queue = "FAR", address = "for.{other}" }}]
receive = [{{ address = "for.{name}", queue = "TARGET" }}]
retry_interval = 0.2
longest_retry = 1
"""
QUIET = 1.0
"""Seconds in which nothing more arrives at the end."""


def jms_message(text: str) -> JmsMessage:
    """The JMS message that carries a text; its kind is one by chance."""
    kind = KINDS[zlib.crc32(text.encode()) % len(KINDS)]
    length, encoded = Typed(len(text), "i4"), text.encode()
    bodies: dict[str, Any] = {
        "text": text,
        "bytes": encoded,
        "map": {"text": text, "length": length, "nothing": None},
        "stream": (text, length, True),
        "object": SERIALIZED_STRING + struct.pack(">H", len(encoded)) + encoded,
        "none": None,
    }
    properties = {"length": length, "half": len(text) / 2, "text": text if kind == "none" else text[:20]}
    mode = 2 if is_persistent(text) else 1
    return JmsMessage(kind, bodies[kind], properties=properties, type="told", delivery_mode=mode, priority=7)


def as_json(text: str) -> dict[str, Any]:
    """The message of MQ for it, in the JSON form (`killed_pair.Form`)."""
    message = jms_message(text).message(Destination.queue("FAR"), now=time.time())
    fields = field_values(message)
    shown = ("Format", "Encoding", "CodedCharSetId", "Persistence", "Priority", "MsgType")
    return {"MQMD": {name: fields[name] for name in shown}, "body": {"hex": message.data.hex()}}


def text_of(line: bytes) -> str:
    """The text that a message in the JSON form carries; everything else of the message must be as it was put."""
    found = JmsMessage.of(message_from_json(line))
    text = _carried(found)
    assert _content(found) == _content(jms_message(text))
    return text


def _carried(found: JmsMessage) -> str:
    body: Any = found.body
    match found.kind:
        case "bytes":
            return str(body, "utf-8")
        case "map":
            return str(body["text"].value)
        case "stream":
            return str(body[0].value)
        case "object":
            return str(body[len(SERIALIZED_STRING) + 2 :], "utf-8")
        case "none":
            return str(found.properties["text"].value)
    return str(body)


def _content(message: JmsMessage) -> tuple[object, ...]:
    properties = {name: value for name, value in message.properties.items() if name != DUPLICATE_ID}
    return message.kind, message.body, properties, message.type, message.delivery_mode, message.priority


class KilledLinks:
    """EARTH and SATURN, the broker between them, and a putter at each of the two."""

    def __init__(self, make_service: MakeService, artemis: Artemis, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.artemis = artemis
        self.services: dict[str, RunningService] = {}
        (folder / "broker.pw").write_text(f"{PASSWORD}\n", encoding="utf-8")
        for name, other in (("EARTH", "SATURN"), ("SATURN", "EARTH")):
            file = folder / f"{name}.toml"
            file.write_text(CONFIGURATION.format(name=name, other=other, endpoint=artemis.endpoint, user=USER))
            self.services[name] = make_service(name, mqsc=MQSC, options=("--config", str(file)))
        self.putters = {
            name: Putter(service, self.random.getrandbits(32), as_json) for name, service in self.services.items()
        }
        self._due: list[str] = []

    def kill_one(self) -> str:
        """SIGKILL at a moment by chance, once messages have arrived at both ends; what was killed starts again."""
        for putter in self.putters.values():
            assert putter.failure is None, putter.failure
        before = self._arrived()
        wait_for("messages both ways", lambda: all(map(operator.gt, self._arrived(), before)))
        victims = self._choose()
        threading.Event().wait(self.random.random() * LONGEST_PEACE)
        for name in victims:
            self.services.get(name, self.artemis).kill()
        for name in victims:
            self.services.get(name, self.artemis).start()
        return " and ".join(victims)

    def _choose(self) -> list[str]:
        """Each is killed once in three rounds, and sometimes a second one with it."""
        if not self._due:
            self._due = self.random.sample(["EARTH", "SATURN", "Artemis"], 3)
        victims = [self._due.pop()]
        if self.random.random() < 0.25:
            victims.append(self.random.choice([name for name in ("EARTH", "SATURN", "Artemis") if name not in victims]))
        return victims

    def _arrived(self) -> list[int]:
        return [service.depth("TARGET") for service in self.services.values()]

    def come_to_rest(self) -> None:
        """Stop the putters, and wait until everything that must arrive has arrived, and nothing more comes."""
        for putter in self.putters.values():
            putter.stop()
        for name, service in self.services.items():
            units = self.putters["SATURN" if name == "EARTH" else "EARTH"].units
            least = sum(is_persistent(text) for texts, committed in units if committed for text in texts)
            there = lambda: service.depth("TARGET") >= least and not service.depth("FAR")  # noqa: B023, E731
            try:
                wait_for(f"messages of {name}", there)
            except AssertionError:
                break  # the oracle says which ones
        last, since = self._arrived(), time.monotonic()
        while time.monotonic() - since < QUIET:
            threading.Event().wait(0.1)
            now = self._arrived()
            if now != last:
                last, since = now, time.monotonic()

    def check(self) -> list[str]:
        """What the oracle finds wrong."""
        problems = []
        for name, service in self.services.items():
            other = "SATURN" if name == "EARTH" else "EARTH"
            lines = b"".join(service.client.read("TARGET", takes=False, limit=999_999)).splitlines()
            arrived = [text_of(line) for line in lines]
            problems += [f"{other} to {name}: {problem}" for problem in judge(self.putters[other].units, arrived)]
            for queue in ("FAR", "DLQ"):
                left = service.depth(queue)
                problems += [f"{name}: {left} messages are left on {queue}"] * bool(left)
        return problems
