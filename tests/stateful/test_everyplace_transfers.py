"""A device and its gateway over a line that is cut at any byte, with both killed at any moment: all once and in order.

What travels are the bytes of their networks, and what a store gets is one commit at a time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Final

import pytest

from mqbridge.bridge.everyplace.network.settings import NetworkSettings
from mqbridge.bridge.everyplace.transfer import called, pushing
from mqbridge.bridge.everyplace.transfer.parts_in import LONG, QUEUE
from mqbridge.protocol.everyplace.calls import Done, Outcome, Put
from mqbridge.protocol.everyplace.handshakes import VERSION
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, Wire, World

pytestmark = pytest.mark.spec("E-131", "E-135", "E-189", "E-190", "E-191", "E-204", "E-325", "E-461")
SEEDS: Final = 80
MORE: Final = 25
"""As many times more with ``--long``."""
SETTINGS: Final = NetworkSettings(retry_most=4.0, pull_wait=3.0, ping=2.0, answer=5.0)
COMPRESSORS: Final = ((), ("zlib",), ("zlib-stream",))
SMALL: Final = 3
"""Messages of a batch, so that there are batches behind batches."""


class Course:
    """MOON calls EARTH: ORDERS goes up, REPLIES comes down."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.world = World(seed, replace(SETTINGS, compressors=COMPRESSORS[seed % 3]))
        self.moon, self.earth = self.world.queue_manager("MOON"), self.world.queue_manager("EARTH")
        self.stations = (self.moon, self.earth)
        self.moon.remote("ORDERS", "EARTH")
        self.moon.local("REPLIES")
        self.moon.connection("EARTH")
        self.moon.home_server("EARTH", POLL_INTERVAL=2000)
        self.earth.local("ORDERS")
        self.earth.store_and_forward("SAF", ["MOON"])
        self.put_up: list[int] = []
        self.put_down: list[int] = []
        self.number = 0

    def put(self) -> None:
        """A program puts; what it was not told to be done before a kill, it does not count on."""
        self.number += 1
        message = Message()
        message["number"] = number = self.number
        message.priority = self.dice.choice((3, 4))
        if self.dice.random() < 0.1:
            message["text"] = self.dice.randbytes(LONG + self.dice.randrange(LONG))
        up = self.dice.random() < 0.5
        station = self.moon if up else self.earth
        address = Address("ORDERS", "EARTH") if up else Address("REPLIES", "MOON")

        def done(outcome: Outcome) -> None:
            assert outcome == Done()
            (self.put_up if up else self.put_down).append(number)

        station.manager.call(Put(address, message), done, station.now)

    def step(self) -> None:
        """One thing that can happen without a fault."""
        choices: list[Callable[[], object]] = []
        for station in self.stations:
            station.go_on_without_writing()
            station.pending += station.manager.take_commits()
            if station.pending:
                choices.append(station.write_one)
        for wire in list(self.world.wires):
            self.world.close(wire)
        for wire in self.world.wires:
            for end in (0, 1):
                if wire.on_the_way[end]:
                    choices.append(partial(self.deliver, wire, end))
        if choices:
            self.dice.choice(choices)()
        else:
            self.world.now += 0.5
            for station in self.stations:
                station.network.timeout(station.now)

    def deliver(self, wire: Wire, end: int) -> None:
        whole = len(wire.on_the_way[end][0])
        self.world.deliver(wire, end, whole if self.dice.random() < 0.7 else self.dice.randrange(1, whole + 1))

    def run(self) -> None:
        for _ in range(250):
            chance = self.dice.random()
            if chance < 0.08:
                self.put()
            elif chance < 0.11:
                self.world.cut_all("MOON", "EARTH")
            elif chance < 0.14:
                self.kill()
            else:
                self.step()
        self.world.run(60)

    def kill(self) -> None:
        """One of them ends; when it starts again it may be of an older or a newer release."""
        version = self.dice.choice((1, VERSION))
        self.world.settings = replace(self.world.settings, version=version)
        self.dice.choice(self.stations).kill()

    def judge(self) -> None:
        for station, queue, known in ((self.earth, "ORDERS", self.put_up), (self.moon, "REPLIES", self.put_down)):
            found = [(each.priority, each["number"]) for each in station.browse(queue)]
            numbers = [number for _, number in found]
            assert len(set(numbers)) == len(numbers)
            assert set(known) <= set(numbers)
            for priority in (3, 4):
                those = [number for own, number in found if own == priority]
                assert those == sorted(those)
        assert len(self.moon.stored("ORDERS@EARTH")) == len(self.earth.stored("SAF")) == 0
        for station in self.stations:
            assert not list(station.store.scan(QUEUE)), "parts of long messages remain"
            assert not [each for each in station.alarms if "another" in each or "the last" in each]


@pytest.mark.parametrize("first", range(0, SEEDS, 20))
def test_all_messages_arrive_once_and_in_order(first: int, long_form: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(called, "BATCH", SMALL)
    monkeypatch.setattr(pushing, "BATCH", SMALL)
    seeds = range(SEEDS + first * MORE, SEEDS + (first + 20) * MORE) if long_form else range(first, first + 20)
    for seed in seeds:
        course = Course(seed)
        try:
            course.run()
            course.judge()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise


class Cloned(Course):
    """MOON's file is copied after it has been in use, and both copies go on."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.moon.put("ORDERS@EARTH", "0")
        self.world.run(1)
        clone = Station(self.world, "MOON", None, self.moon.credentials)
        clone.restore(deepcopy(self.moon.tables))
        self.world.stations["CLONE"] = self.clone = clone
        self.stations = (self.moon, self.earth, clone)
        self.count = 0

    def put(self) -> None:
        self.count += 1
        self.world.now += 0.01
        station = self.dice.choice((self.moon, self.clone))
        station.put("ORDERS@EARTH", str(self.count))

    def judge(self) -> None:
        arrived = [int(each) for each in self.earth.texts("ORDERS")]
        waiting = [
            int(station.stored("ORDERS@EARTH").held.read(entry)["text"])
            for station in (self.moon, self.clone)
            for entry in station.stored("ORDERS@EARTH").held.list
        ]
        assert len(set(arrived)) == len(arrived)
        assert sorted({*arrived, *waiting}) == list(range(self.count + 1))
        if self.count > 3:
            assert self.moon.alarms or self.clone.alarms


@pytest.mark.spec("E-191")
def test_a_copy_of_a_device_loses_nothing(long_form: bool) -> None:
    for seed in range(15 * MORE if long_form else 15):
        course = Cloned(seed)
        try:
            course.run()
            course.judge()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
