"""Parts of long messages whose store refuses some of them, and parts with names that nobody has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.parts_in import QUEUE, PartsIn
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.batches import Numbered, Part, Pull, write_body
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import Hello, write_greeting
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import World

LANE = LaneName("MOON", "ORDERS@EARTH")
UID = MessageUid("MOON", 7)


class Disk:
    """Changes that are not on disk yet."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.open: list[tuple[Change[Any], Callable[[bool], None]]] = []
        self.parts = PartsIn(self.store, self, lambda: 0)
        self.answers: list[int | EveryplaceError] = []

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        self.open.append((change, then))

    def end(self, *, committed: bool) -> None:
        """The oldest change is on disk, or is not."""
        change, then = self.open.pop(0)
        if committed:
            assert self.store.commit([change.operations]) == [None]
        change.ended(committed=committed)
        then(committed)

    def add(self, offset: int, data: bytes, length: int) -> None:
        self.parts.add(LANE, Part(str(LANE), UID, length, offset, data), self.answers.append)

    @property
    def kept(self) -> int:
        return len(list(self.store.scan(QUEUE)))


def body() -> bytes:
    message = Message()
    message.identify(UID)
    message["text"] = "two apples"
    return message.body()


@pytest.mark.spec("E-024", "E-461")
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("second", [False, True])
def test_parts_of_which_the_store_refuses_one_come_again(*, first: bool, second: bool) -> None:
    disk, data = Disk(), body()
    disk.add(0, data[:10], len(data))
    disk.add(10, data[10:], len(data))
    with pytest.raises(EveryplaceError, match="not come whole"):
        disk.parts.message(LANE, UID)
    disk.end(committed=first)
    disk.end(committed=second)
    while disk.open:
        disk.end(committed=True)
    if first and second:
        assert disk.answers == [10, len(data)]
    else:
        assert isinstance(disk.answers[-1], EveryplaceError)
        assert disk.parts.have(LANE, UID) == 0
        assert disk.kept == 0
        disk.add(0, data, len(data))
        disk.end(committed=True)
    assert disk.parts.message(LANE, UID)["text"] == "two apples"
    # What comes while the batch is being placed stays.
    disk.submit(Change(None, disk.parts.removals(LANE)), lambda committed: disk.parts.placed(LANE))
    other = MessageUid("MOON", 8)
    disk.parts.add(LANE, Part(str(LANE), other, 100, 0, b"x"), disk.answers.append)
    disk.end(committed=True)
    disk.end(committed=True)
    assert (disk.kept, disk.parts.have(LANE, UID), disk.parts.have(LANE, other)) == (1, 0, 1)


@pytest.mark.spec("E-481", "E-567")
@pytest.mark.parametrize("lane", ["größe@EARTH", "L" * 600, "a\nb", "\x7f"])
def test_a_lane_or_origin_that_nobody_has_is_refused_and_others_go_on(lane: str) -> None:
    world = World()
    earth = world.queue_manager("EARTH")
    bodies = [
        (Kind.STATE, Numbered(lane, 0)),
        (Kind.PART, Part(lane, UID, 100_000, 0, b"x")),
        (Kind.PART, Part("ORDERS@EARTH", MessageUid(lane, 1), 100_000, 0, b"x")),
        (Kind.PULL, Pull(lane, 0, 0)),
    ]
    for kind, sent in bodies:
        line = earth.network.called(earth.listener, Peer("hostile"), earth.now)
        hello = write_greeting(Hello("PLUTO", "EARTH", b"incarnat", 1, b"n" * 16, ("none",)))
        line.receive_data(Frame(Kind.HELLO, 1, hello).encode(), earth.now)
        line.receive_data(Frame(kind, 2, write_body(sent)).encode(), earth.now)
        kinds = [frame.kind for frame in FrameReader().receive(line.take())]
        assert kinds[0] is Kind.READY
        earth.go_on()
        line.cut(earth.now)
    moon = world.queue_manager("MOON")
    earth.local("ORDERS")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.put("ORDERS@EARTH", "two apples")
    world.run()
    assert earth.texts("ORDERS") == ["two apples"]
