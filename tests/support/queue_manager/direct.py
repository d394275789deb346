"""A queue manager whose calls tests make without a session: on targets, handles and units of work of their own."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.queue_manager import (
    GetOptions,
    Handle,
    PutOptions,
    QueueManager,
    RetrievedMessage,
    Target,
    Then,
    UnitOfWork,
    Waiter,
)
from mqbridge.bridge.queue_manager.committing import backout, commit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.get_options import require_no_handle_options
from mqbridge.bridge.queue_manager.getting.handle_get import get_message
from mqbridge.bridge.queue_manager.getting.waiting import begin_wait, cancel
from mqbridge.bridge.queue_manager.opening import close_queue, local_target, open_queue
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS
from mqbridge.bridge.queue_manager.programs import NO_PROGRAM, Application, ProgramId
from mqbridge.bridge.queue_manager.putting.put import put
from mqbridge.bridge.queue_manager.queues.bodies import BodyWriter
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC
from support.queue_manager.direct_calls import end_get, put_alone


class DirectQueueManager(QueueManager):
    """A queue manager with the rules' own calls as methods. Each raises `MQError`."""

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
        bits = options.options
        require_no_handle_options(bits)
        if bits & BROWSE_OPTIONS:
            raise MQError(MQRC.OPTIONS_ERROR, "a browse is no get")
        work = UnitOfWork(implicit=True)
        unit = work if unit is None or bits & MQGMO.NO_SYNCPOINT else unit
        handle = Handle(source, MQOO.INPUT_SHARED, NO_PROGRAM, selection=options.selection)
        return end_get(self._core, get_message(self._core, handle, options, unit, now, work), work, now, then)

    def body_writer(self, *, persistent: bool) -> BodyWriter:
        """For data that arrive in parts: takes pieces, stages them in the store once they are many, and gives the
        body of a `Message`. Its ``write`` raises `MQError` 2056, 2101, 2195."""
        return BodyWriter(self._core.store, persistent, self._core.store_error)

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
        on_complete(commit(self._core, unit, now, extra_operations), then)

    def backout(self, unit: UnitOfWork, now: float, *, counted: bool = True) -> None:
        """MQBACK: puts vanish, gets return to their place with BackoutCount + 1; as it was if not ``counted``, for
        messages that nobody has seen."""
        backout(self._core, unit, now, counted=counted)

    def wait(self, source: Target, waiter: Waiter, now: float) -> None:
        """Registers a getter that found nothing. One arriving message wakes one getter (mqi.md 8).

        With ``in_turns`` the caller has just searched to the end.
        """
        begin_wait(self._core, source, waiter, now)

    def cancel_wait(self, waiter: Waiter) -> None:
        """Takes a waiter back; one that was woken and will not get passes its turn on."""
        cancel(self._core, waiter)
