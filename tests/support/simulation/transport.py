"""Another transport, whose messages an input offers to a route: they stay in it until it is told to remove them."""

from __future__ import annotations

from functools import partial
from random import Random

from mqbridge.bridge.agents.routing.intake import Intake
from mqbridge.bridge.agents.routing.offers import Offer
from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.mappings.message import Message

from .node import Node
from .oracle import Oracle

LOOK = 0.5
"""Seconds between two looks for messages."""
_WITHDRAWN = 0.05
"""Share of offers that are taken back."""


class Transport:
    """The messages of one input. It outlives its queue manager, and removes a message some time after it was taken, so
    that death may come in between."""

    def __init__(self, node: Node, oracle: Oracle, random: Random) -> None:
        self.waiting: dict[bytes, bytes] = {}
        """Messages by identity."""
        self._offered: set[bytes] = set()
        self._count = 0
        self._node = node
        self._oracle = oracle
        self._random = random
        self._intake: Intake | None = None

    def attach(self, intake: Intake) -> None:
        """A queue manager has started: identities of messages that are gone are forgotten."""
        self._intake = intake
        self._offered.clear()
        for identity in intake.identities():
            if identity not in self.waiting:
                intake.forget(identity)

    def arrive(self, number: int) -> None:
        """Some messages come."""
        random = self._random
        for index in range(random.choice([1, 1, 2, 10, 40])):
            persistent = random.random() < 0.75
            length = random.choice([100, 3000, 40_000])
            body = self._oracle.body("INPUT", number, index, persistent, ordered=False, length=length)
            self._count += 1
            self.waiting[b"%d" % self._count] = body
            self._oracle.asked(body)

    def look(self) -> None:
        """Offer what waits, and do so again."""
        if self._node.alive:
            self._node.call(self._offer_all)
        self._node.clock.after(LOOK, self.look)

    def _offer_all(self) -> None:
        intake, now = self._intake, self._node.clock.now
        assert intake is not None
        for identity, body in list(self.waiting.items()):
            if identity in self._offered or not self._node.alive:
                continue
            self._offered.add(identity)
            message = Message.build(body, format="MQSTR", persistence=int(b" persistent " in body[:60]))
            offer = intake.offer(message, identity, partial(self._taken, intake, identity), now)
            if offer is not None and self._random.random() < _WITHDRAWN:
                self._node.clock.after(self._delay(), partial(self._withdraw, intake, offer))

    def _delay(self) -> float:
        return self._random.expovariate(1 / 0.02)

    def _withdraw(self, intake: Intake, offer: Offer) -> None:
        if intake is self._intake:
            self._node.call(lambda: intake.withdraw(offer, self._node.clock.now))

    def _taken(self, intake: Intake, identity: bytes, taken: Taken) -> None:
        if intake is not self._intake:
            raise AssertionError("a queue manager that has died answers")
        if taken is Taken.NOT:
            self._offered.discard(identity)
            return
        self._oracle.answered([self.waiting[identity]])(None)
        self._node.clock.after(self._delay(), partial(self._remove, intake, identity))

    def _remove(self, intake: Intake, identity: bytes) -> None:
        """Remove a message, unless the process that would do it has died."""
        if intake is self._intake and self._node.alive:
            del self.waiting[identity]
            self._node.clock.after(self._delay(), partial(self._forget, intake, identity))

    def _forget(self, intake: Intake, identity: bytes) -> None:
        if intake is self._intake:
            self._node.call(lambda: intake.forget(identity))
