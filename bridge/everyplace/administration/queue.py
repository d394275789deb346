"""Queues as resources: a class for each kind, and one for all of them (E-277, E-282, E-285, E-286)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.objects.queues import Queues
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address

from . import actions
from .actions import Action, ReturnCode
from .requests import Request, Result, error_text
from .resources import Errors, Values, inquire, named, names_of, require_name

_PASSED: Final = (rows.NAME, rows.OWNER, rows.CLASS)
_NAMES: Final = {
    Action.ADD_ALIAS: (rows.ALIASES, True),
    Action.REMOVE_ALIAS: (rows.ALIASES, False),
    Action.ADD_ENTRY: (rows.ENTRIES, True),
    Action.REMOVE_ENTRY: (rows.ENTRIES, False),
}
_OWN: Final = (QueueKind.LOCAL, QueueKind.ADMINISTRATION, QueueKind.STORE_AND_FORWARD)
"""Kinds that belong to this queue manager unless something else is said."""
MORE_GENERAL: Final = {
    actions.QUEUE: frozenset(QueueKind),
    QueueKind.REMOTE.value: frozenset(QueueKind) - {QueueKind.LOCAL, QueueKind.ADMINISTRATION},
}
"""Classes that stand for several kinds, for actions other than create."""
Expire = Callable[[Queue, float], "Change[Any] | None"]
"""Removes the expired messages of a queue; None if there are none."""


def actions_of(name: str) -> frozenset[Action]:
    """Return what a class of queues can do."""
    kinds = MORE_GENERAL.get(name) or frozenset({QueueKind(name)})
    found = {Action.DELETE, Action.INQUIRE, Action.INQUIRE_ALL, Action.UPDATE}
    if name != actions.QUEUE:
        found.add(Action.CREATE)
    return frozenset(found | {action for action, (row, _) in _NAMES.items() if row.queues & kinds})


class QueueResource:
    """Queues of one class. ``own_name``: of the queue manager."""

    def __init__(self, name: str, own_name: str, queues: Queues, expire: Expire) -> None:
        self.name = name
        self._kind = None if name == actions.QUEUE else QueueKind(name)
        self._kinds = MORE_GENERAL.get(name) or frozenset({QueueKind(name)})
        self._own_name = own_name
        self._queues = queues
        self._expire = expire
        self.rows = tuple(row for row in rows.PROPERTIES if row.queues & self._kinds)
        self.actions = actions_of(name)

    def perform(self, request: Request, now: float) -> Change[Result]:
        """Prepare an action on a queue. Raises `EveryplaceError`, `Unsettled`."""
        if request.action is Action.CREATE:
            return self._create(request, now)
        queue = self._find(request)
        if request.action in _NAMES:
            row, add = _NAMES[request.action]
            names = names_of(request, row)
            return self._queues.change_names(queue, row, names, add=add).then(
                lambda outcome: named(request, row, outcome)
            )
        if request.action is Action.UPDATE:
            values = Values(request.parameters, self._rows_of(queue), _PASSED)
            return self._queues.update(queue, values.given).then(lambda failed: values.result(request, failed))
        if request.action is Action.DELETE:
            self._look_for_expired(queue, now)
            return self._queues.delete(queue).then(lambda _: Result(ReturnCode.SUCCESS, request.parameters))
        return Change(self._inquire(request, queue, now))

    def _create(self, request: Request, now: float) -> Change[Result]:
        assert self._kind is not None, "an action that is not offered is not performed"
        definition = QueueDefinition(self._kind, self._address(request))
        values = Values(request.parameters, self._rows_of(definition), _PASSED)
        errors: Errors = dict(values.errors)
        for row, value in values.given.items():
            try:
                definition.set(row, value)
            except EveryplaceError as error:
                errors[row.field] = (error_text(error),)
        if errors:
            return Change(Result(ReturnCode.FAILED, request.parameters, f"{request}: nothing was created", errors))
        change = self._queues.define(definition, int(now * 1000))
        return change.then(lambda _: Result(ReturnCode.SUCCESS, request.parameters))

    def _inquire(self, request: Request, queue: Queue, now: float) -> Result:
        sized = request.action is Action.INQUIRE_ALL or rows.CURRENT_SIZE.field in request.parameters
        if sized:
            self._look_for_expired(queue, now)
        return inquire(request, self._rows_of(queue), _PASSED, lambda row: value_of(queue, row))

    def _look_for_expired(self, queue: Queue, now: float) -> None:
        """Have expired messages removed first (E-082, E-083). Raises `Unsettled` while that is on its way."""
        expiring = self._expire(queue, now)
        if expiring is not None:
            raise Unsettled(expiring)

    @staticmethod
    def _rows_of(queue: Queue | QueueDefinition) -> list[Property]:
        return [row for row in rows.PROPERTIES if queue.kind in row.queues]

    def _address(self, request: Request) -> Address:
        owner = self._owner(request)
        if not owner and self._kind not in _OWN:
            raise rows.OWNER.invalid("it is to name the queue manager that has the real queue")
        return Address(require_name(request), owner or self._own_name)

    @staticmethod
    def _owner(request: Request) -> str:
        return str(rows.OWNER.read(request.parameters) or "") if rows.OWNER.field in request.parameters else ""

    def _find(self, request: Request) -> Queue:
        """Return the queue that is meant; without an owner, the one of this name if there is one only."""
        name, owner = require_name(request), self._owner(request)
        found = [each for each in self._queues.of_kind(self._kinds) if each.name == name]
        own = [each for each in found if each.owner == (owner or self._own_name)]
        if own or owner:
            found = own
        if len(found) != 1:
            which = f"{name}@{owner}" if owner else name
            text = f"there are {len(found)} queues {which}: name the owner" if found else f"there is no queue {which}"
            raise EveryplaceError(Code.Q_UNKNOWN, f"{text} ({self.name}, {self._own_name})")
        return found[0]


def value_of(queue: Queue, row: Property) -> Any:
    """Return a property of a queue as it is now."""
    if row is rows.ACTIVE:
        return queue.active
    if row is rows.CURRENT_SIZE:
        return 0 if queue.messages is None else len(queue.messages)
    return queue.definition.value(row)
