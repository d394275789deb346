"""Bridge objects as resources of administration, a class for each kind (E-285, E-289, E-399).

Beside its name a request says in which bridge, proxy and client connection the object is; what is not said may be
missing where there is one.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.administration.requests import Request, Result
from mqbridge.bridge.everyplace.administration.resources import Values, inquire
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath
from mqbridge.bridge.everyplace.definitions.bridge_properties import OWNERS, PROPERTIES, BridgeKind
from mqbridge.mappings.moment import Time
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .bridge_objects import ALL, BridgeObjects

_ASKING: Final = frozenset({Action.INQUIRE, Action.INQUIRE_ALL, Action.START, Action.STOP})
_CHANGING: Final = frozenset({Action.CREATE, Action.UPDATE, Action.DELETE})


class BridgeResource:
    """The objects of one kind."""

    def __init__(self, kind: BridgeKind, objects: BridgeObjects) -> None:
        self._kind = kind
        self._objects = objects
        self.name = kind.value
        self.rows = PROPERTIES[kind]
        self.actions = _ASKING if kind is BridgeKind.BRIDGES else _ASKING | _CHANGING
        self._owners = OWNERS[: max(kind.depth - 1, 0)]
        self._passed = (rows.NAME, *self._owners, rows.AFFECT_CHILDREN)

    def perform(self, request: Request, now: Time) -> Change[Result]:
        """Prepare an action on an object. Raises `EveryplaceError`."""
        objects, done = self._objects, Result(ReturnCode.SUCCESS, request.parameters)
        path = self._path(request)
        children = self._affects_children(request)
        if request.action is Action.START:
            objects.start(path, children=children)
            return Change(done)
        if request.action is Action.STOP:
            objects.stop(path)
            return Change(done)
        if request.action is Action.DELETE:
            return objects.deletion(path, children=children).then(lambda _: done)
        if request.action in (Action.INQUIRE, Action.INQUIRE_ALL):
            found = objects.inquire(path)
            known = (rows.NAME, *self._owners)
            shown = [row for row in self.rows if row is not rows.AFFECT_CHILDREN]
            return Change(inquire(request, shown, known, lambda row: found.get(row, row.default)))
        values = Values(request.parameters, self.rows, self._passed)
        wrong = values.check(request)
        if wrong is not None:
            return Change(wrong)
        if request.action is Action.UPDATE:
            return objects.alteration(path, values.given).then(lambda _: done)
        return objects.creation(BridgeDefinition(path, values.given)).then(lambda _: done)

    def _affects_children(self, request: Request) -> bool:
        field = rows.AFFECT_CHILDREN.field
        return field in request.parameters and bool(rows.AFFECT_CHILDREN.read(request.parameters))

    def _path(self, request: Request) -> BridgePath:
        """Return the path of the object that is meant. Raises `EveryplaceError` ADMIN_INVALID_FIELD."""
        if self._kind is BridgeKind.BRIDGES:
            return ALL
        if not request.name:
            raise EveryplaceError(Code.ADMIN_INVALID_FIELD, f"{request} names no {self.name}")
        given = [row.read(request.parameters) if row.field in request.parameters else "" for row in self._owners]
        if request.action is Action.CREATE:
            wanted: list[str] = [*given]
        else:
            wanted = [*given, request.name]
        found = [
            each.path
            for each in self._objects
            if len(each.path) == len(wanted)
            and all(name in ("", own) for name, own in zip(wanted, each.path, strict=True))
        ]
        if not wanted:
            found = [ALL]
        if len(found) > 1:
            options = " ".join(f"--{row.option}" for row in self._owners)
            raise EveryplaceError(Code.ADMIN_INVALID_FIELD, f"{request}: {len(found)} fit; say where with {options}")
        if not found:
            where = "/".join(each or "*" for each in wanted)
            raise EveryplaceError(Code.NOT_FOUND, f"{request}: there is no {where}")
        return (*found[0], request.name) if request.action is Action.CREATE else found[0]


def bridge_resources(objects: BridgeObjects) -> list[BridgeResource]:
    """Return the resources of all kinds."""
    return [BridgeResource(kind, objects) for kind in BridgeKind]
