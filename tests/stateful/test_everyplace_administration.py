"""Administration against a dict of queues: requests in any order, crashes at every commit, stores that refuse."""

from __future__ import annotations

import random
from typing import Final

import pytest

from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.administration.requests import read_reply, write_request
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.definitions.queue_properties import MAX_Q_SIZE
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Outcome, Put
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace_hosts import DirectHost, request

SEEDS: Final = 120
NAMES: Final = ("A", "B", "C")
ALIASES: Final = ("X", "Y")
REPLIES: Final = Address("AdminReplyQ", "EARTH")


class Model:
    """What a list of requests makes of a dict: name of a queue to its limit and aliases."""

    def __init__(self) -> None:
        self.queues: dict[str, tuple[int, set[str]]] = {}

    def obey(self, action: Action, name: str, limit: int, alias: str) -> bool:
        """Returns whether it succeeds."""
        found = self.queues.get(name)
        if action is Action.CREATE:
            if found is None:
                self.queues[name] = limit, set()
            return found is None
        if found is None:
            return False
        taken = {each for _, aliases in self.queues.values() for each in aliases}
        if action is Action.DELETE:
            del self.queues[name]
        elif action is Action.UPDATE:
            self.queues[name] = limit, found[1]
        elif (action is Action.ADD_ALIAS) == (alias in (taken if action is Action.ADD_ALIAS else found[1])):
            return False
        elif action is Action.ADD_ALIAS:
            found[1].add(alias)
        else:
            found[1].discard(alias)
        return True


class Course:
    """One queue manager, whose commits are written one by one, and which is killed between them."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.host = DirectHost()
        self.model = Model()
        self.wanted: list[tuple[str, bool]] = []

    def write_one(self) -> None:
        """Time passes, and the oldest change is written, or the store refuses it."""
        manager = self.host.manager
        manager.timeout(self.host.now)
        for pending in manager.take_commits():
            if self.dice.random() < 0.05:
                manager.committed(pending, StoreFull("no room"))
                continue
            assert self.host.store.commit([pending.operations]) == [None]
            manager.committed(pending, None)

    def put(self) -> None:
        action = self.dice.choice((Action.CREATE, Action.DELETE, Action.UPDATE, Action.ADD_ALIAS, Action.REMOVE_ALIAS))
        name, alias, limit = self.dice.choice(NAMES), self.dice.choice(ALIASES), self.dice.randrange(1, 9)
        values: dict[str, object] = {"qanl": (alias,)}
        if action in (Action.CREATE, Action.UPDATE, Action.DELETE):
            values = {} if action is Action.DELETE else {"qmqs": limit}
        message = write_request(request("EARTH", action, "local", name, **values), REPLIES)
        found: list[Outcome] = []
        self.host.manager.call(Put(Address("AdminQ", "EARTH"), message), found.append, self.host.now)
        while not found:
            (pending,) = self.host.manager.take_commits()
            assert self.host.store.commit([pending.operations]) == [None]
            self.host.manager.committed(pending, None)
        self.wanted.append((f"{action.word} local {name}", self.model.obey(action, name, limit, alias)))

    def run(self) -> None:
        for _ in range(30):
            chance = self.dice.random()
            if chance < 0.4:
                self.settle()
                self.put()
            elif chance < 0.6:
                self.host.manager.timeout(self.host.now)
                self.host.restart()
            else:
                self.write_one()
        self.settle()

    def settle(self) -> None:
        for _ in range(20):
            if self.host.size("AdminQ") == 0:
                break
            self.write_one()
            self.host.now += 70
        self.host.settle()

    def judge(self) -> None:
        found: list[Outcome] = []
        self.host.manager.call(Browse(REPLIES, Fields()), found.append, self.host.now)
        assert isinstance(found[0], Browsed)
        replies = [read_reply(each) for each in found[0].messages]
        assert [(str(each.request), each.code is ReturnCode.SUCCESS) for each in replies] == self.wanted
        for _ in range(2):
            own = [each for each in self.host.manager.queues if each.kind is QueueKind.LOCAL and each.name in NAMES]
            assert {
                each.name: (each.definition.value(MAX_Q_SIZE), set(each.aliases)) for each in own
            } == self.model.queues
            self.host.restart()
        assert self.host.size("AdminQ") == 0


@pytest.mark.spec("E-134", "E-276", "E-461")
@pytest.mark.parametrize("first", range(0, SEEDS, 30))
def test_each_request_is_obeyed_once_and_answered_once(first: int) -> None:
    for seed in range(first, first + 30):
        course = Course(seed)
        try:
            course.run()
            course.judge()
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
