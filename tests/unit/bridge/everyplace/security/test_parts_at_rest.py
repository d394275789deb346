"""Parts of long messages at rest, where there is a private registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import derived
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.parts_in import QUEUE, PartsIn
from mqbridge.bridge.store.interface import AddMessage, RemoveMessage
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.batches import Part
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace_security import security

LANE: Final = LaneName("EARTH", "SAF@EARTH")
UID: Final = MessageUid("EARTH", 7)


class Disk:
    """A store in which everything is written at once."""

    def __init__(self) -> None:
        self.store = MemoryStore()

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        assert self.store.commit([change.operations]) == [None]
        change.ended(committed=True)
        then(True)

    def parts(self, found: Security | None) -> PartsIn:
        return PartsIn(self.store, self, lambda: 0, security=found)

    @property
    def kept(self) -> bytes:
        return b"".join(self.store.read(QUEUE, position) for position, _, _ in self.store.scan(QUEUE))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Security:
    monkeypatch.setattr(private_registry, "stretched", lambda pin, salt: derived(pin.encode(), salt))
    return security()


def message() -> Message:
    made = Message()
    made.identify(UID)
    made["text"] = "two apples " * 10
    return made


def add(parts: PartsIn, start: int, end: int) -> None:
    data = message().body()
    parts.add(LANE, Part(str(LANE), UID, len(data), start, data[start:end]), lambda _: None)


@pytest.mark.spec("E-095", "E-024")
def test_parts_are_encrypted_and_go_on_after_a_restart(found: Security) -> None:
    disk, length = Disk(), len(message().body())
    add(disk.parts(found), 0, 60)
    assert b"apples" not in disk.kept
    parts = disk.parts(found)
    assert parts.have(LANE, UID) == 60
    add(parts, 60, length)
    assert b"apples" not in disk.kept
    assert parts.message(LANE, UID) == message()
    assert disk.parts(found).message(LANE, UID) == message()


@pytest.mark.spec("E-095")
def test_parts_that_are_kept_otherwise_come_again(found: Security) -> None:
    for first, second in ((None, found), (found, None)):
        disk = Disk()
        add(disk.parts(first), 0, 60)
        parts = disk.parts(second)
        assert parts.have(LANE, UID) == 0
        add(parts, 0, len(message().body()))
        assert parts.message(LANE, UID) == message()
        assert len(list(disk.store.scan(QUEUE))) == 1


@pytest.mark.spec("E-095")
def test_parts_that_changed_places_on_disk_are_refused(found: Security) -> None:
    disk = Disk()
    parts = disk.parts(found)
    add(parts, 0, 60)
    add(parts, 60, 120)
    add(parts, 120, len(message().body()))
    rows = [(position, row, disk.store.read(QUEUE, position)) for position, row, _ in disk.store.scan(QUEUE)]
    (first, first_row, first_data), (second, second_row, second_data) = rows[:2]
    disk.store.commit([[RemoveMessage(QUEUE, first), RemoveMessage(QUEUE, second)]])
    disk.store.commit(
        [[AddMessage(QUEUE, first, first_row, second_data), AddMessage(QUEUE, second, second_row, first_data)]]
    )
    with pytest.raises(EveryplaceError) as caught:
        disk.parts(found).message(LANE, UID)
    assert caught.value.code is Code.STORE
