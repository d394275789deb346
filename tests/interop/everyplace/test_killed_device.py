"""A device whose process is killed at any moment while it puts and sends: nothing is lost, nothing comes twice."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.everyplace import Address, QueueManager
from support.everyplace_devices import DevicePair, eventually

PROGRAM: Final = Path(__file__).parents[2] / "support" / "processes" / "putting_device.py"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[DevicePair]:
    found = DevicePair(tmp_path)
    yield found
    found.close()


class Killed:
    """Runs the program again and again. ``kills``: how often it was killed before its end."""

    def __init__(self, file: Path, count: int, kills: int) -> None:
        self._file = file
        self._count = count
        self._left = kills
        self._dice = random.Random(kills)
        self._next, self._uid = 0, ""
        self.kills = 0

    def run(self) -> None:
        while self._life():
            pass

    def _life(self) -> bool:
        """One life; whether there must be another one."""
        words = [sys.executable, str(PROGRAM), str(self._file), str(self._next), str(self._count)]
        process = subprocess.Popen(
            [*words, self._uid] if self._uid else words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        # The more is put, the more often it has been killed; the moment itself is left to chance.
        until = self._next + self._dice.randint(1, max(2 * (self._count - self._next) // (self._left + 1), 1))
        timer: threading.Timer | None = None
        try:
            for line in process.stdout:
                what, *values = line.split()
                if what == "end":
                    return False
                number = int(values[0])
                self._next, self._uid = (number, values[1]) if what == "hidden" else (number + 1, "")
                if self._left and timer is None and number >= until:
                    timer = threading.Timer(self._dice.uniform(0, 0.003), process.kill)
                    timer.start()
            self._left -= 1
            self.kills += 1
            return True
        finally:
            if timer is not None:
                timer.cancel()
            process.kill()
            process.communicate()


@pytest.mark.spec("E-040", "E-191", "E-196", "E-198", "E-199", "E-461")
@pytest.mark.timeout(280)
def test_a_device_killed_while_it_puts_and_sends(pair: DevicePair, long_form: bool) -> None:
    count, kills = (1000, 100) if long_form else (80, 5)
    earth = pair.earth()
    moon = pair.moon()
    orders = QueueDefinition(QueueKind.REMOTE, Address("ORDERS", "EARTH"))
    orders.set(rows.MODE, rows.ASYNCHRONOUS)
    moon.definitions.define(orders)
    moon.close()
    file = pair.folder / "moon.mqe"
    killed = Killed(file, count, kills)
    killed.run()
    assert killed.kills >= kills // 2
    database = sqlite3.connect(file)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
    with QueueManager.open(file):
        eventually(lambda: len(earth.browse("ORDERS", uids_only=True)) >= count, 60)
    found = earth.browse("ORDERS")
    assert [each["number"] for each in found] == list(range(count))
    assert len({each.uid for each in found}) == count
