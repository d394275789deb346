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

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bridge.store.interface import Operation, Store, StoreError
from mappings.message import Message

from .effects import Effect
from .options import GetOptions, Got, PutOptions
from .units_of_work import PendingCommit, Then, UnitOfWork
from .waiting import Waiter

if TYPE_CHECKING:
    from .bodies import BodyWriter
    from .dead_letter import Disposal
    from .objects import Objects
    from .opening import Cursor, Handle
    from .queues import LocalQueue
    from .resolution import Target


class QueueManager:
    """One queue manager: its queues, their messages and the rules of the message queue interface.

    ``name`` up to 48 characters. ``objects``: the definitions. ``now``: start time; it also seeds generated message
    ids. Loading reads the index fields of every stored message, no bodies. Raises ``StoreDamaged``.
    """

    def __init__(self, name: str, store: Store, objects: Objects, now: float) -> None:
        raise NotImplementedError

    # --- names ---------------------------------------------------------------------------------------------------

    def resolve(self, object_name: str, object_q_mgr_name: str = "") -> Target:
        """Where a put to these names goes (channels.md 12.2); cached until an object changes.

        Raises `MQError` 2085, 2087, 2082, 2001, 2184, 2196, 2091, 2092, 2197, 2198, 2199. A model queue resolves to a
        target without a queue: `open` makes the dynamic one.
        """
        raise NotImplementedError

    def local_queue(self, name: str) -> Target:
        """The target of a get or browse: a local queue, or an alias of one. Raises `MQError`, 2045 if remote."""
        raise NotImplementedError

    def open(
        self,
        object_name: str,
        object_q_mgr_name: str = "",
        *,
        options: int,
        owner: Any,
        now: float,
        dynamic_name: str = "",
    ) -> Handle:
        """MQOPEN of a queue (mqi.md 2): checks the MQOO bits, counts the handle, makes a dynamic queue of a model.

        Raises `MQError`: 2046, 2042, 2045, 2161, 2011, 2100 and what `resolve` raises.
        """
        raise NotImplementedError

    def close(self, handle: Handle, options: int, now: float) -> None:
        """MQCLOSE (mqi.md 3) with MQCO bits; raises `MQError` 2019, 2045, 2055."""
        raise NotImplementedError

    # --- messages ------------------------------------------------------------------------------------------------

    def begin(self, owner: Any = None) -> UnitOfWork:
        """A new unit of work."""
        raise NotImplementedError

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
        raise NotImplementedError

    def get(
        self, source: Target, options: GetOptions, unit: UnitOfWork | None, now: float, then: Then | None = None
    ) -> Got | None:
        """MQGET that removes (mqi.md 7 to 10): the first message that matches, None for 2033.

        In a unit it is hidden until commit or backout. Without one it is gone; of a stored message only once ``then``
        was called, so hand it out then. Raises `MQError` (2016, 2046, 2024 …).
        """
        raise NotImplementedError

    def browse(self, source: Target, cursor: Cursor, options: GetOptions, now: float) -> Got | None:
        """MQGET with MQGMO_BROWSE_FIRST, _NEXT or BROWSE_MSG_UNDER_CURSOR; moves ``cursor`` (mqi.md 11.1)."""
        raise NotImplementedError

    def body_writer(self, unit: UnitOfWork | None, *, persistent: bool) -> BodyWriter:
        """For data that arrive in parts: takes pieces, stages them in the store once they are many, and gives the
        body of a `Message`."""
        raise NotImplementedError

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
        2101, 2195 by the store's error; the unit was backed out then.
        """
        raise NotImplementedError

    def backout(self, unit: UnitOfWork, now: float) -> None:
        """MQBACK: puts vanish, gets return to their place with BackoutCount + 1."""
        raise NotImplementedError

    def stored_positions(self, unit: UnitOfWork, queue: str) -> list[int]:
        """Positions of the messages of one queue that the unit has got and the store holds, for an in-doubt record."""
        raise NotImplementedError

    def hold(self, queue: str, positions: Iterable[int], owner: Any = None) -> UnitOfWork:
        """After a restart: the unit of a sender in doubt. Its messages are hidden until it is committed or backed out.

        Positions at which no message stands are passed over.
        """
        raise NotImplementedError

    def submit(self, operations: Sequence[Operation], then: Then | None = None) -> None:
        """Other durable operations (an object, a channel's record) in the same order as the commits."""
        raise NotImplementedError

    # --- what the host does --------------------------------------------------------------------------------------

    def take_commits(self) -> list[PendingCommit]:
        """Transactions for the store since the last call, in order."""
        raise NotImplementedError

    def committed(self, pending: PendingCommit, error: StoreError | None, now: float) -> None:
        """Tells the outcome of a transaction, in the order in which they were taken."""
        raise NotImplementedError

    def take_effects(self) -> list[Effect]:
        """Effects since the last call, in order."""
        raise NotImplementedError

    def next_timeout(self) -> float | None:
        """When `timeout` is to be called: a wait or a message expires, a trigger interval passes."""
        raise NotImplementedError

    def timeout(self, now: float) -> None:
        """Ends waits whose time is up, discards expired messages."""
        raise NotImplementedError

    # --- waiting -------------------------------------------------------------------------------------------------

    def wait(self, source: Target, waiter: Waiter, now: float) -> None:
        """Registers a getter that found nothing. One arriving message wakes one getter (mqi.md 8)."""
        raise NotImplementedError

    def cancel_wait(self, waiter: Waiter) -> None:
        """Takes a waiter back; one that was woken and will not get passes its turn on."""
        raise NotImplementedError

    # --- channels ------------------------------------------------------------------------------------------------

    def undeliverable(
        self,
        message: Message,
        queue_name: str,
        queue_manager_name: str,
        reason: int,
        options: PutOptions,
        unit: UnitOfWork | None,
        now: float,
        *,
        use_dead_letter_queue: bool,
        fast: bool,
        then: Then | None = None,
    ) -> Disposal:
        """What a channel does with a message it cannot put (channels.md 7.2 steps 2 to 6).

        Returned to sender, discarded or dead-lettered with MQDLH, with the exception report that it asks for. Raises
        `MQError` with the original reason where the batch must be backed out and the channel ended (step 5).
        """
        raise NotImplementedError

    # --- objects and status --------------------------------------------------------------------------------------

    def objects_changed(self, now: float) -> None:
        """To be called after any definition was made, altered or deleted: caches are dropped, queues appear,
        change (open handles of a queue altered with FORCE: `force_changed`), or vanish."""
        raise NotImplementedError

    def queue(self, name: str) -> LocalQueue | None:
        """The local queue of this name with its counters (``depth``, ``input_count``, ``output_count``,
        ``uncommitted``, ``oldest_message``, ``handles`` …), for displays; None if there is none."""
        raise NotImplementedError

    def clear_queue(self, name: str, now: float, then: Then | None = None) -> None:
        """CLEAR QLOCAL: all messages go. Raises `MQError` 2042 (open) or 2055 (uncommitted messages)."""
        raise NotImplementedError

    def drop_queue(self, name: str, *, purge: bool) -> list[Operation]:
        """Operations that take a queue's messages out of the store, to be committed with the removal of its
        definition. Raises `MQError` 2042 if open, 2055 if not empty without ``purge`` or with uncommitted messages."""
        raise NotImplementedError

    def quiesce(self, now: float) -> None:
        """From now on calls with FAIL_IF_QUIESCING fail with 2161, and waits with it end."""
        raise NotImplementedError
