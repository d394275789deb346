"""The queue manager, as commands and its host call it; programs, channels and REST use sessions (`session`).

It does no I/O. Time is an argument (``now``, seconds since the epoch, UTC). The store is read through its interface and
written by the code that drives the queue manager (the host)::

    pending = queue_manager.take_commits()            # after any call
    errors = store.commit([p.operations for p in pending])        # in the writer thread
    for p, error in zip(pending, errors):             # back in the main thread, in the same order
        queue_manager.committed(p, error, now)
    for effect in queue_manager.take_effects():
        …                                             # wake a getter, start a channel, write to the log
    queue_manager.next_timeout()                      # when to call timeout(now) next

A call that changes nothing durable is complete at once: its ``then`` is called before it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mypy_extensions import mypyc_attr

from mqbridge.bridge.store.interface import Operation, Store, StoreError
from mqbridge.mappings.conversion import NO_FORMATS, Formats
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Moment, Time

from .authority import PutAuthorities
from .committing import committed
from .connections import Connections, Services
from .core import Core
from .effects import Effect
from .events import Events
from .getting.get_many import read_place
from .getting.marking import end_waited_for_marks, next_mark_end
from .getting.waiting import end_on_quiesce, end_timed_out
from .objects import Objects
from .pubsub import PubSub
from .putting.delivery_delay import DeliveryDelay
from .putting.put import put_trigger_message
from .putting.triggering import look_again, objects_changed
from .queues.clearing import clear_queue, drop_queue
from .queues.expiry import SCAN_INTERVAL, next_deadline, scan
from .queues.loading import definition_changed, load_queues
from .queues.local_queue import LocalQueue
from .resolution import resolve
from .security_records import security_of
from .target import Target
from .turns import Turns
from .units_of_work import PendingCommit, Then, on_complete
from .xa import load_branches


@mypyc_attr(allow_interpreted_subclasses=True)
class QueueManager:
    """One queue manager: its queues, their messages and the rules of the MQI.

    ``name``: up to 48 characters. ``objects``: the definitions. ``now``: start time, which generated ids contain. At
    start the index rows of all stored messages are read, but no bodies. Raises ``StoreDamaged``. ``connections``: of
    programs. ``security``: users, channel authentication and authority records. ``formats``: formats of messages
    beside MQ's own.
    """

    def __init__(self, name: str, store: Store, objects: Objects, now: Time, formats: Formats = NO_FORMATS) -> None:
        core = self._core = Core(name, store, objects, now, formats)
        self._next_scan = now
        core.put_trigger = partial(put_trigger_message, core)
        self.security = security_of(objects)
        load_queues(core)
        branches = load_branches(core, now)
        objects.add_listener(partial(definition_changed, core))
        self.events = Events(core, now)
        self.pubsub = PubSub(core, now)
        """Topics and subscriptions."""
        self.connections = Connections(Services(core, self.events, self.pubsub, self.security, branches))
        core.permits = PutAuthorities(
            objects, self.security, core.log, lambda topic: self.pubsub.attributes(topic).objects
        )
        core.put_later = DeliveryDelay(core, self.pubsub).put
        for queue in list(core.queues.values()):
            look_again(core, queue, now)

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self._core.name

    @property
    def objects(self) -> Objects:
        """The definitions."""
        return self._core.objects

    @property
    def store(self) -> Store:
        """The store, for reading."""
        return self._core.store

    @property
    def formats(self) -> Formats:
        """Formats of messages beside MQ's own."""
        return self._core.formats

    def submit(self, operations: Sequence[Operation], then: Then | None = None) -> None:
        """Submit other durable operations (an object, a channel's record), in order with the commits."""
        on_complete(self._core.submit(operations), then)

    def objects_changed(self, now: Time) -> None:
        """Evaluate triggering after definitions were created, altered or deleted.

        Everything else follows changes of the registry by itself.
        """
        objects_changed(self._core, now)

    def target(self, name: str, queue_manager: str = "") -> Target:
        """What two names resolve to (channels.md 12.2). Raises `MQError` as MQOPEN does."""
        return resolve(self._core, name, queue_manager)

    def queue(self, name: str) -> LocalQueue | None:
        """The local queue with this name, for displays of its counters and handles; None if there is none."""
        return self._core.queues.get(name)

    def message_at(self, queue: LocalQueue, place: int, now: Time) -> Message | None:
        """The message at a place in a local queue's order, from 0, which stays there; None if there are not so many.

        Expired ones do not count. Raises `MQError` for an error of the store."""
        return read_place(self._core, queue, place, now)

    def clear_queue(self, name: str, now: Time, then: Then | None = None) -> None:
        """CLEAR QLOCAL: remove all messages. Raises `MQError` 2042 (open) or 2055 (uncommitted messages)."""
        on_complete(clear_queue(self._core, name, now), then)

    def drop_queue(self, name: str, *, purge: bool) -> list[Operation]:
        """Operations that remove a queue's messages from the store, to be committed with its deletion.

        Raises `MQError` 2042 (open), 2055 (uncommitted messages, or not empty without ``purge``).
        """
        return drop_queue(self._core, name, purge=purge)

    def quiesce(self) -> None:
        """Quiesce: calls with FAIL_IF_QUIESCING fail with 2161 from now on, and such waits end with it."""
        self._core.quiescing = True
        end_on_quiesce(self._core)

    # What its host calls

    def at(self, now: Time) -> None:
        """Set the time, from which the offset between calendar and ``now`` is taken."""
        self._core.ahead = now.date - now if isinstance(now, Moment) else 0.0

    @property
    def turns(self) -> Turns:
        """Tasks in turns."""
        return self._core.turns

    def take_commits(self) -> list[PendingCommit]:
        """Transactions for the store since the last call, in order."""
        self._core.turns.renew()
        commits, self._core.commits = self._core.commits, []
        return commits

    @property
    def has_more(self) -> bool:
        """Whether there are transactions or effects to take."""
        return bool(self._core.commits or self._core.effects)

    def committed(self, pending: PendingCommit, error: StoreError | None, now: Time) -> None:
        """Complete a transaction with the store's answer, in the order in which they were taken."""
        committed(self._core, pending, error, now)

    def take_effects(self) -> list[Effect]:
        """Effects since the last call, in order."""
        effects, self._core.effects = self._core.effects, []
        return effects

    def next_timeout(self) -> float | None:
        """When `timeout` is due next, for tasks, waits, expiry, marks and delayed messages; None for never."""
        core = self._core
        times = [core.waits.next_end(), core.turns.next_timeout(), next_mark_end(core)]
        for timer in core.timers:
            times.append(timer.next_timeout())
        deadline = next_deadline(core)
        earliest = None if deadline is None else max(deadline - core.ahead, self._next_scan)
        for time in times:
            if time is not None and (earliest is None or time < earliest):
                earliest = time
        return earliest

    def timeout(self, now: Time) -> None:
        """Run tasks for one turn, end waits and marks that have timed out, deliver delayed messages, discard expired
        ones."""
        self._core.turns.timeout(now)
        end_timed_out(self._core, now)
        end_waited_for_marks(self._core, now)
        for timer in self._core.timers:
            timer.timeout(now)
        if now >= self._next_scan:
            scan(self._core, now)
            self._next_scan = now + SCAN_INTERVAL
