"""MQGET of a connection: at once, waiting, and streamed ahead (mqi.md 7 to 13, client-observed.md O-055)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.handle_get import get_message
from mqbridge.bridge.queue_manager.getting.own_messages import hide, reveal
from mqbridge.bridge.queue_manager.getting.waiting import Waiter, WaitOwner
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, GetOptions, RetrievedMessage
from mqbridge.bridge.queue_manager.own_puts import give_back_own
from mqbridge.bridge.queue_manager.queues.rows import PERSISTENT, flags_of, milliseconds
from mqbridge.bridge.queue_manager.units_of_work import Then, UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQMO, MQOO, MQRC

from .deliveries import Deliveries
from .state import ConnectionState

_BROWSE: Final = int(MQOO.BROWSE)
_SAVES: Final = int(MQOO.SAVE_ALL_CONTEXT)
_SYNCPOINT: Final = int(MQGMO.SYNCPOINT)
_OUTSIDE: Final = int(MQGMO.NO_SYNCPOINT)
_IF_PERSISTENT: Final = int(MQGMO.SYNCPOINT_IF_PERSISTENT)
_SYNCPOINTS: Final = _SYNCPOINT | _IF_PERSISTENT
_COMPLETE: Final = int(MQGMO.COMPLETE_MSG)
_GROUPED: Final = int(MQGMO.COMPLETE_MSG | MQGMO.LOGICAL_ORDER)
_WAIT: Final = int(MQGMO.WAIT)
_TOKEN: Final = int(MQMO.MATCH_MSG_TOKEN)
_QUIESCING: Final = int(MQGMO.FAIL_IF_QUIESCING)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)


class GetCalls(ConnectionState):
    """The calls of a connection that get and browse."""

    __slots__ = ()

    def get(
        self, hobj: int, options: GetOptions, now: float, then: Then | None = None, *, held: bool = False
    ) -> RetrievedMessage | None:
        """MQGET, destructive or browse by its MQGMO bits; None for 2033. It never waits: `wait` does.

        See `QueueManager.get` for ``then``. ``held``: a get outside syncpoint takes the message off the queue, but for
        good only with `arrived`. Also raises 2036, 2037, 2331.
        """
        bits = options.options
        self._enter(bits & _QUIESCING)
        handle = self._reading(hobj, bits)
        if options.match & _TOKEN and bits & _WAIT:
            raise MQError(MQRC.MSG_TOKEN_ERROR, "MATCH_MSG_TOKEN with WAIT")
        if bits & _COMPLETE and not bits & _SYNCPOINTS:
            options.unit_of_work_open = self.local_unit is not None or self.xa.unit is not None
        try:
            if held and not bits & (_SYNCPOINT | BROWSE_OPTIONS):
                got = self._get_held(handle, options, now)
            else:
                unit = self.syncpoint(now) if bits & _SYNCPOINTS else None
                gets, puts = (len(unit.gets), len(unit.puts)) if unit is not None else (0, 0)
                got = get_message(self._registry.core, handle, options, unit, now, then)
                if got is not None and unit is not None:
                    self._held().note(got, unit, gets, puts)
        except MQError as error:
            self._refused(error, handle.names, now)
            raise
        if got is not None and handle.options & _SAVES and not bits & BROWSE_OPTIONS:
            self._save_context(hobj, got)
        return got

    def _get_held(self, handle: Handle, options: GetOptions, now: float) -> RetrievedMessage | None:
        """A get outside syncpoint into the unit of what is on its way; a persistent message goes on to the program's
        own unit where it is to be under syncpoint (mqi.md 9)."""
        bits, held = options.options, self._held()
        unit = held.unit
        gets, puts = len(unit.gets), len(unit.puts)
        if not bits & _IF_PERSISTENT:
            options.options = bits & ~_OUTSIDE  # that would take it at once, for good
            try:
                got = get_message(self._registry.core, handle, options, unit, now)
            finally:
                options.options = bits
        elif bits & _GROUPED:
            got = self._manager.get_message(handle, options, self.syncpoint(now), now)
        else:
            got = self._get_either_way(handle, options, unit, now)
        if got is None or len(unit.gets) == gets:
            return got
        held.note(got, unit, gets, puts)
        if bits & _IF_PERSISTENT and flags_of(unit.gets[-1][1]) & PERSISTENT:
            own = self.syncpoint(now)
            gets, puts = len(own.gets), len(own.puts)
            held.move(got.token, (unit,), own)
            held.note(got, own, gets, puts)
        return got

    def _get_either_way(
        self, handle: Handle, options: GetOptions, unit: UnitOfWork, now: float
    ) -> RetrievedMessage | None:
        """A held get with SYNCPOINT_IF_PERSISTENT, which also sees persistent messages that the program's own unit of
        work has put."""
        bits, own, queue = options.options, self.xa.unit or self._unit, handle.target.queue
        core = self._registry.core
        revealed: list[bytes] = []
        if own is not None and own.puts and queue is not None and queue.uncommitted_puts:
            position = handle.state.gets if handle.state is not None else None
            revealed = reveal(core, own, queue, options, milliseconds(now), position)
        options.options = bits & ~_IF_PERSISTENT | _SYNCPOINT
        try:
            return self._manager.get_message(handle, options, unit, now)
        finally:
            options.options = bits
            if own is not None and queue is not None and revealed:
                hide(core, own, queue, revealed)

    def _save_context(self, hobj: int, got: RetrievedMessage) -> None:
        """Remembers the context of a message that was got (mqi.md 5.4)."""
        if got.reason != _TRUNCATED_FAILED:
            message = got.message
            self._contexts[hobj] = Message(message.raw_md, order=message.order, ccsid=message.ccsid)

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

    def arrived(self, tokens: Iterable[bytes], now: float, then: Then | None = None) -> None:
        """The program has messages that were got ``held``: they are gone for good when ``then`` is called."""
        held = self._deliveries
        gone = self._manager.begin()
        if held is not None and held.unit.gets:
            for token in tokens:
                held.move(token, (held.unit,), gone)
        if gone.count:
            self._manager.commit(gone, now, then)
        elif then is not None:
            then(None)

    def put_back(self, tokens: Iterable[bytes], now: float) -> None:
        """The program never saw these messages, got under syncpoint or ``held``: they go back, not counted."""
        held = self._held()
        units = [unit for unit in (held.unit, self._unit, self.xa.unit) if unit is not None]
        back = self._manager.begin()
        for token in tokens:
            held.move(token, units, back)
        give_back_own(self._registry.core, units, back.gets)
        self._manager.backout(back, now, counted=False)

    def move(self, token: bytes, unit: UnitOfWork) -> None:
        """Makes a message that was got under syncpoint part of another unit of work; nothing where it was not."""
        if self._unit is not None:
            self._held().move(token, (self._unit,), unit)

    def row(self, token: bytes) -> bytes:
        """The row of a message that was got under syncpoint. Raises `MQError` 2331 where it was not."""
        queue_number, position = int.from_bytes(token[:8], "big"), token[8:]
        for queue, row in reversed(self._unit.gets if self._unit is not None else ()):
            if queue.number == queue_number and row.startswith(position):
                return row
        raise MQError(MQRC.MSG_TOKEN_ERROR)

    # --- waiting -------------------------------------------------------------------------------------------------

    def wait(self, hobj: int, options: GetOptions, until: float | None, owner: WaitOwner, now: float) -> Waiter:
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

    def wait_for_gets(self, hobj: int, options: GetOptions, owner: WaitOwner) -> Waiter:
        """Registers a get that met 2016: its wait ends with 2494 when gets are allowed. Raises 2019, 2036, 2037."""
        handle = self._reading(hobj, options.options)
        waiter = Waiter(owner, options, None, handle=handle)
        self._manager.wait_for_gets(handle.target, waiter)
        self._waits[waiter] = hobj
        return waiter

    def awakened(
        self, waiter: Waiter, reason: int, now: float, then: Then | None = None, *, held: bool = False
    ) -> RetrievedMessage | None:
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
