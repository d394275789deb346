"""Expired messages of all queues, and those that nobody has confirmed (mqe.md 5, E-204)."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .changes import Change
from .commits import Commits
from .objects.objects import Objects
from .queues.entry import Entry
from .queues.message_event import MessageEvent
from .queues.queue import Queue
from .rules.queue_rules import QueueRules
from .states import Event

INTERVAL: Final = 1.0
"""Seconds between two looks at all queues (E-088)."""


class Unconfirmed(NamedTuple):
    """A message that was put and not confirmed. ``arrived``: milliseconds since 1970."""

    address: Address
    uid: MessageUid
    arrived: int


class Expiry:
    """Removes messages whose time is over, after the rule of their queue has been told (E-084).

    Times are seconds since 1970.
    """

    def __init__(self, objects: Objects, rules: QueueRules, commits: Commits) -> None:
        self._objects = objects
        self._rules = rules
        self._commits = commits
        self._next = 0.0

    def next_timeout(self) -> float:
        """When the next look is due."""
        return self._next

    def set_back(self, seconds: float) -> None:
        """The clock was set back."""
        self._next -= seconds

    def timeout(self, now: float) -> None:
        """Look through all queues, if it is time."""
        if now < self._next:
            return
        self._next = now + INTERVAL
        for queue in self._objects.queues.table:
            self.look_through(queue, now)

    def look_through(self, queue: Queue, now: float) -> Change[None] | None:
        """Have what has expired on a queue removed (E-081 to E-083). Returns the change that does it; None if nothing
        has.

        A message that is under way to another queue manager is told to the rule, and goes when that is settled
        (E-086); one that is locked stays until it is unlocked (E-085).
        """
        messages = queue.messages
        if messages is None:
            return None
        due = messages.expiry.due(int(now * 1000))
        for entry in (*due.removable, *due.in_transfer):
            self._tell(queue, entry, now)
        if not due.removable:
            return None
        change = messages.expiry.remove(due.removable, Event.EXPIRY)

        def ended(outcome: Any) -> None:
            if isinstance(outcome, Refused):
                for entry in due.removable:
                    messages.held.note_expiry(entry)

        self._commits.submit(change, ended)
        return change

    def tell_of(self, queue: Queue, uid: MessageUid | None, now: float) -> None:
        """Tell the rule of a message that has expired, if a queue holds one with this UID: another takes its place."""
        entry = None if queue.messages is None or uid is None else queue.messages.held.list.find(uid)
        if entry is not None and queue.messages is not None and queue.messages.held.expired(entry, int(now * 1000)):
            self._tell(queue, entry, now)

    def _tell(self, queue: Queue, entry: Entry, now: float) -> None:
        messages = queue.messages
        if messages is not None and entry.change is None and not entry.told:
            entry.told = True
            event = MessageEvent.of(queue.definition.address, entry)
            self._rules.expired(queue, event, partial(messages.read, entry), now)

    def unconfirmed(self, longer: float, now: float) -> list[Unconfirmed]:
        """Return the messages that have been unconfirmed for longer than so many seconds, of all queues."""
        before = int((now - longer) * 1000)
        return [
            Unconfirmed(queue.definition.address, entry.uid, entry.arrived)
            for queue in self._objects.queues.table
            if queue.messages is not None
            for entry in queue.messages.expiry.unconfirmed_since(before)
        ]
