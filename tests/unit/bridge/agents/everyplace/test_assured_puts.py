"""Puts on bridge queues that wait for their confirm, at a queue manager elsewhere (E-407)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.mq import assured_puts
from mqbridge.bridge.agents.everyplace.mq.program import DONE, MqFailure, PutOutcome
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.calls import Done, Outcome, Put
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import text_message

ORDERS = Address("ORDERS", "SATURN")
LOST = MqFailure(2009)


class Scene:
    """``locks``: confirms that wait for the record. ``puts``: what was put in MQ. ``commits``: how they end.

    ``cut``: puts in MQ fail. ``held``: what our store writes later; None if it writes at once.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *commits: PutOutcome) -> None:
        self.store = MemoryStore()
        self.locks: list[Callable[[Any], None]] = []
        self.puts: list[MessageUid | None] = []
        self.commits = list(commits)
        self.cut = False
        self.held: list[Callable[[], None]] | None = None
        monkeypatch.setattr(assured_puts, "Outgoing", lambda way, target, message: message)
        monkeypatch.setattr(assured_puts, "put_outgoing", self._put)
        records = SimpleNamespace(lock=lambda way, program, lane, then: self.locks.append(then))
        self.assured: Any = assured_puts.AssuredPuts(self.store, records)  # type: ignore[arg-type]
        program = SimpleNamespace(
            takes_rows=False,
            commit=lambda rows, then: then(self.commits.pop(0)),
            back_out=lambda then: then(DONE),
        )
        pool = SimpleNamespace(acquire=lambda user, then: then(program), release=lambda program, now: None)
        self.way = SimpleNamespace(name="WAY", pool=pool, host=SimpleNamespace(committer=self, now=0.0))

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """See `Committer`."""
        if self.held is None:
            self._write(change, then)
        else:
            self.held.append(lambda: self._write(change, then))

    def _write(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        assert self.store.commit([change.operations]) == [None]
        change.ended(committed=True)
        then(True)

    def _put(self, program: Any, message: Message, then: Callable[[PutOutcome], None]) -> None:
        if self.cut:
            then(LOST)
            return
        self.puts.append(message.uid)
        then(DONE)

    def keep(self, number: int) -> MessageUid:
        uid, message = MessageUid("MOON", number), text_message(str(number))
        message.identify(uid)
        self.assured.put(self.way, SimpleNamespace(address=ORDERS), Put(ORDERS, message, number), "", lambda _: None)
        return uid

    def confirm(self, uid: MessageUid) -> list[Outcome]:
        found: list[Outcome] = []
        self.assured.confirm(self.way, None, uid, found.append)
        return found

    def lock(self, at: int, number: int) -> None:
        """A confirm gets the record, which says that so many were put."""
        self.locks[at](SimpleNamespace(number=number, replace=lambda program, number, then: then(DONE)))


@pytest.mark.spec("E-198", "E-407", "E-420")
def test_a_confirm_that_waits_does_not_put_again_what_another_one_has_found_in_mq(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(monkeypatch, LOST, DONE, DONE)
    first, second = scene.keep(1), scene.keep(2)
    lost = scene.confirm(first)
    scene.lock(0, 3)
    assert lost != [Done()]
    again, other = scene.confirm(first), scene.confirm(second)
    scene.lock(2, 4)
    assert other == [Done()]
    scene.lock(1, 5)
    assert again == [Done()]
    assert scene.puts == [first, second]


@pytest.mark.spec("E-198", "E-407", "E-420")
def test_what_mq_never_got_is_put_again(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, LOST, DONE)
    uid = scene.keep(1)
    scene.confirm(uid)
    scene.lock(0, 3)
    again = scene.confirm(uid)
    scene.lock(1, 3)
    assert again == [Done()]
    assert scene.puts == [uid, uid]


@pytest.mark.spec("E-198", "E-407", "E-420")
def test_a_put_whose_connection_is_cut_while_its_number_is_written_is_not_taken_for_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(monkeypatch, DONE, DONE, DONE)
    first, second, third = scene.keep(1), scene.keep(2), scene.keep(3)
    scene.held = []
    lost, other = scene.confirm(first), scene.confirm(second)
    scene.lock(0, 3)
    scene.lock(1, 3)  # MQ has backed the first unit of work out
    writes, scene.held = scene.held, None
    scene.cut = True
    writes[0]()
    assert lost != [Done()]
    scene.cut = False
    writes[1]()
    assert other == [Done()]
    assert scene.confirm(third) == []
    scene.lock(2, 4)
    again = scene.confirm(first)
    scene.lock(3, 5)
    assert again == [Done()]
    assert scene.puts == [second, third, first]
