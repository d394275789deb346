"""The queue manager itself as a resource: it is changed and inquired, and not created by message (E-274, E-284)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import manager_properties as own
from mqbridge.bridge.everyplace.definitions.properties import NAMES, Alterable, Property
from mqbridge.bridge.everyplace.definitions.queue_properties import NAME
from mqbridge.bridge.everyplace.objects.objects import Objects
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .actions import QUEUE_MANAGER, Action
from .requests import Request, Result
from .resources import Values, inquire

_READ_ONLY: Final = Alterable.READ_ONLY
QUEUES: Final = Property("qmqs", "QMgr_Queues", NAMES, (), alterable=_READ_ONLY, attribute="queues")
CONNECTIONS: Final = Property("qmcons", "QMgr_Connections", NAMES, (), alterable=_READ_ONLY, attribute="connections")
LISTENERS: Final = Property("qmls", "QMgr_Listeners", NAMES, (), alterable=_READ_ONLY, attribute="listeners")
PROPERTIES: Final = (NAME, *own.PROPERTIES, QUEUES, CONNECTIONS, LISTENERS)


class ManagerResource:
    """The queue manager ``own_name``."""

    name = QUEUE_MANAGER
    rows = PROPERTIES
    actions = frozenset({Action.INQUIRE, Action.INQUIRE_ALL, Action.UPDATE})

    def __init__(self, own_name: str, objects: Objects) -> None:
        self._own_name = own_name
        self._objects = objects

    def perform(self, request: Request, now: float) -> Change[Result]:
        """Prepare an action on the queue manager. Raises `EveryplaceError`."""
        if request.name not in ("", self._own_name):
            raise EveryplaceError(Code.NOT_FOUND, f"this is queue manager {self._own_name}, not {request.name}")
        if request.action is Action.UPDATE:
            values = Values(request.parameters, self.rows, (NAME,))
            return self._objects.update(values.given).then(lambda failed: values.result(request, failed))
        return Change(inquire(request, self.rows, (NAME,), self._value))

    def _value(self, row: Property) -> Any:
        if row is NAME:
            return self._own_name
        if row is QUEUES:
            return sorted(str(each) for each in self._objects.queues.table)
        if row is CONNECTIONS:
            return sorted(self._objects.connections.table)
        if row is LISTENERS:
            return sorted(self._objects.listeners.table)
        return getattr(self._objects.properties, row.attribute)
