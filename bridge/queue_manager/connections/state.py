"""What all calls of a connection share: what it has open, its unit of work, and what every call begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.getting.waiting import Waiter
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.bridge.queue_manager.xa import XAResource
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCA, MQOO, MQOT, MQRC, MQRQ

from .access import Access
from .asynchronous_puts import PutRecord
from .consumers import Consumers
from .deliveries import Deliveries
from .handles import Foreign, HandleTable, ObjectHandle, Opened, check_object_close, open_object

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.options import Application

    from .options import ConnectOptions
    from .registry import Connections


class ConnectionState:
    """The state of one connection, and opening and closing; see `Connection`."""

    __slots__ = (
        "_contexts", "_deliveries", "_failed", "_manager", "_puts", "_registry", "_unit", "_waits",
        "access", "application", "connected", "consumers", "ended", "handles", "id", "options", "quiescing",
        "stopping", "tag", "unit_since", "user", "xa",
    )  # fmt: skip

    def __init__(self, registry: Connections, connection_id: bytes, options: ConnectOptions, now: float) -> None:
        self._registry = registry
        self._manager = manager = registry.manager
        self.id = connection_id
        self.options = options
        self.application: Application = options.application
        self.access = Access(manager, options.application.user) if options.checked else None
        """What its user may do; None: everything."""
        self.user = options.application.user if options.checked else ""
        """With whose authority it puts; blank: the queue manager's own."""
        self.handles = HandleTable(manager.objects)
        self.consumers = Consumers()
        self.xa = XAResource(registry.branches, self)
        self.connected = now
        self.unit_since = 0.0
        self.tag = b""
        self.ended = self.quiescing = self.stopping = False
        self._unit: UnitOfWork | None = None
        self._failed = False
        self._puts = PutRecord()
        self._waits: dict[Waiter, int] = {}
        self._contexts: dict[int, Message] = {}
        self._deliveries: Deliveries | None = None

    def _enter(self, fails_if_quiescing: int) -> None:
        if self.ended:
            raise MQError(MQRC.HCONN_ERROR)
        if self._registry.stopping and not self.options.inside:
            raise MQError(MQRC.Q_MGR_STOPPING)
        if self.stopping:
            raise MQError(MQRC.CONNECTION_STOPPING)
        if fails_if_quiescing:
            self._registry.core.require_not_quiescing()
            if self.quiescing:
                raise MQError(MQRC.CONNECTION_QUIESCING)

    def _refused(self, error: MQError, names: tuple[str, str], now: float, options: int | None = None) -> None:
        """Those who watch are told of a call that was refused."""
        self._manager.events.refused(error.reason, names, self.application, now, options)

    # --- handles -------------------------------------------------------------------------------------------------

    def open(
        self,
        object_name: str,
        object_q_mgr_name: str = "",
        *,
        options: int,
        now: float,
        object_type: int = MQOT.Q,
        dynamic_name: str = "",
        selection_string: str = "",
        alternate_user: str = "",
    ) -> int:
        """MQOPEN (mqi.md 2) of a queue, namelist, process or the queue manager; returns the handle.

        ``alternate_user``: whose authorities count with MQOO_ALTERNATE_USER_AUTHORITY. Raises `MQError`: 2017
        (MAXHANDS), 2043, 2035, and what `QueueManager.open` raises.
        """
        self._enter(options & MQOO.FAIL_IF_QUIESCING)
        self.handles.require_room()
        access = self.access
        opened: Opened
        if object_type in (MQOT.Q, MQOT.NONE):
            try:
                opened = self._open_queue(
                    object_name, object_q_mgr_name, options, now, dynamic_name, selection_string, alternate_user
                )
            except MQError as error:
                self._refused(error, (object_name, object_q_mgr_name), now, options)
                raise
        else:
            if selection_string:
                raise MQError(MQRC.SELECTOR_INVALID_FOR_TYPE, object_name)
            opened = open_object(self._manager.objects, object_type, object_name, options)
            if access is not None:
                access.require_object(opened.kind, opened.name, options, alternate_user)
        return self.handles.add(opened)

    def _open_queue(
        self,
        name: str,
        manager_name: str,
        options: int,
        now: float,
        dynamic_name: str,
        selection_string: str,
        alternate_user: str,
    ) -> Handle:
        """A queue, if the user may open it."""
        access = self.access
        if access is not None:
            access.require_queue(name, manager_name, options, alternate_user)
        opened = self._manager.open(
            name,
            manager_name,
            options=options,
            owner=self,
            now=now,
            dynamic_name=dynamic_name,
            selection_string=selection_string,
        )
        if access is not None:
            if options & MQOO.ALTERNATE_USER_AUTHORITY:
                opened.user = alternate_user or EVERYBODY_ELSE
            if opened.creator:
                access.made(opened, now, alternate_user)
        return opened

    def add(self, opened: Foreign) -> int:
        """A handle for something that another part of the queue manager has opened; raises 2017."""
        self._enter(0)
        return self.handles.add(opened)

    def remove(self, hobj: int) -> None:
        """Forgets the handle of something that another part has closed."""
        self.handles.remove(hobj)

    def close(self, hobj: int, options: int, now: float) -> int:
        """MQCLOSE (mqi.md 3) with MQCO bits: waits on the handle end, unseen.

        Raises `MQError` 2018, 2019, 2045, 2055, 2035.

        A handle stays open where the close fails. Returns 0, or the reason of a warning: 2241, 2242.
        """
        if self.ended:
            raise MQError(MQRC.HCONN_ERROR)
        opened = self.handles.get(hobj)
        warning = 0
        if isinstance(opened, Handle):
            if options and self.access is not None and not opened.creator:
                self._require_close(self.access, opened, options, now)
            warning = self._manager.close(opened, options, now)
        else:
            check_object_close(options)
            if not isinstance(opened, ObjectHandle):
                opened.close_at_end(now)
        for waiter in [waiter for waiter, number in self._waits.items() if number == hobj]:
            self.cancel_wait(waiter)
        self.handles.remove(hobj)
        self._contexts.pop(hobj, None)
        self.consumers.forget(hobj)
        return warning

    def _require_close(self, access: Access, opened: Handle, options: int, now: float) -> None:
        try:
            access.require_close(opened, options)
        except MQError:
            about = [(MQCA.Q_NAME, opened.object_name)]
            application = self.application
            self._manager.events.denied(MQRQ.CLOSE_NOT_AUTHORIZED, application.user, now, about, application)
            raise

    def cancel_wait(self, waiter: Waiter) -> None:
        """Takes a waiter back; one that was woken passes its turn on."""
        if self._waits.pop(waiter, None) is not None:
            self._manager.cancel_wait(waiter)

    def forget_wait(self, waiter: Waiter) -> None:
        """A wait is over, or what it was told of is asked for."""
        self._waits.pop(waiter, None)

    # --- units of work -------------------------------------------------------------------------------------------

    def syncpoint(self, now: float) -> UnitOfWork:
        """The unit of work of a call under syncpoint: the XA branch, else the local unit, begun if there is none."""
        branch = self.xa.unit
        if branch is not None:
            return branch
        if self._unit is None:
            self._unit = self._manager.begin(self)
            self.unit_since = now
        return self._unit

    @property
    def waiting(self) -> list[Waiter]:
        """Waits that are going on."""
        return list(self._waits)

    @property
    def local_unit(self) -> UnitOfWork | None:
        """The local unit of work; None where nothing was put or got under syncpoint."""
        return self._unit if self._unit is not None and (self._unit.count or self._failed) else None
