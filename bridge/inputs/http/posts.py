"""What an HTTP input knows of its requests: who may send, which keys were taken, and what is on its way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from twisted.internet.defer import Deferred

from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.bridge.client.message import Message
from mqbridge.bridge.inputs.interface import Sink
from mqbridge.bridge.security import Users

from .keys import Known, TakenKeys
from .settings import HttpSettings

MAX_HELD: Final = 256 << 20
"""Bytes of bodies that may be on their way at the same time."""


class Posts:
    """The requests of one input. ``users``: returns those of the queue manager. ``local``: only programs on this
    machine can reach it."""

    def __init__(self, settings: HttpSettings, sink: Sink, users: Callable[[], Users]) -> None:
        self.settings = settings
        self.local = False
        self._sink = sink
        self._users = users
        self._keys = TakenKeys({}, self.now())
        self._busy: set[bytes] = set()
        """Identities of requests in progress."""
        self._held = 0

    @staticmethod
    def now() -> float:
        """Seconds since the epoch."""
        return time.time()

    def begin(self) -> None:
        """Know the keys that the route has kept."""
        self._keys = TakenKeys(self._sink.identities(), self.now())

    def forget_old_keys(self) -> None:
        """Forget the keys that were kept for long enough."""
        for identity in self._keys.forget(self.now() - self.settings.keep_keys):
            self._sink.forget(identity)

    def admits(self, user: str) -> bool:
        """Whether a user may send: by name, or as a member of a group."""
        return not {user, *self._users().groups_of(user)}.isdisjoint(self.settings.users)

    def hold(self, length: int) -> bool:
        """Count bytes of a body that has begun to come; returns whether there is room for them."""
        if self._held + length > MAX_HELD:
            return False
        self._held += length
        return True

    def release(self, length: int) -> None:
        """Bytes of a body are held no more."""
        self._held -= length

    def known(self, identity: bytes, body: bytes) -> Known:
        """Return what is known of a key that comes with a body."""
        return self._keys.known(identity, body) if identity else Known.NEW

    def enter(self, identity: bytes) -> bool:
        """Note that a request with a key is in progress; returns False if one is already."""
        if identity in self._busy:
            return False
        if identity:
            self._busy.add(identity)
        return True

    def leave(self, identity: bytes) -> None:
        """A request has ended."""
        self._busy.discard(identity)

    def take(self, message: Message, identity: bytes, mark: bytes) -> Deferred[Taken]:
        """Offer a message; what could not be put in time is not taken."""
        outcome: Deferred[Taken] = Deferred()
        withdraw: list[Callable[[], None]] = []

        def answered(taken: Taken) -> None:
            stop_waiting()
            if identity and taken is not Taken.NOT:
                self._keys.add(identity, mark, self.now())
            outcome.callback(taken)

        stop_waiting = self._sink.later(self.settings.wait, lambda: [each() for each in withdraw])
        withdraw.append(self._sink.offer(message, identity, answered, mark))
        return outcome
