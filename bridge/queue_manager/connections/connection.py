"""The connection of a program: open handles, unit of work, waits, and its end (mqi.md 1).

The calls of a session that work on it are in ``calls``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from mqbridge.bridge.queue_manager.calls.outcomes import Completion, Outcome, PutNames, failed
from mqbridge.bridge.queue_manager.calls.requests import Wanted
from mqbridge.bridge.queue_manager.committing import backout
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.effects import Completed
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.events import Events
from mqbridge.bridge.queue_manager.getting.waiter import Waiter
from mqbridge.bridge.queue_manager.getting.waiting import cancel, end_wait, wake_own
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.opening import close_queue
from mqbridge.bridge.queue_manager.options import GetOptions, PutOptions
from mqbridge.bridge.queue_manager.pubsub import PubSub
from mqbridge.bridge.queue_manager.turns import Steps
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.bridge.queue_manager.xa import Branches, XAResource
from mqbridge.bridge.security import Security
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCO, MQGMO, MQRC

from .access import Access
from .asynchronous_puts import AsynchronousPuts
from .consumers import Consumers
from .deliveries import Deliveries
from .handles import HandleTable, ObjectHandle
from .options import ConnectOptions

_CLOSED: Final = 1_500
"""Turn units for closing a handle."""
_QUIESCING: Final = int(MQGMO.FAIL_IF_QUIESCING)
_ENDED: Final = int(MQRC.HCONN_ERROR)


class Services(NamedTuple):
    """The parts of a queue manager that all its connections use; ``branches`` include those without a connection."""

    core: Core
    events: Events
    pubsub: PubSub
    security: Security
    branches: Branches


class PendingRequest(Protocol):
    """A get or a wait that has not ended."""

    def cancel(self, reason: int, now: Time) -> None:
        """End it with a reason, or unseen."""
        ...


class NotifiedWait(Protocol):
    """A wait that was notified that there may be a message."""

    def satisfied(self) -> None:
        """The program has asked for the message."""
        ...


class PreparedGet:
    """Options of the gets of one handle with the same ``wanted``, read once."""

    __slots__ = ("handle", "options", "wanted")

    def __init__(self, wanted: Wanted, handle: Handle, options: GetOptions) -> None:
        self.wanted = wanted
        self.handle = handle
        self.options = options


class PreparedPut:
    """Options and resolved names of the puts of one handle with the same MQPMO bits, read once."""

    __slots__ = ("bits", "handle", "names", "options")

    def __init__(self, bits: int, handle: Handle, options: PutOptions, names: PutNames) -> None:
        self.bits = bits
        self.handle = handle
        self.options = options
        self.names = names


class Connection:
    """One Hconn. Made by `Connections.connect`.

    ``id``: 24 bytes, ``AMQC``, a part of the queue manager's name, eight unique bytes. ``application``: who connected;
    ``access``: what its user may do, None: everything; ``user``: with whose authority it puts, blank: the queue
    manager's own. ``tag``: of all connections that one instance of an application has made, blank where it was given
    none. ``refusal``: 0, or the reason with which every call fails: 2018 it has ended, 2162 or 2203 everything stops.

    ``handles``: what is open. ``unit``: its local unit of work, ``unit_since`` its beginning; ``doomed``: an
    asynchronous put in it has failed. ``separate``: by token, units of work of single messages, in the order of the
    gets. ``xa``: the calls of a transaction manager; while a branch is associated, puts
    and gets under syncpoint are part of it. ``deliveries``: messages on their way to the program. ``put_record``: its
    asynchronous puts. ``contexts``: by handle, those that a destructive get has saved. ``waiters``: its waits, with
    their handles. ``consumers``: what MQCB and MQCTL have set up.

    ``program``: told when requests are completed; ``completions``: outcomes that it has not taken yet. ``gets``,
    ``puts``: by handle, prepared. ``pending``: by tag, gets and waits that go on. ``available``: by handle, waits that
    were told that there may be a message, until it is asked for.
    """

    __slots__ = (
        "_gone", "_left", "access", "application", "available", "completions", "connected", "consumers", "contexts",
        "core", "deliveries", "doomed", "gets", "handles", "id", "options", "pending", "program", "put_record", "puts",
        "quiescing", "refusal", "separate", "services", "tag", "unit", "unit_since", "user", "waiters", "xa",
    )  # fmt: skip

    def __init__(
        self,
        services: Services,
        connection_id: bytes,
        options: ConnectOptions,
        now: Time,
        left: Callable[[Connection], None],
    ) -> None:
        self.services = services
        self.core: Core = services.core
        self._left = left
        self._gone = False
        self.id = connection_id
        self.options = options
        self.application = options.application
        self.access: Access | None = None
        self.user = ""
        if options.checked:
            self.user = options.application.user
            self.access = Access(services.core, services.pubsub, services.security, self.user)
        self.tag = b""
        self.connected = now
        self.refusal = 0
        self.quiescing = False
        self.handles = HandleTable(services.core.objects)
        self.unit: UnitOfWork | None = None
        self.unit_since = 0.0
        self.doomed = False
        self.separate: dict[bytes, UnitOfWork] = {}
        self.xa = XAResource(services.branches, self)
        self.deliveries = Deliveries(services.core)
        self.put_record = AsynchronousPuts()
        self.contexts: dict[int, Message] = {}
        self.waiters: dict[Waiter, int] = {}
        self.consumers = Consumers()
        self.program = options.program
        self.completions: list[Completion] = []
        self.gets: dict[int, PreparedGet] = {}
        self.puts: dict[int, PreparedPut] = {}
        self.pending: dict[int, PendingRequest] = {}
        self.available: dict[int, NotifiedWait] = {}

    @property
    def ended(self) -> bool:
        """Whether it has ended, by MQDISC or otherwise."""
        return self.refusal == _ENDED

    def enter(self, fails_if_quiescing: int) -> None:
        """Begin a call. Raises `MQError` 2018, 2162 or 2203, and with ``fails_if_quiescing`` 2161 or 2202."""
        if self.refusal:
            raise MQError(self.refusal)
        if fails_if_quiescing:
            self.core.require_not_quiescing()
            if self.quiescing:
                raise MQError(MQRC.CONNECTION_QUIESCING)

    def refused(self, error: MQError, names: tuple[str, str], now: Time, options: int | None = None) -> None:
        """Put the event of a call that was refused, if it is enabled; see `Events.refused`."""
        self.services.events.refused(error.reason, names, self.application, now, options)

    # --- outcomes ------------------------------------------------------------------------------------------------

    def complete(self, tag: int, outcome: Outcome) -> None:
        """Add the outcome of a request that was not answered at once."""
        if self._gone:
            return
        if not self.completions and self.program is not None:
            self.core.emit(Completed(self.program))
        self.completions.append(Completion(tag, outcome))

    def decided(self, tag: int, outcome: Outcome, error: MQError | None) -> None:
        """Add the outcome of a request after the store's answer: ``outcome``, or the error."""
        self.complete(tag, outcome if error is None else failed(error))

    # --- units of work -------------------------------------------------------------------------------------------

    def syncpoint(self, now: Time) -> UnitOfWork:
        """The unit of work of a call under syncpoint: that of the XA branch, else the local one, begun if necessary."""
        branch = self.xa.unit
        if branch is not None:
            return branch
        if self.unit is None:
            self.unit = UnitOfWork()
            self.unit_since = now
        return self.unit

    @property
    def local_unit(self) -> UnitOfWork | None:
        """The local unit of work; None where nothing was put or got under syncpoint."""
        return self.unit if self.unit is not None and (self.unit.count or self.doomed) else None

    @property
    def in_unit_of_work(self) -> bool:
        """Whether it has a unit of work, local or of a branch."""
        return self.xa.unit is not None or self.local_unit is not None

    def take_unit(self) -> tuple[UnitOfWork | None, bool]:
        """End the local unit of work. Returns the unit, None if there is none, and whether it is doomed."""
        unit, self.unit = self.unit, None
        doomed, self.doomed = self.doomed, False
        self.unit_since = 0.0
        self.deliveries.forget_parts()
        return unit, doomed

    def back_out_separate(self, now: Time) -> None:
        """Back out the units of work of single messages."""
        units, self.separate = self.separate, {}
        for unit in reversed(units.values()):
            backout(self.core, unit, now)

    def mark_rollback_only(self) -> None:
        """Allow only backout of the unit of work: an asynchronous put under syncpoint has failed."""
        if self.xa.unit is not None:
            self.xa.mark_rollback_only()
        else:
            self.doomed = True

    # --- waits ---------------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> list[Waiter]:
        """Current waits."""
        return list(self.waiters)

    def wake_own(self, unit: UnitOfWork, now: Time) -> None:
        """Notify waits in a unit of work of messages that were put in it."""
        waiters = self.waiting if unit is self.unit else self.xa.waiting
        if waiters:
            wake_own(self.core, waiters, unit, now)

    def cancel_wait(self, waiter: Waiter) -> None:
        """Cancel a wait; if it was already woken, the next waiter is woken instead."""
        if self.waiters.pop(waiter, None) is not None:
            cancel(self.core, waiter)

    # --- the end -------------------------------------------------------------------------------------------------

    def quiesce(self) -> None:
        """Quiesce: calls with FAIL_IF_QUIESCING fail with 2202 from now on, and such waits end with it."""
        self.quiescing = True
        for waiter in [waiter for waiter in self.waiters if waiter.options.options & _QUIESCING]:
            end_wait(self.core, waiter, MQRC.CONNECTION_QUIESCING)

    def stop(self, reason: int = MQRC.CONNECTION_STOPPING) -> None:
        """Fail every call but MQCLOSE and MQDISC with a reason from now on, and end all waits with it."""
        if not self.ended:
            self.refusal = reason
        for waiter in self.waiting:
            end_wait(self.core, waiter, reason)

    def lost(self, now: Time) -> None:
        """End the connection of a program that is gone without MQDISC.

        Uncommitted work is backed out, messages not received return to their queues, handles are closed, and temporary
        dynamic queues deleted. No more completions follow.
        """
        self._gone = True
        self.completions.clear()
        if self.ended:
            return
        self.back_out_separate(now)
        self.leave(now, arrived=False)
        unit, _ = self.take_unit()
        if unit is not None:
            backout(self.core, unit, now)
        self.core.turns.begin(self.closing(), now)

    def leave(self, now: Time, *, arrived: bool) -> None:
        """Begin the end: no more calls, waits or branches. ``arrived``: messages in flight count as received."""
        self.refusal = _ENDED
        for waiter in self.waiting:
            self.cancel_wait(waiter)
        self.pending.clear()
        self.available.clear()
        self.deliveries.end(now, arrived=arrived)
        self.xa.end_of_connection(now)

    def closing(self) -> Steps:
        """Task: close all handles, then remove the connection from the registry."""
        now = yield 0
        for hobj, opened in self.handles.items():
            if isinstance(opened, Handle):
                close_queue(self.core, opened, MQCO.NONE, now)
            elif not isinstance(opened, ObjectHandle):
                opened.close_at_end(now)
            self.handles.remove(hobj)
            now = yield _CLOSED
        self.contexts.clear()
        self._left(self)

    def closed(self, hobj: int) -> None:
        """Forget a closed handle and cancel its waits."""
        for waiter in [waiter for waiter, number in self.waiters.items() if number == hobj]:
            self.cancel_wait(waiter)
        self.handles.remove(hobj)
        self.contexts.pop(hobj, None)
        self.consumers.forget(hobj)
        self.gets.pop(hobj, None)
        self.puts.pop(hobj, None)
        self.available.pop(hobj, None)
