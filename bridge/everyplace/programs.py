"""What programs do over time: listen, wait for a message, read a queue empty (mqe.md 11, E-205 to E-210)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from mqbridge.protocol.everyplace.calls import Call, ConfirmGet, Done, Get, Got, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .definitions.queue_kinds import Operation, require
from .effects import MessageArrived, Then
from .queues.entry import Entry
from .queues.message_event import MessageEvent
from .queues.queue import Queue
from .routes import Routes, Undiscovered
from .rules.queue_rules import QueueRules

POLL_INTERVAL: Final = 1.0
"""Seconds between two gets of a wait on a queue of another queue manager."""


@dataclass(slots=True, eq=False)
class Listener:
    """A listener on a local queue. ``call``: gets its events."""

    queue: Queue
    wanted: Fields
    call: Callable[[MessageEvent], None]
    watch: Callable[[Entry], None] = field(repr=False, default=lambda _: None)


@dataclass(slots=True, eq=False)
class Wait:
    """A get that waits. ``due``: when it is tried next. ``asking``: it is being tried. ``watch``: looks at what comes
    to a local queue."""

    get: Get
    until: float
    interval: float
    then: Then
    due: float
    asking: bool = False
    queue: Queue | None = None
    watch: Callable[[Entry], None] | None = field(repr=False, default=None)


class Programs:
    """The listeners and waits of one queue manager.

    ``call``: makes a call. ``arrived``: gets the events for listeners. Times are seconds since 1970.
    """

    def __init__(
        self,
        routes: Routes,
        rules: QueueRules,
        call: Callable[[Call, Then, float], None],
        arrived: Callable[[MessageArrived], None],
    ) -> None:
        self._routes = routes
        self._rules = rules
        self._call = call
        self._arrived = arrived
        self._listeners: list[Listener] = []
        self._waits: list[Wait] = []
        self.now = 0.0
        """The last time that the queue manager was told."""

    # Listeners

    def listen(self, address: Address, wanted: Fields, call: Callable[[MessageEvent], None]) -> Listener:
        """Have ``call`` called with an event for each message that becomes visible and fits (E-205, E-208).

        What is there already is not told. Raises `EveryplaceError` NOT_SUPPORTED for a queue of another queue manager.
        """
        queue, _ = self._routes.resolve(address)
        require(Operation.LISTEN, queue.kind, str(queue), synchronous=queue.definition.synchronous)
        assert queue.messages is not None, "a queue that can be listened to stores its messages"
        listener = Listener(queue, wanted, call)
        listener.watch = partial(self._watch, listener, Filter(wanted))
        queue.messages.held.watchers.append(listener.watch)
        self._listeners.append(listener)
        self._rules.listener(queue, wanted, added=True)
        return listener

    def remove(self, listener: Listener) -> None:
        """End a listener. Raises `EveryplaceError` NOT_FOUND."""
        if listener not in self._listeners:
            raise EveryplaceError(Code.NOT_FOUND, f"there is no such listener on {listener.queue}")
        self._listeners.remove(listener)
        _unwatch(listener.queue, listener.watch)
        self._rules.listener(listener.queue, listener.wanted, added=False)

    def _watch(self, listener: Listener, wanted: Filter, entry: Entry) -> None:
        messages = listener.queue.messages
        if messages is None or messages.held.past(entry, int(self.now * 1000)):
            return
        if wanted.accepts_index(entry.index) and (not wanted.others or wanted.accepts(messages.read(entry))):
            event = MessageEvent.of(listener.queue.definition.address, entry)
            self._arrived(MessageArrived(listener.call, event))

    # Waiting

    def wait(self, get: Get, timeout: int, then: Then, now: float, interval: float = POLL_INTERVAL) -> Wait:
        """Make a get as soon as there is a message for it; ``then`` gets the outcome (E-210).

        ``timeout``: milliseconds; when they are over, the outcome is Q_NO_MATCHING_MSG. ``interval``: seconds between
        two requests, if the queue is of another queue manager.
        """
        self.now = now
        wait = Wait(get, now + timeout / 1000, max(interval, 0.1), then, now)
        try:
            queue, _ = self._routes.resolve(get.address)
            require(Operation.WAIT, queue.kind, str(queue), synchronous=queue.definition.synchronous)
            if queue.messages is not None:
                wait.queue, wait.watch = queue, partial(self._came, wait, Filter(get.wanted))
                queue.messages.held.watchers.append(wait.watch)
        except Undiscovered:
            pass  # the get asks for it
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return wait
        self._waits.append(wait)
        self._try(wait, now)
        return wait

    def cancel(self, wait: Wait, code: Code = Code.STOPPED) -> None:
        """End a wait. One whose get is under way ends with its outcome, since that may have a message."""
        wait.until = 0.0
        if wait in self._waits and not wait.asking:
            self._end(wait, Refused(code, f"the wait on {wait.get.address} has been ended"))

    def _try(self, wait: Wait, now: float) -> None:
        wait.asking = True
        wait.due = now + wait.interval
        self._call(wait.get, partial(self._answered, wait), now)

    def _answered(self, wait: Wait, outcome: Outcome) -> None:
        wait.asking = False
        none = isinstance(outcome, Refused) and outcome.code is Code.Q_NO_MATCHING_MSG
        if not none or self.now >= wait.until:
            self._end(wait, outcome)
        elif wait.watch is not None:
            wait.due = wait.until
        else:
            wait.due = min(max(wait.due, self.now), wait.until)

    def _came(self, wait: Wait, wanted: Filter, entry: Entry) -> None:
        if wanted.accepts_index(entry.index):
            wait.due = 0.0

    def _end(self, wait: Wait, outcome: Outcome) -> None:
        self._waits.remove(wait)
        if wait.queue is not None and wait.watch is not None:
            _unwatch(wait.queue, wait.watch)
        wait.then(outcome)

    @property
    def asking(self) -> bool:
        """Whether a get of a wait is under way."""
        return any(each.asking for each in self._waits)

    def set_back(self, seconds: float) -> None:
        """The clock was set back: waits end no later than otherwise."""
        for wait in self._waits:
            wait.until -= seconds
            wait.due -= seconds

    def next_timeout(self) -> float | None:
        """When `timeout` is due; None for never."""
        waits = self._waits
        return min((each.due for each in waits if not each.asking), default=None) if waits else None

    def timeout(self, now: float) -> None:
        """Try the waits that are due again."""
        self.now = now
        for wait in [each for each in self._waits if each.due <= now and not each.asking]:
            if now >= wait.until and wait.watch is None:
                self._end(wait, Refused(Code.Q_NO_MATCHING_MSG, f"no matching message on {wait.get.address}"))
            else:
                self._try(wait, now)

    # Reading empty

    def read_empty(self, get: Get, each: Callable[[Message], None], then: Then, now: float) -> None:
        """Repeat a get until there is no message for it, and call ``each`` with every one (E-180).

        With a confirm id, each is confirmed after its call. ``then`` gets `Done`, or the first other error.
        """
        self.now = now

        def got(outcome: Outcome) -> None:
            if isinstance(outcome, Got):
                each(outcome.message)
                uid = outcome.message.uid
                if get.confirm and uid is not None:
                    self._call(ConfirmGet(get.address, uid), confirmed, self.now)
                else:
                    self._call(get, got, self.now)
            elif isinstance(outcome, Refused) and outcome.code is Code.Q_NO_MATCHING_MSG:
                then(Done())
            else:
                then(outcome)

        def confirmed(outcome: Outcome) -> None:
            if isinstance(outcome, Refused):
                then(outcome)
            else:
                self._call(get, got, self.now)

        self._call(get, got, now)

    def close(self) -> None:
        """End all listeners and waits (E-209)."""
        for listener in list(self._listeners):
            self.remove(listener)
        for wait in list(self._waits):
            self.cancel(wait)


def _unwatch(queue: Queue, watch: Callable[[Entry], None]) -> None:
    if queue.messages is not None and watch in queue.messages.held.watchers:
        queue.messages.held.watchers.remove(watch)
