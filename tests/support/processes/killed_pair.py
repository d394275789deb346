"""Two queue managers as processes with programs that put, to be killed at any moment; and the oracle.

A program knows of each of its units of work whether it was committed, or nothing if the queue manager died meanwhile.
Every committed persistent message must arrive exactly once, one of unknown fate at most once and with all of its unit,
one that is not persistent at most once; and all in the order in which they were put.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mqbridge.bridge.rest_client import EndpointNotReachable, RestClient, RestFailure, find_address
from support.processes.running_service import MakeService, RunningService, wait_for
from support.project.demo_parts import Capture, Line
from support.tls.authority import Authority
from support.tls.repositories import make_repository
from support.tls.wire import Wire

LARGEST_BODY = 30_000
LONGEST_PEACE = 0.3
"""Seconds between traffic and death at the most."""
PAUSE = 0.2
"""Seconds at the most between two units of work: what waits behind the killed is to be carried in time."""
CIPHERS = ("TLS_AES_256_GCM_SHA384", "ECDHE_RSA_AES_256_GCM_SHA384")
"""Of channels inside TLS."""
KEPT_SEGMENTS = 100
"""Segments of each connection that the capture keeps."""
OBJECTS = """\
DEFINE QLOCAL(TARGET) MAXDEPTH(999999)
DEFINE QLOCAL({other}) USAGE(XMITQ) MAXDEPTH(999999) +
       TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA({name}.TO.{other})
DEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME({other}) XMITQ({other})
DEFINE CHANNEL({name}.TO.{other}) CHLTYPE(SDR) XMITQ({other}) CONNAME('127.0.0.1({port})') +
       SHORTTMR(1) SHORTRTY(1000) BATCHSZ({batch_size}) SSLCIPH({cipher})
