"""Which queues send now, as rules allow (mqe.md 11, E-211, E-212, E-501 to E-507)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mqbridge.protocol.everyplace.message import Message

from .definitions.queue_kinds import QueueKind
from .effects import Effect, Transmit, Triggered
from .objects.objects import Objects
from .queues.queue import Queue
from .routes import Routes
from .rules.manager_rules import ManagerRules
from .rules.queue_manager_rule import QueueManagerRule
from .states import State

PASSED_ON: Final = (QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD)
"""Kinds whose messages are for other queue managers."""


class Transmission:
    """Says what may be sent, by `Transmit` and `Triggered`. Times are seconds since 1970.

    Who transmits asks `may_begin` before it connects for a queue, pulls or tries again, and `may_go_on` before each
    batch. ``closing``: nothing new begins; what was triggered goes on. ``closed``: nothing goes on.
    """

    def __init__(self, objects: Objects, routes: Routes, rules: ManagerRules, tell: Callable[[Effect], None]) -> None:
        self._objects = objects
        self._routes = routes
        self._rules = rules
        self._tell = tell
        self._rule: QueueManagerRule | None = None
        self._next: float | None = None
        self._awake: set[int] | None = None
        self.closing = False
        self.closed = False

    def activate(self, now: float) -> None:
        """The queue manager has started. Without the rule's consent queues send after their next put or a trigger, and
        home-server queues pull after a trigger (E-503)."""
        self.closing = self.closed = False
        self._awake = None if self._rules.activates_queues() else set()
        self._rule, self._next = self._rules.present, self._rules.next_trigger(now)
        there = any(each.size or each.kind is QueueKind.HOME_SERVER for each in self._objects.queues.table)
        if self._awake is None and there:
            self.trigger(now)

    def put(self, queue: Queue, target: str, message: Message | None, now: float) -> None:
        """A message for a queue manager has become visible: send it, and with a rule of its own all others."""
        allowed = not self.closing and self._rules.may_trigger(self.pending, message, now)
        if allowed and self._awake is not None:
            self._awake.add(queue.definition.number)
        if not allowed or not self._rules.may_transmit(queue, now):
            self._tell(Transmit(queue, "", target))
            return
        self._tell(Transmit(queue, self._routes.find_hop(queue.owner) or "", target))
        if self._rules.present is not None:
            for other in self._outgoing():
                hop = self._routes.find_hop(other.owner)
                if other is not queue and other.size and hop is not None and self._rules.may_transmit(other, now):
                    self._tell(Transmit(other, hop))

    def trigger(self, now: float) -> bool:
        """Try to send everything that waits, and to pull (E-211). Returns whether the rule allows it now."""
        if self.closing or not self._rules.may_trigger(self.pending, None, now):
            return False
        self._awake = None
        self._tell(Triggered())
        return True

    def may_begin(self, queue: Queue, now: float) -> bool:
        """Whether a queue may begin to send now, or a home-server queue to pull."""
        if self.closing or (self._awake is not None and queue.definition.number not in self._awake):
            return False
        return self._rules.may_trigger(self.pending, None, now) and self._rules.may_transmit(queue, now)

    def may_go_on(self, queue: Queue, now: float) -> bool:
        """Whether a queue that sends, or pulls, may go on (E-502)."""
        return not self.closed and self._rules.may_transmit(queue, now)

    def pending(self) -> int:
        """Count the messages that could be sent."""
        return sum(
            entry.state is State.UNLOCKED
            for queue in self._outgoing()
            if queue.messages is not None
            for entry in queue.messages.held.list
        )

    def next_timeout(self) -> float | None:
        """When the rule wants transmission to be triggered; None for never."""
        return 0.0 if self._rules.present is not self._rule else self._next

    def timeout(self, now: float) -> None:
        """Trigger transmission, if the rule wants that by now (E-505)."""
        if self._rules.present is not self._rule:
            self._rule = self._rules.present
        elif self._next is None or now < self._next:
            return
        elif self._objects.queues.table:
            self.trigger(now)
        self._next = None if self.closing else self._rules.next_trigger(now)

    def _outgoing(self) -> Iterator[Queue]:
        for queue in self._objects.queues.table:
            if queue.kind in PASSED_ON and queue.messages is not None:
                yield queue
