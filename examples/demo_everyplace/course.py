"""The run of the demo from its first process to its table."""

from __future__ import annotations

import random
import shlex
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

import letters
from audit import Way, follow
from commands import DeviceProgram, mqbridge, mqe
from letters import Letter
from line import Line
from ports import free_ports
from processes import QueueManager
from rest import Gone, Refused, Rest
from screen import Screen
from sender import Sender

HERE: Final = Path(__file__).parent
BARS: Final = "put on the devices", "arrived at SATURN", "put at SATURN", "arrived on the devices"
ADDRESS: Final = "ORDERS@SATURN"
COLUMNS: Final = ("direction", "sent", "received", "duplicated", "lost", "out of order", "damaged")
DELAY: Final = 0.02
"""Seconds that a byte is on its way over the line."""
GATEWAY: Final = """
[everyplace]
name = "EARTH"
definitions = "definitions.ini"

[[everyplace.listener]]
name = "devices"
adapter = "tls"
endpoint = "tcp:{port}:interface=127.0.0.1"
authenticator = "certificate"
"""
AT_A_TIME: Final = 4
"""Devices that are enrolled at once."""
STEP: Final = 0.04
"""Share of the messages that may be put before as many have arrived, so that there is something left for each fault."""
STANDSTILL: Final = 60.0
"""Seconds without any progress after which the demo gives up."""
STRAY_WAIT: Final = 1.0
"""Seconds to wait for messages that should not be there."""
TICK: Final = 0.05
BROWSED: Final = 1_000_000


class Faults(NamedTuple):
    """How often what goes wrong."""

    cuts: int
    devices: int
    earth: int
    saturn: int

    def plan(self, dice: random.Random) -> list[tuple[float, str]]:
        """Return what happens, and when: a share of the messages that have arrived, in order."""
        found = []
        for what, times in zip(("cut", "device", "EARTH", "SATURN"), self, strict=True):
            found += [(0.05 + 0.87 * (number + dice.random()) / times, what) for number in range(times)]
        return sorted(found)


