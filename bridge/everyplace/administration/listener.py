"""Listeners as a resource (E-260, E-261, E-277)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import listener_definition as rows
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.objects.listeners import Listeners

from .actions import LISTENER, Action, ReturnCode
from .requests import Request, Result
from .resources import Values, inquire, require_name

_PASSED: Final = (rows.NAME,)


class ListenerResource:
    """Listeners."""

    name = LISTENER
    rows = rows.PROPERTIES
    actions = frozenset(
        {
            Action.CREATE,
            Action.DELETE,
            Action.INQUIRE,
            Action.INQUIRE_ALL,
            Action.UPDATE,
            Action.START,
            Action.STOP,
        }
    )

    def __init__(self, listeners: Listeners) -> None:
        self._listeners = listeners

    def perform(self, request: Request, now: float) -> Change[Result]:
        """Prepare an action on a listener. Raises `EveryplaceError`."""
        name, table = require_name(request), self._listeners
        done = Result(ReturnCode.SUCCESS, request.parameters)
        simple = {Action.START: table.start, Action.STOP: table.stop, Action.DELETE: table.delete}
        if request.action in simple:
            return simple[request.action](name).then(lambda _: done)
        if request.action in (Action.INQUIRE, Action.INQUIRE_ALL):
            found = table.find(name)
            return Change(inquire(request, self.rows, _PASSED, lambda row: getattr(found, row.attribute)))
        values = Values(request.parameters, self.rows, _PASSED)
        if request.action is Action.UPDATE:
            return table.update(name, values.given).then(lambda failed: values.result(request, failed))
        if rows.STARTED in values.given:
            raise rows.STARTED.invalid("a new listener does not run; start it")
        wrong = values.check(request)
        if wrong is not None:
            return Change(wrong)
        given = {row.attribute: row.default if value is None else value for row, value in values.given.items()}
        return table.create(ListenerDefinition(name, **given)).then(lambda _: done)
