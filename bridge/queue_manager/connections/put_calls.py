"""MQPUT, MQPUT1 and MQSTAT of a connection (mqi.md 5, mq-wire.md 5.17)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.waiting import wake_own
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.options import PutOptions
from mqbridge.bridge.queue_manager.putting.descriptors import check_put_options
from mqbridge.bridge.queue_manager.putting.handle_put import put_message
from mqbridge.bridge.queue_manager.units_of_work import Then, UnitOfWork
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCO, MQOO, MQPMO, MQRC

from .asynchronous_puts import (
    STAT_ASYNC_ERROR,
    STAT_RECONNECTION,
    STAT_RECONNECTION_ERROR,
    Call,
    PutNames,
    PutStatus,
)
from .state import ConnectionState

_OUTPUT: Final = int(MQOO.OUTPUT)
_SAVES: Final = int(MQOO.SAVE_ALL_CONTEXT)
_SYNCPOINT: Final = int(MQPMO.SYNCPOINT)
_QUIESCING: Final = int(MQPMO.FAIL_IF_QUIESCING)
_ASYNC: Final = int(MQPMO.ASYNC_RESPONSE)
_ALTERNATE_USER: Final = int(MQPMO.ALTERNATE_USER_AUTHORITY)
_CONTEXTS: Final = int(
    MQPMO.PASS_IDENTITY_CONTEXT | MQPMO.PASS_ALL_CONTEXT | MQPMO.SET_IDENTITY_CONTEXT | MQPMO.SET_ALL_CONTEXT
)
_ASKED: Final = _CONTEXTS | _ALTERNATE_USER
_PASSES: Final = int(MQPMO.PASS_IDENTITY_CONTEXT | MQPMO.PASS_ALL_CONTEXT)


class PutCalls(ConnectionState):
    """The calls of a connection that put."""

    __slots__ = ()

    def put(
        self,
        hobj: int,
        message: Message,
        options: PutOptions,
        now: float,
        then: Then | None = None,
        *,
        context: int = 0,
    ) -> int:
        """MQPUT; see `QueueManager.put` for ``then`` and what is returned and raised.

        ``context``: handle from which MQPMO_PASS_* takes the context. Also raises 2039, 2093 to 2098. With
        MQPMO_ASYNC_RESPONSE nothing is raised and ``then`` is not called: `status` and `commit` tell.
        """
        if options.options & _ASYNC:
            names = self.names(hobj) if hobj in self.handles else PutNames()
            self._unawaited(names, options, lambda done: self.put_now(hobj, message, options, now, done, context))
            return 0
        return self.put_now(hobj, message, options, now, then, context)

    def put_now(
        self, hobj: int, message: Message, options: PutOptions, now: float, then: Then | None, context: int
    ) -> int:
        """MQPUT without MQPMO_ASYNC_RESPONSE; see `put`."""
        self._enter(options.options & _QUIESCING)
        handle = self.handles.queue(hobj, MQRC.NOT_OPEN_FOR_OUTPUT)
        return self._put_through(handle, message, options, now, then, context)

    def _put_through(
        self, handle: Handle, message: Message, options: PutOptions, now: float, then: Then | None, context: int
    ) -> int:
        bits = options.options
        if not handle.options & _OUTPUT:
            raise MQError(MQRC.NOT_OPEN_FOR_OUTPUT, handle.object_name)
        if bits & _ALTERNATE_USER:
            raise MQError(MQRC.OPTIONS_ERROR, "ALTERNATE_USER_AUTHORITY is for MQPUT1")
        if bits & _CONTEXTS:
            check_put_options(bits)
            handle.require_context(bits)
            options.context_from = self._context(context) if bits & _PASSES else None
        unit = self.syncpoint(now) if bits & _SYNCPOINT else None
        options.authority = self.user if handle.user is None else handle.user
        options.unit_of_work_open = unit is None and (self.local_unit is not None or self.xa.unit is not None)
        try:
            warning = put_message(self._registry.core, handle, message, options, unit, now, then)
        except MQError as error:
            self._refused(error, handle.names, now)
            raise
        if unit is not None and (self._waits or unit is not self._unit):
            self._wake_own(unit, now)
        return warning

    def _wake_own(self, unit: UnitOfWork, now: float) -> None:
        """Those who wait in the unit of work see at once what was put in it."""
        waiters = self.waiting if unit is self._unit else self.xa.waiting
        if waiters:
            wake_own(self._registry.core, waiters, unit, now)

    def _context(self, hobj: int) -> Message | None:
        """The context that the last destructive get of a handle has saved. Raises 2097."""
        opened = self.handles.get(hobj) if hobj in self.handles else None
        if not isinstance(opened, Handle) or not opened.options & _SAVES:
            raise MQError(MQRC.CONTEXT_HANDLE_ERROR, str(hobj))
        return self._contexts.get(hobj)

    def put1(
        self,
        object_name: str,
        object_q_mgr_name: str,
        message: Message,
        options: PutOptions,
        now: float,
        then: Then | None = None,
        *,
        context: int = 0,
        alternate_user: str = "",
    ) -> int:
        """MQPUT1: opens, puts and closes in one step. Raises as `open` and `put` do, and 2046 for LOGICAL_ORDER.

        With MQPMO_ASYNC_RESPONSE a failure is counted as that of `put` is.
        """

        def call(done: Then | None) -> int:
            return self._put1(object_name, object_q_mgr_name, message, options, now, done, context, alternate_user)

        if options.options & _ASYNC:
            self._unawaited(PutNames(object_name, object_q_mgr_name), options, call)
            return 0
        return call(then)

    def _put1(
        self,
        object_name: str,
        object_q_mgr_name: str,
        message: Message,
        options: PutOptions,
        now: float,
        then: Then | None,
        context: int,
        alternate_user: str,
    ) -> int:
        bits = options.options
        self._enter(bits & _QUIESCING)
        if bits & MQPMO.LOGICAL_ORDER:
            raise MQError(MQRC.OPTIONS_ERROR, "LOGICAL_ORDER is for MQPUT")
        asked = _OUTPUT | bits & _ASKED  # these bits of MQPMO and MQOO are the same
        hobj = self.open(object_name, object_q_mgr_name, options=asked, now=now, alternate_user=alternate_user)
        if bits & _ALTERNATE_USER:
            options = replace(options, options=bits & ~_ALTERNATE_USER)
        try:
            return self.put_now(hobj, message, options, now, then, context)
        finally:
            self.close(hobj, MQCO.NONE, now)

    # --- puts whose outcome nobody waits for ---------------------------------------------------------------------

    def _unawaited(self, names: PutNames, options: PutOptions, call: Call) -> None:
        """Makes a put and counts what comes of it; a failure under syncpoint dooms the unit of work."""
        under_syncpoint = bool(options.options & _SYNCPOINT)
        done = self._puts.count(names, call, awaits_store=not under_syncpoint)
        if not done and under_syncpoint:
            self._doom()

    def put_failed(self, names: PutNames, options: int, error: MQError) -> None:
        """An asynchronous put that could not be tried, for what is wrong with the call, counts as one that failed."""
        self._puts.failed(names, error)
        if options & _SYNCPOINT:
            self._doom()

    def _doom(self) -> None:
        if self.xa.unit is not None:
            self.xa.doom()
        else:
            self._failed = True

    def names(self, hobj: int, *, local: bool = False) -> PutNames:
        """The names of an open object: as opened, and as resolved; ``local`` as RESOLVE_LOCAL_Q asks. Raises 2019."""
        opened = self.handles.get(hobj)
        if not isinstance(opened, Handle):
            return PutNames(getattr(opened, "object_name", ""))
        name, target = self._manager.name, opened.target
        return PutNames(opened.object_name, name, *target.resolved(name if local else ""), target.remote)

    def status(self, status_type: int = STAT_ASYNC_ERROR) -> PutStatus:
        """MQSTAT: what asynchronous puts have come to since the last call.

        Raises `MQError` 2430, and 2012 for the state of a reconnection, which the client alone knows.
        """
        self._enter(0)
        if status_type == STAT_ASYNC_ERROR:
            return self._puts.take()
        if status_type not in (STAT_RECONNECTION, STAT_RECONNECTION_ERROR):
            raise MQError(MQRC.STAT_TYPE_ERROR, str(status_type))
        raise MQError(MQRC.ENVIRONMENT_ERROR, "a reconnection is known to the client alone")
