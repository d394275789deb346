"""A program's connection: its units of work, what it may ask and set, what is left of it at its end (mqi.md 1, 16).

It is the message queue interface as one program sees it: handles are numbers, reasons are those of the manual. Waiting
is a value: `wait` registers, the queue manager emits ``Wake``, and who performs that calls `awakened`. Every call may
raise `MQError`: 2018 the connection has ended, 2019 no such handle, 2162 and 2203 everything stops, 2161 and 2202
everything quiesces and the call asked to fail then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.attributes.inquire import Inquired, inquire_attributes
from mqbridge.bridge.queue_manager.attributes.set_values import set_attributes
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.waiting import Waiter, end_wait
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.units_of_work import Then, UnitOfWork
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.constants import MQCC, MQCO, MQGMO, MQOO, MQRC

from .get_calls import GetCalls
from .handles import ObjectHandle, definition_of
from .list_calls import ListCalls

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps

_CLOSED: Final = 1_500
"""Units of work for closing a handle."""
_QUIESCING: Final = int(MQGMO.FAIL_IF_QUIESCING)
_DOOMED: Final = "an asynchronous put in the unit of work failed"


class Connection(ListCalls, GetCalls):
    """One Hconn. Made by `Connections.connect`.

    ``id``: 24 bytes, ``AMQC``, a part of the queue manager's name, eight unique bytes. ``application``: who connected.
    ``handles``: what is open. ``xa``: the calls of a transaction manager; while a branch is associated, puts and gets
    under syncpoint are part of it. ``consumers``: what MQCB and MQCTL have set up. ``tag``: of all connections that one
    instance of an application has made, blank where it was given none.
    """

    __slots__ = ()

    # --- units of work -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """MQBEGIN: a global unit of work is begun by a transaction manager only (mqi.md 16.1). Raises 2128 or 2012."""
        self._enter(0)
        if self.local_unit is not None or self.xa.unit is not None:
            raise MQError(MQRC.UOW_IN_PROGRESS)
        raise MQError(MQRC.ENVIRONMENT_ERROR)

    def commit(self, now: float, then: Then, rows: Sequence[Operation] = ()) -> None:
        """MQCMIT; ``rows`` of the caller's own go into the same transaction.

        ``then(None)`` when everything is on disk and visible, at once where there is nothing to do; ``then(MQError)``
        2003 when it was backed out, because the store refused it or an asynchronous put had failed.

        Raises `MQError` 2012 inside a branch of a transaction manager.
        """
        self._enter(0)
        self._require_local()
        self._decide(now, then, rows)

    def _decide(self, now: float, then: Then, rows: Sequence[Operation] = ()) -> None:
        unit, doomed = self._take_unit()
        if doomed:
            if unit is not None:
                self._manager.backout(unit, now)
            then(MQError(MQRC.BACKED_OUT, _DOOMED))
        elif unit is None and not rows:
            then(None)
        else:
            self._manager.commit(unit or self._manager.begin(self), now, then, rows)

    def backout(self, now: float) -> None:
        """MQBACK. Raises `MQError` 2012 inside a branch of a transaction manager."""
        self._enter(0)
        self._require_local()
        unit, _ = self._take_unit()
        if unit is not None:
            self._manager.backout(unit, now)

    def _require_local(self) -> None:
        if self.xa.unit is not None:
            raise MQError(MQRC.ENVIRONMENT_ERROR, "a transaction manager decides")

    def _take_unit(self) -> tuple[UnitOfWork | None, bool]:
        unit, self._unit = self._unit, None
        doomed, self._failed = self._failed, False
        self.unit_since = 0.0
        if self._deliveries is not None:
            self._deliveries.forget_parts()
        return unit, doomed

    # --- attributes ----------------------------------------------------------------------------------------------

    def inquire(self, hobj: int, selectors: Sequence[int], int_count: int, char_length: int) -> Inquired:
        """MQINQ (mqi.md 16.2). Raises `MQError` 2038, 2052, 2065, 2066, 2067, 2006, 2021."""
        self._enter(0)
        opened = self.handles.get(hobj)
        if not getattr(opened, "options", 0) & MQOO.INQUIRE:
            raise MQError(MQRC.NOT_OPEN_FOR_INQUIRE, str(hobj))
        definition = definition_of(self._manager.objects, opened)
        queue = self._manager.queue(definition.name) if isinstance(opened, Handle) else None
        return inquire_attributes(definition, queue, selectors, int_count, char_length)

    def set(
        self,
        hobj: int,
        selectors: Sequence[int],
        integers: Sequence[int],
        characters: Sequence[str],
        now: float,
        then: Then | None = None,
    ) -> None:
        """MQSET (mqi.md 16.2): ``characters`` has one text for each character selector. In force when it returns,
        ``then`` when it is on disk. Raises `MQError` 2040, 2041, 2052, 2065 to 2067, 2020, 2021, 2006, 2075 to 2078."""
        self._enter(0)
        handle = self.handles.queue(hobj, MQRC.NOT_OPEN_FOR_SET)
        handle.require(MQOO.SET)
        if handle.target.superseded:
            raise MQError(MQRC.OBJECT_CHANGED, handle.object_name)
        definition = definition_of(self._manager.objects, handle)
        set_attributes(self._manager, definition, selectors, integers, characters, now, then)

    # --- the end -------------------------------------------------------------------------------------------------

    def quiesce(self) -> None:
        """Calls that ask to fail when the connection quiesces fail with 2202 from now on, and such waits end."""
        self.quiescing = True
        for waiter in [waiter for waiter in self._waits if waiter.options.options & _QUIESCING]:
            end_wait(self._registry.core, waiter, MQRC.CONNECTION_QUIESCING)

    def stop(self) -> None:
        """Every call but a disconnect fails with 2203 from now on, and all waits end."""
        self.stopping = True
        self.end_waits(MQRC.CONNECTION_STOPPING)

    def end_waits(self, reason: int) -> None:
        """Ends all waits, with this reason."""
        for waiter in list(self._waits):
            self.end_wait(waiter, reason)

    def end_wait(self, waiter: Waiter, reason: int) -> None:
        """Ends one wait, with this reason; nothing where it has ended."""
        end_wait(self._registry.core, waiter, reason)

    def disconnect(self, now: float, then: Then | None = None) -> None:
        """MQDISC: the unit of work is committed, every handle closed (mqi.md 1.7); an XA branch that is not prepared
        is rolled back. ``then`` as of `commit`, with 2003 as a warning. Raises `MQError` 2018."""
        if self.ended:
            raise MQError(MQRC.HCONN_ERROR)

        outcomes: list[MQError | None] = []

        def decided(error: MQError | None) -> None:
            outcomes.append(error)
            if len(outcomes) < 2 or then is None:
                return
            failure = next(filter(None, outcomes), None)
            then(None if failure is None else MQError(failure.reason, failure.detail, completion=MQCC.WARNING))

        self._leave(now, arrived=True)
        self._decide(now, decided)
        self._manager.turns.begin(self._close_all(lambda: decided(None)), now)

    def lost(self, now: float) -> None:
        """The program is gone without a word: waits are taken back, everything uncommitted is backed out, what it
        had not received goes back to its place, handles are closed and dynamic queues with them."""
        if self.ended:
            return
        self._leave(now, arrived=False)
        unit, _ = self._take_unit()
        if unit is not None:
            self._manager.backout(unit, now)
        self._manager.turns.begin(self._close_all(), now)

    def _leave(self, now: float, *, arrived: bool) -> None:
        self.ended = True
        for waiter in list(self._waits):
            self.cancel_wait(waiter)
        if self._deliveries is not None:
            self._deliveries.end(now, arrived=arrived)
        self.xa.end_of_connection(now)

    def _close_all(self, then: Callable[[], None] | None = None) -> Steps:
        now = yield 0
        for hobj, opened in self.handles.items():
            if isinstance(opened, Handle):
                self._manager.close(opened, MQCO.NONE, now)
            elif not isinstance(opened, ObjectHandle):
                opened.close_at_end(now)
            self.handles.remove(hobj)
            now = yield _CLOSED
        self._contexts.clear()
        self._registry.remove(self)
        if then is not None:
            then()
