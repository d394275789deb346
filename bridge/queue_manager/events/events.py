"""Which events are enabled, and their messages on the event queues (mq-wire.md 5.16; reasons: MQRC).

An event message is put at once and outside any unit of work, whatever the outcome of the unit in which the event
occurred. One that cannot be put is lost, with a line in the log. The event queues themselves have no events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.committing import commit
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Definition, Kind
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.putting.descriptors import set_origin
from mqbridge.bridge.queue_manager.putting.on_behalf import OWN, put_for
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.mappings.events import EventParameter, event_message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQAT, MQCA, MQCACF, MQCMD, MQIA, MQIACF, MQRC, MQRQ

from .metering import SWITCHED, Meter, Metered

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue

QUEUE_MANAGER_EVENTS: Final = "SYSTEM.ADMIN.QMGR.EVENT"
PERFORMANCE_EVENTS: Final = "SYSTEM.ADMIN.PERFM.EVENT"
CHANNEL_EVENTS: Final = "SYSTEM.ADMIN.CHANNEL.EVENT"
COMMAND_EVENTS: Final = "SYSTEM.ADMIN.COMMAND.EVENT"
EVENT_QUEUES: Final = {
    MQCMD.Q_MGR_EVENT: QUEUE_MANAGER_EVENTS,
    MQCMD.PERFM_EVENT: PERFORMANCE_EVENTS,
    MQCMD.CHANNEL_EVENT: CHANNEL_EVENTS,
    MQCMD.COMMAND_EVENT: COMMAND_EVENTS,
}
"""Event queue by the command of the event's PCF header."""

_INHIBITED: Final = frozenset((MQRC.GET_INHIBITED, MQRC.PUT_INHIBITED))
_LOCAL: Final = frozenset((MQRC.ALIAS_BASE_Q_TYPE_ERROR, MQRC.UNKNOWN_ALIAS_BASE_Q, MQRC.UNKNOWN_OBJECT_NAME))
_REMOTE: Final = frozenset(
    (
        MQRC.DEF_XMIT_Q_TYPE_ERROR,
        MQRC.DEF_XMIT_Q_USAGE_ERROR,
        MQRC.Q_TYPE_ERROR,
        MQRC.REMOTE_Q_NAME_ERROR,
        MQRC.XMIT_Q_TYPE_ERROR,
        MQRC.XMIT_Q_USAGE_ERROR,
        MQRC.UNKNOWN_DEF_XMIT_Q,
        MQRC.UNKNOWN_REMOTE_Q_MGR,
        MQRC.UNKNOWN_XMIT_Q,
    )
)


