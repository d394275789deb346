"""Connections and administration messages that say anything: no other device is disturbed, and nothing is lost."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable

import pytest

from mqbridge.bridge.everyplace.administration.actions import CLASS_PREFIX, CLASSES, Action
from mqbridge.bridge.everyplace.administration.requests import Request, write_request
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import PROPERTIES
from support.everyplace import Station, World

pytestmark = pytest.mark.spec("E-032", "E-288", "E-481", "E-567")
ADMIN = "AdminQ"


class Overheard:
    """A line whose received bytes are kept."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.heard = bytearray()
        self._receive = line.receive_data
        line.receive_data = self.receive  # type: ignore[method-assign]

    def receive(self, data: bytes, now: float) -> None:
        self.heard += data
        self._receive(data, now)


def world_of_two() -> tuple[World, Station, Station]:
    world = World(3)
    moon, earth = world.queue_manager("MOON"), world.queue_manager("EARTH")
    earth.local("ORDERS")
    earth.define(QueueKind.ADMINISTRATION, ADMIN)
    earth.store_and_forward("HELD", ["MOON"])
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.home_server("EARTH", POLL_INTERVAL=1000)
    return world, moon, earth


def exchange(moon: Station, earth: Station, count: int) -> None:
    for number in range(count):
        moon.put("ORDERS@EARTH", f"up {number}")
        earth.put("REPLIES@MOON", f"down {number}")
    moon.world.run(5.0)


def conversation(make: Callable[[], tuple[World, Station, Station]] = world_of_two) -> tuple[bytes, bytes]:
    """What a device and its gateway say to each other: to the called end, and to the caller."""
    world, moon, earth = make()
    kept: list[tuple[Overheard, Overheard]] = []
    opened = world.open

    def heard(*values: object) -> None:
        opened(*values)  # type: ignore[arg-type]
        kept.append((Overheard(world.wires[-1].ends[1]), Overheard(world.wires[-1].ends[0])))

    world.open = heard  # type: ignore[method-assign]
    exchange(moon, earth, 3)
    return bytes(kept[0][0].heard), bytes(kept[0][1].heard)


UP, DOWN = conversation()


def changed(data: bytes, dice: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(dice.choice((0, 1, 1, 3))):
        at = dice.randrange(len(found) + 1)
        if dice.random() < 0.3:
            del found[at : at + dice.choice((1, 40))]
        elif dice.random() < 0.3:
            kind = dice.choice(list(Kind))
            found[at:at] = Frame(kind, dice.randrange(9), dice.randbytes(dice.randrange(60))).encode()
        else:
            found[at : at + 1] = bytes([dice.randrange(256)])
    return bytes(found)


def test_called_ends_survive_any_caller(*, long_form: bool) -> None:
    _, moon, earth = world_of_two()
    dice = random.Random(5)
    count = 3000 if long_form else 150
    for _ in range(count):
        line = earth.network.called(earth.listener, Peer("hostile"), earth.now)
        # It may say anything but that it is MOON, which keys and certificates are there for.
        data = changed(UP.replace(b"MOON", b"PLUT"), dice)
        while data and not line.ended:
            size = dice.choice((1, 10, 100, len(data)))
            line.receive_data(data[:size], earth.now)
            data = data[size:]
            line.take()
            if dice.random() < 0.1:
                earth.go_on()
        earth.go_on()
        line.cut(earth.now)
    exchange(moon, earth, 2)
    texts = earth.texts("ORDERS")
    assert [text for text in texts if text.startswith("up")][-2:] == ["up 0", "up 1"]
    assert moon.texts("REPLIES")[-2:] == ["down 0", "down 1"]


def test_callers_survive_any_called_end(*, long_form: bool) -> None:
    dice = random.Random(6)
    world, moon, earth = world_of_two()
    world.run()
    earth.away = True
    moon.put("ORDERS@EARTH", "kept")
    for _ in range(2000 if long_form else 100):
        world.cut_all("MOON")
        moon.network.trigger(moon.now)
        for definition in moon.network.openings(moon.now):
            line = moon.network.opened(definition.name, moon.now)
            data = changed(DOWN, dice)
            while data and not line.ended:
                size = dice.choice((1, 10, 100, len(data)))
                line.receive_data(data[:size], moon.now)
                data = data[size:]
                moon.write()
                line.take()
            line.cut(moon.now)
        world.now += 1.0
    earth.away = False
    moon.network.readmit("EARTH", lambda outcome: None)
    moon.network.trigger(moon.now)
    world.run(600.0)
    assert earth.texts("ORDERS") == ["kept"]


def test_what_a_caller_says_costs_no_more_memory_than_a_frame() -> None:
    _, _, earth = world_of_two()
    tracemalloc.start()
    try:
        for _ in range(30):
            line = earth.network.called(earth.listener, Peer("hostile"), earth.now)
            line.receive_data(b"\x7f\xff\xff\xff\x01\0\0\0\0\1", earth.now)
            for _ in range(50):
                line.receive_data(bytes(1 << 16), earth.now)
            line.take()
            line.cut(earth.now)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 << 20


def some_request(dice: random.Random) -> Message:
    """An administration message, more or less."""
    parameters = Fields()
    parameters.put("admname", dice.choice(("ORDERS", "NEW", "a/b", "", "X" * 300)), FieldType.ASCII)
    for _ in range(dice.randrange(4)):
        kind = dice.choice([each for each in FieldType if each is not FieldType.FIELDS])
        value = {FieldType.BOOLEAN: True, FieldType.FLOAT: 1.0, FieldType.DOUBLE: 1.0}.get(kind, 7)
        if kind in (FieldType.ASCII, FieldType.UNICODE):
            value = dice.choice(("", "rule.nobody.has", "x" * 500))
        if kind in (FieldType.UNTYPED, FieldType.BYTE_ARRAY):
            value = b"1"
        if kind.is_array and kind is not FieldType.BYTE_ARRAY:
            value = None
        parameters.put(dice.choice(("qp", "qd", "qr", "qmqs", "qe", "qanl", "qqmn", "odd")), value, kind)
    action = dice.choice(list(Action))
    found = write_request(Request("EARTH", action, dice.choice(list(CLASSES)), parameters), Address("REPLIES", "MOON"))
    if dice.random() < 0.5:
        found.type = dice.choice((CLASS_PREFIX, CLASS_PREFIX + "nothing", "os.system", CLASS_PREFIX + "queue"))
    if dice.random() < 0.5:
        row = dice.choice([each for each in PROPERTIES if each.name.startswith("Admin")])
        if row.name in found:
            found.delete(row.name)
        if dice.random() < 0.5 and FieldType.INT in row.types:
            found.put(row.name, dice.choice((-1, 0, 99, 2**31 - 1)), FieldType.INT)
    return found


@pytest.mark.spec("E-134", "E-270", "E-279")
def test_administration_answers_any_message_and_goes_on(*, long_form: bool) -> None:
    world, _, earth = world_of_two()
    dice = random.Random(7)
    for _ in range(3000 if long_form else 150):
        earth.put(f"{ADMIN}@EARTH", some_request(dice))
        world.run(0.5)
    world.run(120.0)
    assert not len(earth.stored(f"{ADMIN}@EARTH"))
    earth.local("AFTERWARDS")
    earth.put("AFTERWARDS@EARTH", "it works")
    assert earth.texts("AFTERWARDS") == ["it works"]
