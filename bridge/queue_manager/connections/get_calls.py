"""MQGET of a connection: at once, waiting, and streamed ahead (mqi.md 7 to 13, client-observed.md O-055)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from bridge.queue_manager.errors import MQError
from bridge.queue_manager.opening import Handle
from bridge.queue_manager.options import BROWSE_OPTIONS, GetOptions, Got
from bridge.queue_manager.rows import pack_position
from bridge.queue_manager.units_of_work import Then, UnitOfWork
from bridge.queue_manager.waiting import Waiter
from mappings.message import Message
from protocol.constants import MQGMO, MQOO, MQRC

from .deliveries import Deliveries, move
from .state import ConnectionState

_BROWSE: Final = int(MQOO.BROWSE)
_SAVES: Final = int(MQOO.SAVE_ALL_CONTEXT)
_SYNCPOINT: Final = int(MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT)
_COMPLETE: Final = int(MQGMO.COMPLETE_MSG)
_QUIESCING: Final = int(MQGMO.FAIL_IF_QUIESCING)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)


class GetCalls(ConnectionState):
    """The calls of a connection that get and browse."""

    __slots__ = ()

    def get(
        self, hobj: int, options: GetOptions, now: float, then: Then | None = None, *, held: bool = False
    ) -> Got | None:
        """MQGET, destructive or browse by its MQGMO bits; None for 2033. It never waits: `wait` does.

        See `QueueManager.get` for ``then``. ``held``: a get outside syncpoint takes the message off the queue, but for
        good only with `arrived`. Also raises 2036, 2037.
        """
        bits = options.options
        self._enter(bits & _QUIESCING)
        handle = self._reading(hobj, bits)
        unit = None
        if bits & _SYNCPOINT:
            unit = self.syncpoint(now)
        elif held and not bits & BROWSE_OPTIONS:
            unit = self._held().unit
        if bits & _COMPLETE:
            options.unit_of_work_open = unit is None and (self.local_unit is not None or self.xa.unit is not None)
        before = 0 if unit is None else len(unit.gets)
        got = self._manager.get_message(handle, options, unit, now, then)
        if got is None or bits & BROWSE_OPTIONS or got.reason == _TRUNCATED_FAILED:
            return got
        if unit is not None and len(unit.gets) - before > 1:
            self._parts[got.token] = unit.gets[before:]
        if handle.options & _SAVES:
            message = got.message
            self._contexts[hobj] = Message(message.raw_md, order=message.order, ccsid=message.ccsid)
        return got

    def unlock(self, hobj: int, options: GetOptions, now: float) -> int:
        """MQGET with MQGMO_UNLOCK: 0, or 2209 where nothing was locked."""
        self._enter(0)
        return self._manager.unlock(self.handles.queue(hobj, MQRC.NOT_OPEN_FOR_BROWSE), options, now)

    def _reading(self, hobj: int, bits: int) -> Handle:
        """The open queue, if it was opened for a get with these MQGMO bits. Raises 2019, 2036, 2037."""
        if bits & BROWSE_OPTIONS:
            handle = self.handles.queue(hobj, MQRC.NOT_OPEN_FOR_BROWSE)
            if not handle.options & _BROWSE:
                raise MQError(MQRC.NOT_OPEN_FOR_BROWSE, handle.object_name)
            return handle
        handle = self.handles.queue(hobj, MQRC.NOT_OPEN_FOR_INPUT)
        if not handle.inputs:
            raise MQError(MQRC.NOT_OPEN_FOR_INPUT, handle.object_name)
        return handle

    # --- messages on their way -----------------------------------------------------------------------------------

    def _held(self) -> Deliveries:
        if self._deliveries is None:
            self._deliveries = Deliveries(self._manager)
        return self._deliveries

    def arrived(self, gots: Iterable[Got], now: float, then: Then | None = None) -> None:
        """The program has messages that were got ``held``: they are gone for good when ``then`` is called."""
        gone = self._manager.begin()
        for got in gots:
            self._move(got, (self._held().unit,), gone)
        self._manager.commit(gone, now, then)

    def put_back(self, gots: Iterable[Got], now: float) -> None:
        """The program never saw these messages, got under syncpoint or ``held``: they go back, not counted."""
        units = [unit for unit in (self._held().unit, self._unit, self.xa.unit) if unit is not None]
        back = self._manager.begin()
        for got in gots:
            self._move(got, units, back)
        self._manager.backout(back, now, counted=False)

    def _move(self, got: Got, units: Sequence[UnitOfWork], target: UnitOfWork) -> None:
        """Makes a got message, with all parts that it was joined from, part of another unit of work."""
        parts = self._parts.pop(got.token, None)
        rows = [pack_position(got.position)] if parts is None else [row for _, row in parts]
        for row in rows:
            any(move(got.queue, row, unit, target) for unit in units)

    # --- waiting -------------------------------------------------------------------------------------------------

    def wait(self, hobj: int, options: GetOptions, until: float | None, owner: Any, now: float) -> Waiter:
        """Registers a get or browse that found nothing; the ``Wake`` has the waiter with this ``owner``.

        ``until``: when the wait ends, None for MQWI_UNLIMITED. Raises as `get` does.
        """
        self._enter(options.options & _QUIESCING)
        waiter = Waiter(owner, options, until, handle=self._reading(hobj, options.options))
        self._wait(waiter, hobj, now)
        return waiter

    def _wait(self, waiter: Waiter, hobj: int, now: float) -> None:
        handle = self._reading(hobj, waiter.options.options)
        self._manager.wait(handle.target, waiter, now)
        self._waits[waiter] = hobj

    def awakened(
        self, waiter: Waiter, reason: int, now: float, then: Then | None = None, *, held: bool = False
    ) -> Got | None:
        """What comes of a ``Wake``: the message; or None, and the waiter waits on, where somebody else was faster.

        Raises `MQError` with ``reason`` where that is not 0, 2033 when the time is up, and as `get` does; 2019 for a
        wait that was cancelled.
        """
        hobj = self._waits.pop(waiter, 0)
        if reason:
            raise MQError(reason, waiter.queue)
        got = self.get(hobj, waiter.options, now, then, held=held)
        if got is not None:
            return got
        if waiter.until is not None and waiter.until <= now:
            raise MQError(MQRC.NO_MSG_AVAILABLE, waiter.queue)
        self._wait(waiter, hobj, now)
        return None

    @property
    def waiting(self) -> list[Waiter]:
        """Waits that are going on."""
        return list(self._waits)