class Events:
    """The events of one queue manager. The flags follow the queue manager's attributes: ``authority`` AUTHOREV,
    ``inhibit`` INHIBTEV, ``local`` LOCALEV, ``remote`` REMOTEEV, ``performance`` PERFMEV, ``start_stop`` STRSTPEV,
    ``tls`` SSLEV; ``channel`` is the word of CHLEV."""

    __slots__ = (
        "_core", "authority", "channel", "inhibit", "local", "performance", "remote", "start_stop",
        "started", "tls",
    )  # fmt: skip

    def __init__(self, core: Core, now: Time) -> None:
        self._core = core
        self.started = now
        self.performance = False
        self._refresh(core.objects.manager)
        core.objects.add_listener(self._changed)

    # Which are enabled

    def _changed(self, old: Definition | None, new: Definition | None) -> None:
        if new is None:
            return
        if new.kind is Kind.QMGR:
            self._refresh(new)
        elif new.kind is Kind.QLOCAL and self.performance:
            self._measure(self._core.queues[new.name])

    def _refresh(self, manager: Definition) -> None:
        def enabled(keyword: str) -> bool:
            return manager.text(keyword) == "ENABLED"

        self.authority, self.inhibit = enabled("AUTHOREV"), enabled("INHIBTEV")
        self.local, self.remote, self.start_stop = enabled("LOCALEV"), enabled("REMOTEEV"), enabled("STRSTPEV")
        self.channel, self.tls = manager.text("CHLEV"), enabled("SSLEV")
        measured, self.performance = self.performance, enabled("PERFMEV")
        if measured != self.performance:
            for queue in self._core.queues.values():
                queue.meter = None
                if self.performance:
                    self._measure(queue)

    def _measure(self, queue: LocalQueue) -> None:
        if queue.name in EVENT_QUEUES.values():
            return
        if queue.meter is None:
            queue.meter = Meter(queue, self._due, max(self.started, queue.last_put, queue.last_get))
        else:
            queue.meter.refresh(queue.definition)

    # Performance

    def _due(self, queue: Metered, meter: Meter, reason: int, now: Time) -> None:
        """Put a performance event, reset the counts, and set the attributes that the event switches."""
        counts: list[EventParameter] = [
            (MQCA.BASE_OBJECT_NAME, queue.name),
            (MQIA.TIME_SINCE_RESET, int(max(0.0, now - meter.since))),
            (MQIA.HIGH_Q_DEPTH, meter.high_depth),
            (MQIA.MSG_ENQ_COUNT, meter.enqueued),
            (MQIA.MSG_DEQ_COUNT, meter.dequeued),
        ]
        meter.restart(queue.depth, now)
        self.put(MQCMD.PERFM_EVENT, reason, counts, now)
        change = self._core.objects.alter(Kind.QLOCAL, queue.name, dict(SWITCHED[reason]), now)
        self._core.submit(change.operations)

    # Calls that were refused

    def refused(
        self, reason: int, names: tuple[str, str], application: Application, now: Time, options: int | None = None
    ) -> None:
        """Put the inhibit, local, remote or authority event of a call that was refused, if that event is enabled.

        ``names``: queue and queue manager as the program gave them. ``options``: MQOO bits of an open.
        """
        authority = reason == MQRC.NOT_AUTHORIZED and self.authority and options is not None
        wanted = (
            authority
            or (self.inhibit and reason in _INHIBITED)
            or (self.local and reason in _LOCAL)
            or (self.remote and reason in _REMOTE)
        )
        if not wanted:
            return
        parameters: list[EventParameter] = []
        if authority and options is not None:
            parameters += [
                (MQIACF.REASON_QUALIFIER, MQRQ.OPEN_NOT_AUTHORIZED),
                (MQIACF.OPEN_OPTIONS, options),
                (MQCACF.USER_IDENTIFIER, application.user),
            ]
        parameters += [
            (MQCA.Q_NAME, names[0]),
            (MQIA.APPL_TYPE, application.appl_type),
            (MQCACF.APPL_NAME, application.appl_name),
        ]
        if names[1] not in self._core.local_names:
            parameters.append((MQCACF.OBJECT_Q_MGR_NAME, names[1]))
        self.put(MQCMD.Q_MGR_EVENT, reason, parameters, now)

    def denied(
        self,
        qualifier: int,
        user: str,
        now: Time,
        about: Sequence[EventParameter] = (),
        application: Application | None = None,
    ) -> None:
        """Put an authority event, if these are enabled.

        ``qualifier``: MQRQ. ``about``: parameters of what was asked for. ``application``: who asked.
        """
        if not self.authority:
            return
        whom: list[EventParameter] = [(MQIACF.REASON_QUALIFIER, qualifier), (MQCACF.USER_IDENTIFIER, user), *about]
        if application is not None:
            whom += [(MQIA.APPL_TYPE, application.appl_type), (MQCACF.APPL_NAME, application.appl_name)]
        self.put(MQCMD.Q_MGR_EVENT, MQRC.NOT_AUTHORIZED, whom, now)

    # Start and stop

    def active(self, now: Time) -> None:
        """Put the event that the queue manager has started, if STRSTPEV is enabled."""
        if self.start_stop:
            self.put(MQCMD.Q_MGR_EVENT, MQRC.Q_MGR_ACTIVE, (), now)

    def stopping(self, qualifier: int, now: Time) -> None:
        """Put the event that the queue manager is ending, if STRSTPEV is enabled.

        ``qualifier``: MQRQ_Q_MGR_QUIESCING or MQRQ_Q_MGR_STOPPING.
        """
        if self.start_stop:
            self.put(MQCMD.Q_MGR_EVENT, MQRC.Q_MGR_NOT_ACTIVE, [(MQIACF.REASON_QUALIFIER, qualifier)], now)

    # The message

    def put(
        self, command: int, reason: int, parameters: Sequence[EventParameter], now: Time, *, named: bool = True
    ) -> None:
        """Put an event message. ``named``: its first parameter is the queue manager's name."""
        core, queue_name = self._core, EVENT_QUEUES[MQCMD(command)]
        about: list[EventParameter] = [(MQCA.Q_MGR_NAME, core.name), *parameters] if named else list(parameters)
        try:
            message = event_message(core.ccsid, command, reason, about, queue_manager=core.name)
            message.md.msg_id = core.ids.message_id()
            set_origin(message.md, Application(appl_type=MQAT.QMGR, appl_name=core.name), now)
            work = UnitOfWork(implicit=True)
            put_for(core, OWN, (queue_name, ""), message, work, now)
            commit(core, work, now)
        except MQError as error:
            core.log("AMQ7312", queue_name, int(reason), error.reason)