DEFINE CHANNEL({other}.TO.{name}) CHLTYPE(RCVR) SSLCIPH({cipher})
"""

Form = Callable[[str], dict[str, Any]]
"""Makes a message in the JSON form of a text whose third word says whether it is ``persistent`` or ``fast``."""


def is_persistent(text: str) -> bool:
    return text.split(" ", 3)[2] == "persistent"


def plain(text: str) -> dict[str, Any]:
    """The text as data of format MQSTR."""
    return {"MQMD": {"Persistence": int(is_persistent(text))}, "body": {"text": text}}


class Putter(threading.Thread):
    """A program at one queue manager that puts units of work to the other one until it is stopped.

    ``form``: how the messages carry their texts.
    """

    def __init__(self, service: RunningService, seed: int, form: Form = plain) -> None:
        super().__init__(daemon=True)
        self.service = service
        self._form = form
        self.random = random.Random(seed)
        self.units: list[tuple[list[str], bool]] = []
        """Texts of each unit, in order, and whether it is known to be committed."""
        self.failure: BaseException | None = None
        self._stopping = threading.Event()
        self._letters = "".join(self.random.choices("abcdefghij", k=2 * LARGEST_BODY))

    def run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._put_until_it_dies()
        except BaseException as failure:
            self.failure = failure

    def stop(self) -> None:
        self._stopping.set()
        self.join(60)
        assert self.failure is None, self.failure

    def _put_until_it_dies(self) -> None:
        try:
            with RestClient(find_address(self.service.data), "putter") as client:
                client.call("GET", "/ibmmq/rest/v2/admin/qmgr")
                # It is there: from now on a failure leaves the unit's fate unknown.
                while not self._stopping.is_set():
                    self._put(client)
                    self._stopping.wait(self.random.random() * PAUSE)
        except (EndpointNotReachable, RestFailure, OSError):
            self._stopping.wait(0.02)

    def _put(self, client: RestClient) -> None:
        texts = [self._text(index) for index in range(self.random.choice([1, 1, 2, 5, 20]))]
        self.units.append((texts, False))
        client.put_lines("FAR", "".join(json.dumps(self._form(text)) + "\n" for text in texts).encode())
        self.units[-1] = (texts, True)

    def _text(self, index: int) -> str:
        persistent = self.random.random() < 0.8
        length = int(10 * (LARGEST_BODY / 10) ** self.random.random())
        start = self.random.randrange(LARGEST_BODY)
        kind = "persistent" if persistent else "fast"
        return f"{len(self.units)} {index} {kind} {self._letters[start : start + length]}"


class KilledPair:
    """EARTH and SATURN, a channel each way through a line that keeps a capture, a putter on each side.

    ``authority``: of the certificates, if the channels are to be inside TLS; then nothing is read on their way.
    """

    def __init__(self, make_service: MakeService, folder: Path, seed: int, authority: Authority | None = None) -> None:
        self.random = random.Random(seed)
        self.file = (folder / "wire.pcap").open("wb")
        self.everything = (folder / "everything.pcap").open("wb")
        capture = Capture(self.file, KEPT_SEGMENTS, self.everything)
        self.services: dict[str, RunningService] = {}
        names = ("EARTH", "SATURN")
        ways = (names, names[::-1])
        self.lines: dict[str, Line] = {}
        self.wires: dict[str, Wire] = {}
        for name, other in ways:
            target = lambda other=other: self._port(other)  # noqa: E731
            if authority is None:
                self.lines[name] = Line(f"{name}.TO.{other}", target, capture)
            else:
                self.wires[name] = Wire(target)
        cipher = "' '" if authority is None else self.random.choice(CIPHERS)
        for name, other in ways:
            batch_size = self.random.choice([2, 5, 50])
            port = (self.lines or self.wires)[name].port
            objects = OBJECTS.format(name=name, other=other, port=port, batch_size=batch_size, cipher=cipher)
            self.services[name] = service = make_service(name, mqsc=objects, start=False)
            if authority is not None:
                service.data.mkdir(mode=0o700)
                make_repository(service.data / "ssl", authority, name)
            service.start()
        self.putters = {name: Putter(service, self.random.getrandbits(32)) for name, service in self.services.items()}

    def _port(self, name: str) -> int | None:
        service = self.services.get(name)
        try:
            return service.port if service is not None else None
        except (OSError, ValueError):  # it is being started
            return None

    def kill_one(self) -> str:
        """SIGKILL at a moment by chance, once both channels have moved something; the process starts again."""
        for putter in self.putters.values():
            assert putter.failure is None, putter.failure
        names = self.random.choice([["EARTH"], ["SATURN"], ["EARTH", "SATURN"]])
        before = self._moved()
        wait_for(
            "traffic both ways",
            lambda: all(now > count for now, count in zip(self._moved(), before, strict=True)),
        )
        for wire in self.wires.values():
            wire.cut(self.random.choice([0, 7, 3_000, 100_000]))
        threading.Event().wait(self.random.random() * LONGEST_PEACE)
        for name in names:
            self.services[name].kill()
        for name in names:
            self.services[name].start()
        for name, service in self.services.items():
            other = "SATURN" if name == "EARTH" else "EARTH"
            service.client.mqsc(f"START CHANNEL({name}.TO.{other})")  # refused where it runs: no matter
        return " and ".join(names)

    def _moved(self) -> list[int]:
        """A measure of what each channel has moved."""
        if self.lines:
            return [len(line.batches) for line in self.lines.values()]
        return [service.depth("TARGET") for service in self.services.values()]

    def come_to_rest(self) -> None:
        """Stops the putters and waits until nothing is on its way and nothing in doubt."""
        for putter in self.putters.values():
            putter.stop()
        for name, service in self.services.items():
            other = "SATURN" if name == "EARTH" else "EARTH"
            try:
                wait_for(f"messages of {name}", lambda: service.depth(other) == 0, 200)  # noqa: B023, called at once
            except AssertionError as error:
                raise AssertionError(f"{error}\n{self.describe()}") from None
            wait_for(
                f"doubts of {name}",
                lambda: "INDOUBT(NO)" in " ".join(service.mqsc(f"DISPLAY CHSTATUS({name}.TO.{other}) SAVED INDOUBT")),  # noqa: B023
            )

    def describe(self) -> str:
        """Where things stand, for a failing run."""
        told = []
        for name, service in self.services.items():
            reply = service.client.mqsc("DISPLAY CHSTATUS(*) STATUS SUBSTATE INDOUBT MSGS")
            told += [name, *(line for entry in reply["commandResponse"] for line in entry["text"])]
            told += service.log.splitlines()[-12:]
        return "\n".join(told)

    def close(self) -> None:
        for line in (*self.lines.values(), *self.wires.values()):
            line.close()
        self.file.close()
        self.everything.close()

    def check(self) -> list[str]:
        """What the oracle finds wrong."""
        problems = []
        for name, putter in self.putters.items():
            other = "SATURN" if name == "EARTH" else "EARTH"
            lines = self.services[other].client.read("TARGET", takes=False, limit=999_999, query={"body": "text"})
            arrived = [json.loads(line)["body"]["text"] for line in b"".join(lines).splitlines()]
            problems += [f"{name} to {other}: {problem}" for problem in judge(putter.units, arrived)]
        return problems


def judge(units: list[tuple[list[str], bool]], arrived: list[str]) -> list[str]:
    """Compares what was put, unit by unit, with what arrived, in order."""
    problems = []
    place = {body: index for index, body in enumerate(body for bodies, _ in units for body in bodies)}
    counts: dict[str, int] = {}
    highest = {"persistent": -1, "fast": -1}
    for body in arrived:
        number, index, kind = body.split(" ", 3)[:3]
        shown = f"message {index} of unit {number}, {kind}"
        counts[body] = counts.get(body, 0) + 1
        if body not in place:
            problems.append(f"{shown} came from nowhere")
        elif counts[body] > 1:
            problems.append(f"{shown} arrived {counts[body]} times")
        elif place[body] < highest[kind]:
            problems.append(f"{shown} was overtaken")
        highest[kind] = max(highest[kind], place.get(body, -1))
    for number, (bodies, committed) in enumerate(units):
        persistent = [body for body in bodies if is_persistent(body)]
        here = sum(body in counts for body in persistent)
        if here < len(persistent) and (committed or here):
            problems.append(f"unit {number}: {here} of {len(persistent)} persistent messages arrived")
    return problems
