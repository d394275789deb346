"""The queue manager: what agents, commands and endpoints call.

Rules only. Time is an argument (``now``, seconds since the epoch, UTC), the store is read through its interface and
written by whoever drives the queue manager (the host)::

    pending = queue_manager.take_commits()            # after any call
    errors = store.commit([p.operations for p in pending])        # in the writer thread
    for p, error in zip(pending, errors):             # back in the main thread, in the same order
        queue_manager.committed(p, error, now)
    for effect in queue_manager.take_effects():
        …                                             # wake a getter, start a channel, write to the log
    queue_manager.next_timeout()                      # when to call timeout(now) next

A unit of work that touches nothing durable is done at once: ``then`` is called before ``commit`` returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO

from .authority import Permits
from .committing import backout, commit
from .connections import Connections, Services
from .core import Core
from .events import Events
from .getting.get import get
from .getting.waiting import Waiter, begin_wait, cancel, end_on_quiesce
from .hosting import Hosted
from .objects import Objects
from .opening import Handle, close_queue, local_target, open_queue
from .options import GetOptions, PutOptions, RetrievedMessage
from .programs import NO_PROGRAM, Application, ProgramId
from .pubsub import PubSub
from .putting.delivery_delay import DeliveryDelay
from .putting.put import put, put_trigger_message
from .putting.triggering import look_again, objects_changed
from .queues.bodies import BodyWriter
from .queues.clearing import clear_queue
from .queues.loading import definition_changed, drop_queue, load_queues
from .queues.local_queue import LocalQueue
from .resolution import Target, resolve
from .security_records import security_of
from .single_calls import end_get, put_alone
from .units_of_work import Then, UnitOfWork, tell
from .xa import load_branches


class QueueManager(Hosted):
    """One queue manager: its queues, their messages and the rules of the message queue interface.

    ``name`` up to 48 characters. ``objects``: the definitions. ``now``: start time; it also seeds generated message
    ids. Loading reads the index fields of every stored message, no bodies. Raises ``StoreDamaged``. ``connections``:
    those of programs, through which they make their calls. ``security``: who may do what.
    """

    def __init__(self, name: str, store: Store, objects: Objects, now: float) -> None:
        super().__init__(Core(name, store, objects, now), now)
        core = self._core
        core.put_trigger = partial(put_trigger_message, core)
        self.security = security_of(objects)
        load_queues(core)
        branches = load_branches(core, now)
        objects.add_listener(partial(definition_changed, core))
        self.events = Events(core, now)
        self.pubsub = PubSub(core, now)
        """Topics and subscriptions."""
        self.connections = Connections(Services(core, self.events, self.pubsub, self.security, branches))
        core.permits = Permits(core, self.security, lambda topic: self.pubsub.attributes(topic).objects)
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
        """Where durable things are, to be read only."""
        return self._core.store

    # --- names ---------------------------------------------------------------------------------------------------

    def resolve(self, object_name: str, object_q_mgr_name: str = "") -> Target:
        """Where a put to these names goes (channels.md 12.2); cached until an object changes.

        Raises `MQError` 2085, 2087, 2082, 2001, 2184, 2196, 2091, 2092, 2197, 2198, 2199. A model queue resolves to a
        target without a queue: `open` makes the dynamic one.
        """
        return resolve(self._core, object_name, object_q_mgr_name)

    def local_queue(self, name: str) -> Target:
        """The target of a get or browse: a local queue, or an alias of one. Raises `MQError`, 2045 if remote."""
        return local_target(self._core, name)

    def open(
        self,
        object_name: str,
        object_q_mgr_name: str = "",
        *,
        options: int,
        owner: ProgramId = NO_PROGRAM,
        application: Application | None = None,
        now: float,
        dynamic_name: str = "",
        selection_string: str = "",
    ) -> Handle:
        """MQOPEN of a queue (mqi.md 2): checks the MQOO bits, counts the handle, makes a dynamic queue of a model.

        ``selection_string``: selector of the gets, browses and waits through the handle (mqi.md 18). Raises `MQError`:
        2046, 2042, 2045, 2161, 2011, 2100, for a selector 2551, 2519, 2504, 2516, and what `resolve` raises.
        """
        core = self._core
        return open_queue(
            core, object_name, object_q_mgr_name, options, owner, now, dynamic_name, selection_string, application
        )

    def close(self, handle: Handle, options: int, now: float) -> int:
        """MQCLOSE (mqi.md 3) with MQCO bits; raises `MQError` 2019, 2045, 2055.

        Returns 0 or the reason of a warning: 2241 or 2242 where a group or message was not finished.
        """
        return close_queue(self._core, handle, options, now)

    # --- messages ------------------------------------------------------------------------------------------------

    def begin(self, _whose: object = None) -> UnitOfWork:
        """A new unit of work."""
        return UnitOfWork()

    def put(
        self,
        target: Target,
        message: Message,
        options: PutOptions,
        unit: UnitOfWork | None,
        now: float,
        then: Then | None = None,
    ) -> int:
        """MQPUT (mqi.md 5): validates, completes the descriptor and places the message.

        The message afterwards holds what was stored: generated ids, context, effective priority and persistence. In
        a unit it is invisible until commit. Without one a persistent message is a unit of its own: ``then`` is called
        when it is on disk; a non-persistent one is there at once (``then`` is called before `put` returns).

        Returns 0 or the reason of a warning (2049, 2104). Raises `MQError`; the unit stays usable.
        """
        if unit is not None:
            return put(self._core, target, message, options, unit, now)
        return put_alone(self._core, lambda work: put(self._core, target, message, options, work, now), now, then)

    def get(
        self, source: Target, options: GetOptions, unit: UnitOfWork | None, now: float, then: Then | None = None
    ) -> RetrievedMessage | None:
        """MQGET that removes (mqi.md 7 to 10): the first message that matches, None for 2033.

        In a unit it is hidden until commit or backout. Without one it is gone; of a stored message only once ``then``
        was called, so hand it out then. Raises `MQError` (2016, 2046, 2024 …).
        """
        work = UnitOfWork(implicit=True)
        unit = work if unit is None or options.options & MQGMO.NO_SYNCPOINT else unit
        return end_get(self._core, get(self._core, source, options, unit, now, work), work, now, then)

    def body_writer(self, *, persistent: bool) -> BodyWriter:
        """For data that arrive in parts: takes pieces, stages them in the store once they are many, and gives the
        body of a `Message`. Its ``write`` raises `MQError` 2056, 2101, 2195."""
        return BodyWriter(self._core.store, persistent, self._core.store_error)

    # --- units of work -------------------------------------------------------------------------------------------

    def commit(
        self,
        unit: UnitOfWork,
        now: float,
        then: Then | None = None,
        extra_operations: Sequence[Operation] = (),
    ) -> None:
        """MQCMIT. ``extra_operations`` go into the same transaction (a channel's LUWID and sequence number).

        ``then(None)`` when everything is on disk and visible; ``then(MQError)`` when nothing of it is: 2003, or 2056,
        2101, 2195 by the store's error; the unit was backed out then, unless it ``stays``.
        """
        tell(commit(self._core, unit, now, extra_operations), then)

    def backout(self, unit: UnitOfWork, now: float, *, counted: bool = True) -> None:
        """MQBACK: puts vanish, gets return to their place with BackoutCount + 1; as it was if not ``counted``, for
        messages that nobody has seen."""
        backout(self._core, unit, now, counted=counted)

    def submit(self, operations: Sequence[Operation], then: Then | None = None) -> None:
        """Other durable operations (an object, a channel's record) in the same order as the commits."""
        tell(self._core.submit(operations), then)

    # --- waiting -------------------------------------------------------------------------------------------------

    def wait(self, source: Target, waiter: Waiter, now: float) -> None:
        """Registers a getter that found nothing. One arriving message wakes one getter (mqi.md 8).

        With ``in_turns`` the caller has just searched to the end.
        """
        begin_wait(self._core, source, waiter, now)

    def cancel_wait(self, waiter: Waiter) -> None:
        """Takes a waiter back; one that was woken and will not get passes its turn on."""
        cancel(self._core, waiter)

    # --- channels ------------------------------------------------------------------------------------------------

    # --- objects and status --------------------------------------------------------------------------------------

    def objects_changed(self, now: float) -> None:
        """To be called after definitions were made, altered or deleted: queues whose triggering has become possible
        trigger. Everything else follows the registry by itself."""
        objects_changed(self._core, now)

    def queue(self, name: str) -> LocalQueue | None:
        """The local queue of this name with its counters (``depth``, ``input_count``, ``output_count``,
        ``uncommitted``, ``oldest_message``, ``handles`` …), for displays; None if there is none."""
        return self._core.queues.get(name)

    def clear_queue(self, name: str, now: float, then: Then | None = None) -> None:
        """CLEAR QLOCAL: all messages go. Raises `MQError` 2042 (open) or 2055 (uncommitted messages)."""
        tell(clear_queue(self._core, name, now), then)

    def drop_queue(self, name: str, *, purge: bool) -> list[Operation]:
        """Operations that take a queue's messages out of the store, to be committed with the removal of its
        definition. Raises `MQError` 2042 if open, 2055 if not empty without ``purge`` or with uncommitted messages."""
        return drop_queue(self._core, name, purge=purge)

    def quiesce(self) -> None:
        """From now on calls with FAIL_IF_QUIESCING fail with 2161, and waits with it end."""
        self._core.quiescing = True
        end_on_quiesce(self._core)
