"""Connections as a resource (E-251, E-277)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import connection_definition as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.objects.connections import Connections

from .actions import CONNECTION, Action, ReturnCode
from .requests import Request, Result
from .resources import Values, inquire, named, names_of, require_name

_PASSED: Final = (rows.NAME,)


class ConnectionResource:
    """Connections."""

    name = CONNECTION
    rows = rows.PROPERTIES
    actions = frozenset(
        {
            Action.CREATE,
            Action.DELETE,
            Action.INQUIRE,
            Action.INQUIRE_ALL,
            Action.UPDATE,
            Action.ADD_ALIAS,
            Action.REMOVE_ALIAS,
        }
    )

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def perform(self, request: Request, now: float) -> Change[Result]:
        """Prepare an action on a connection. Raises `EveryplaceError`."""
        name, table = require_name(request), self._connections
        done = Result(ReturnCode.SUCCESS, request.parameters)
        if request.action in (Action.ADD_ALIAS, Action.REMOVE_ALIAS):
            names, add = names_of(request, rows.ALIASES), request.action is Action.ADD_ALIAS
            change = table.change_aliases(name, names, add=add)
            return change.then(lambda outcome: named(request, rows.ALIASES, outcome))
        if request.action is Action.DELETE:
            return table.delete(name).then(lambda _: done)
        if request.action in (Action.INQUIRE, Action.INQUIRE_ALL):
            found = table.find(name)
            return Change(inquire(request, self.rows, _PASSED, lambda row: getattr(found, row.attribute)))
        values = Values(request.parameters, self.rows, _PASSED)
        if request.action is Action.UPDATE:
            return table.update(name, values.given).then(lambda failed: values.result(request, failed))
        wrong = values.check(request)
        if wrong is not None:
            return Change(wrong)
        given = {row.attribute: row.default if value is None else value for row, value in values.given.items()}
        return table.create(ConnectionDefinition(name, **given)).then(lambda _: done)