class Course:
    """SATURN, the gateway, the line, the devices, and the faults."""

    def __init__(self, folder: Path, devices: int, messages: int, faults: Faults) -> None:
        self._folder = folder
        self._messages = messages
        self._screen = Screen(dict.fromkeys(BARS, messages))
        self._dice = random.Random(1795251600)
        self._faults = faults
        self._plan = faults.plan(self._dice)
        self._counts = [messages // devices + (number < messages % devices) for number in range(devices)]
        names = [f"MOON{number}" for number in range(1, devices + 1)]
        self._devices = [
            DeviceProgram(name, folder, ADDRESS, count) for name, count in zip(names, self._counts, strict=True)
        ]
        ports = free_ports()
        saturn, self._gateway_port, earth = next(ports), next(ports), next(ports)
        self.line = Line(lambda: self._gateway_port if self.earth.ready else None, DELAY)
        self.saturn = QueueManager(
            "SATURN", folder, _script("saturn.mqsc", names), listen=f"tcp:{saturn}:interface=127.0.0.1"
        )
        self.earth = QueueManager(
            "EARTH",
            folder,
            "",
            listen=f"tcp:{earth}:interface=127.0.0.1",
            more=GATEWAY.format(port=self._gateway_port),
        )
        text = Template((HERE / "definitions.ini").read_text("utf-8"))
        (folder / "definitions.ini").write_text(text.substitute(port=saturn), "utf-8")
        self._sender = Sender(self.saturn, dict(zip(names, self._counts, strict=True)))

    def run(self) -> bool:
        """Everything; whether every message arrived once and in order."""
        screen = self._screen
        screen.say(
            f"{self._messages:,} messages go from {len(self._devices)} devices to queue manager SATURN, and as many to"
            f" the devices, over the\ngateway EARTH. The line to the devices delays {DELAY * 1000:g} ms each way and is"
            f" cut {self._faults.cuts} times; {self._faults.devices} devices, EARTH and SATURN are killed.\n"
        )
        screen.start()
        mqbridge(
            self._folder, "certificate", "create", "--data", "EARTH", "--qmgr", "EARTH", "--key", "ec",
            "--own-authority", "--host", "127.0.0.1",
        )  # fmt: skip
        for each in (self.saturn, self.earth):
            each.start()
            screen.tell(f"{each.name} runs as process {each.pid}")
        self._enrol()
        self._allow(0)
        for device in self._devices:
            device.start()
        screen.tell(f"{len(self._devices)} devices run")
        self._sender.start()
        complete = self._watch()
        screen.stop()
        return self._report(complete)

    def close(self) -> None:
        """End everything that was started; an impatient Ctrl-C does not get in between."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._screen.stop()
        self._sender.stop()
        self._end_devices()
        for each in (self.earth, self.saturn):
            each.quiesce()
        for each in (self.earth, self.saturn):
            each.wait()
        self.line.close()

    def _enrol(self) -> None:
        """Enrol the devices, and make their queue managers, by the commands that a user would type."""
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            list(pool.map(self._enrol_one, [device.name for device in self._devices]))
        self._screen.tell(f"{len(self._devices)} devices are enrolled, each with a certificate")

    def _enrol_one(self, name: str) -> None:
        options = "--data", "EARTH", "--certificate", ".", "--host", "127.0.0.1"
        said = mqbridge(self._folder, "everyplace", "enrol", name, *options)
        words = shlex.split(said.strip().splitlines()[-1].partition("mqe.pyz ")[2])
        words[1] = f"{name}.mqe"
        words[words.index("--gateway") + 1] = f"mqes://127.0.0.1:{self.line.port}"
        mqe(self._folder, *words)
        mqe(self._folder, "admin", words[1], "create", "local", "REPLIES")
        mqe(self._folder, "admin", words[1], "create", "remote", ADDRESS, "--mode", "asynchronous")

    # While it runs

    def _watch(self) -> bool:
        """Move the bars and let things go wrong until everything has arrived; False when that will not be."""
        last, since = (-1, -1, -1, -1), time.monotonic()
        goal = (self._messages,) * 4
        while last != goal:
            counts = self._count()
            if counts != last:
                last, since = counts, time.monotonic()
            self._screen.move(*counts)
            if problem := self._problem(time.monotonic() - since):
                self._screen.tell(f"[red]{problem}[/red]")
                return False
            share = min(counts[1], counts[3]) / self._messages
            self._allow(share)
            while self._plan and self._plan[0][0] <= share and self._let_happen(self._plan[0][1]):
                self._plan.pop(0)
            time.sleep(TICK)
        time.sleep(STRAY_WAIT)
        return True

    def _count(self) -> tuple[int, int, int, int]:
        try:
            rest = Rest(self.saturn.admin, "SATURN")
            try:
                depth = int(rest.attribute("qlocal", "ORDERS", "curdepth"))
            finally:
                rest.close()
        except (Gone, Refused, AssertionError):
            depth = 0
        put = sum(device.put for device in self._devices)
        return put, depth, self._sender.total, sum(device.arrived for device in self._devices)

    def _allow(self, share: float) -> None:
        """Let both sides put a little more than has arrived."""
        self._sender.allowed = round(min(1.0, share + STEP) * max(self._counts) + 1)
        file = self._folder / "allowed"
        file.with_suffix(".new").write_text(str(self._sender.allowed), "utf-8")
        file.with_suffix(".new").replace(file)

    def _problem(self, still: float) -> str:
        if self._sender.failure is not None:
            return f"the program at SATURN has failed: {self._sender.failure!r}"
        for device in self._devices:
            if device.ended is not None:
                return f"the program of {device.name} has ended with status {device.ended}"
        return f"nothing has moved for {STANDSTILL:g} seconds" if still > STANDSTILL else ""

    def _let_happen(self, what: str) -> bool:
        """Let something go wrong; False if there is no connection now that could be cut."""
        if what == "cut":
            return self.line.cut() > 0
        if what == "device":
            device = self._dice.choice(self._devices)
            device.kill()
            self._screen.tell(f"[red]{device.name} is killed[/red] (SIGKILL) and started again")
            device.start()
        else:
            self._kill(self.earth if what == "EARTH" else self.saturn)
        return True

    def _kill(self, queue_manager: QueueManager) -> None:
        queue_manager.kill()
        self._screen.tell(f"[red]{queue_manager.name} is killed[/red] (SIGKILL)")
        began = time.monotonic()
        queue_manager.start()
        took = time.monotonic() - began
        self._screen.tell(
            f"{queue_manager.name} runs again as process {queue_manager.pid}, {took:.1f} s after its death"
        )

    # At the end

    def _end_devices(self) -> None:
        for device in self._devices:
            device.interrupt()
        for device in self._devices:
            device.wait()

    def _report(self, complete: bool) -> bool:
        self._end_devices()
        screen = self._screen
        browsed = Rest(self.saturn.admin, "SATURN").browse("ORDERS", limit=BROWSED)
        up = [letters.read(message["body"]["text"]) for message in browsed]
        names = [device.name for device in self._devices]
        rows = [
            _row("devices → SATURN", names, [each.put for each in self._devices], lambda name: _of(up, name)),
            _row(
                "SATURN → devices",
                [f"SATURN.{name}" for name in names],
                list(self._sender.put.values()),
                {f"SATURN.{each.name}": each.report() for each in self._devices}.__getitem__,
            ),
        ]
        exact = complete and all(way.exact and not damaged for way, damaged in rows)
        kills = self._faults
        screen.say(
            f"\nIn {screen.elapsed:.1f} seconds; {self.line.cuts} connections were cut, {kills.devices} devices, EARTH"
            f" {kills.earth} times and SATURN {kills.saturn} times killed:"
        )
        screen.table(
            COLUMNS,
            (
                [way.name, way.sent, way.received, way.duplicated, way.lost, way.out_of_order, damaged]
                for way, damaged in rows
            ),
        )
        if exact:
            screen.say("[green]Every message has arrived once, in order.[/green]")
        else:
            screen.say("[red]Not every message has arrived once, in order.[/red]")
        return exact


def _of(found: Iterable[Letter], writer: str) -> list[Letter]:
    return [each for each in found if each.writer == writer]


def _row(name: str, writers: list[str], sent: list[int], arrived: Callable[[str], list[Letter]]) -> tuple[Way, int]:
    """Add up what came of the messages of each writer; also how many were damaged."""
    row, damaged = Way(name, 0), 0
    for writer, count in zip(writers, sent, strict=True):
        found = arrived(writer)
        one = follow(writer, count, [each.number for each in found], len(found))
        damaged += sum(not each.whole or each.writer != writer for each in found)
        row.sent += one.sent
        row.received += one.received
        row.duplicated += one.duplicated
        row.lost += one.lost
        row.out_of_order += one.out_of_order
    return row, damaged


def _script(file: str, devices: list[str]) -> str:
    """The objects of a queue manager, with a line for each device."""
    text = (HERE / file).read_text("utf-8")
    lines = [f"DEFINE QREMOTE({name}) RNAME(' ') RQMNAME({name}) XMITQ(EARTH.XMITQ)" for name in devices]
    return "\n".join([text, *lines, ""])
