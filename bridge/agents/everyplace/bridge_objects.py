"""The bridge objects of a queue manager: definitions, run states, starting and stopping (mqe.md 18.1, C-08)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Protocol

from mqbridge.bridge.agents.everyplace.mq.calling import check_tls
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition, BridgePath, kind_of
from mqbridge.bridge.everyplace.definitions.bridge_properties import PROPERTIES, BridgeKind
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.effects import Then
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.transfer.conversation import Committer
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

ALL: Final[BridgePath] = ()
"""Path of ``bridges``."""
RUNNING: Final = "running"
STOPPED: Final = "stopped"


class Workers(Protocol):
    """Who does the work of objects that run."""

    def started(self, definition: BridgeDefinition) -> None:
        """An object runs from now on."""
        ...

    def stopped(self, path: BridgePath) -> None:
        """An object has stopped."""
        ...


class BridgeObjects:
    """All bridge objects of a queue manager.

    ``starts_up``: the start-up rule of an object, whether it starts with the queue manager (E-524). Raises
    `EveryplaceError` for rows that cannot be read.
    """

    def __init__(
        self,
        registry: Registry,
        committer: Committer,
        workers: Workers,
        starts_up: Callable[[BridgeDefinition], bool] = lambda _: True,
    ) -> None:
        self._committer = committer
        self._workers = workers
        self._starts_up = starts_up
        self._objects = {each.path: each for each in registry.bridge_objects()}
        self._running: set[BridgePath] = set()
        self._why: dict[BridgePath, str] = {}

    # Asking

    def find(self, path: BridgePath) -> BridgeDefinition:
        """Return the definition of an object. Raises `EveryplaceError` NOT_FOUND."""
        found = self._objects.get(path)
        if found is None:
            raise EveryplaceError(Code.NOT_FOUND, f"there is no {kind_of(path).value} {'/'.join(path)}")
        return found

    def runs(self, path: BridgePath) -> bool:
        """Whether an object runs."""
        return path in self._running

    def require_running(self, path: BridgePath) -> BridgeDefinition:
        """Return an object that runs, as all above it do. Raises `EveryplaceError` NOT_FOUND, BRIDGE_NOT_RUNNING."""
        found = self.find(path)
        for end in range(len(path) + 1):
            if path[:end] not in self._running:
                name = "/".join(path[:end]) or "all bridges"
                raise EveryplaceError(Code.BRIDGE_NOT_RUNNING, f"{kind_of(path[:end]).value} {name} is stopped")
        return found

    def children(self, path: BridgePath) -> list[BridgePath]:
        """Return the paths of the objects directly below one, in order."""
        return sorted(each for each in self._objects if each[:-1] == path and each)

    def below(self, path: BridgePath) -> list[BridgePath]:
        """Return the paths of all objects below one, from the top."""
        return sorted((each for each in self._objects if each[: len(path)] == path and each != path), key=_from_top)

    def inquire(self, path: BridgePath) -> Mapping[Property, Any]:
        """Return the properties of an object, without secrets (E-399). Raises `EveryplaceError` NOT_FOUND."""
        found: dict[Property, Any] = {rows.RUN_STATE: RUNNING if path in self._running else STOPPED}
        children = tuple(each[-1] for each in self.children(path))
        if not path:
            return {rows.NAME: BridgeKind.BRIDGES.value, rows.CHILDREN: children, **found}
        definition = self.find(path)
        found |= {rows.CHILDREN: children, rows.WHY: self._why.get(path, "")}
        return {
            row: found[row] if row in found else definition.value(row)
            for row in PROPERTIES[definition.kind]
            if not row.secret and row is not rows.AFFECT_CHILDREN
        }

    def __iter__(self) -> Iterator[BridgeDefinition]:
        return iter([self._objects[path] for path in sorted(self._objects, key=_from_top)])

    # Changing

    def create(self, definition: BridgeDefinition, then: Then) -> None:
        """Have an object created; see `creation`."""
        self._submit(self.creation(definition), then)

    def creation(self, definition: BridgeDefinition) -> Change[None]:
        """Return the change that creates an object, which is stopped.

        Raises `EveryplaceError` NOT_FOUND without that above it, NOT_ALLOWED for one that is there, ADMIN_INVALID_FIELD
        for TLS that cannot be.
        """
        path = definition.path
        if not path:
            raise EveryplaceError(Code.ADMIN_ACTION_NOT_SUPPORTED, "bridges are always there")
        if path in self._objects:
            raise EveryplaceError(Code.NOT_ALLOWED, f"there is a {definition}")
        if len(path) > 1:
            self.find(path[:-1])
        check_tls(definition)
        self._objects[path] = definition
        return Change(None, [Registry.put_bridge_object(definition)], None, lambda: self._forget([path]))

    def update(self, path: BridgePath, values: Mapping[Property, Any], then: Then) -> None:
        """Have properties of an object altered; see `alteration`."""
        self._submit(self.alteration(path, values), then)

    def alteration(self, path: BridgePath, values: Mapping[Property, Any]) -> Change[None]:
        """Return the change that gives properties other values; one that runs starts anew with them.

        Raises `EveryplaceError`.
        """
        before = self.find(path)
        after = before.altered(values)
        check_tls(after)
        self._objects[path] = after

        def revert() -> None:
            self._objects[path] = before

        def apply() -> None:
            if self.runs(path) and self._objects.get(path) is after:
                running = [each for each in [path, *self.below(path)] if self.runs(each)]
                self.stop(path)
                for each in running:
                    self._start(each)

        return Change(None, [Registry.put_bridge_object(after)], apply, revert)

    def delete(self, path: BridgePath, then: Then, *, children: bool = False) -> None:
        """Have an object deleted; see `deletion`."""
        self._submit(self.deletion(path, children=children), then)

    def deletion(self, path: BridgePath, *, children: bool = False) -> Change[None]:
        """Stop an object, and return the change that deletes it, with ``children`` all below it too.

        Raises `EveryplaceError` NOT_FOUND, NOT_ALLOWED for one that has children.
        """
        definition = self.find(path)
        gone = [path, *self.below(path)]
        if len(gone) > 1 and not children:
            raise EveryplaceError(Code.NOT_ALLOWED, f"{definition} has {len(gone) - 1} objects below it")
        self.stop(path)
        kept = {each: self._objects.pop(each) for each in gone}
        operations = [Registry.remove_bridge_object(each) for each in gone]
        return Change(None, operations, None, lambda: self._objects.update(kept))

    def _forget(self, paths: list[BridgePath]) -> None:
        for path in paths:
            self.stop(path)
            self._objects.pop(path, None)

    def _submit(self, change: Change[Any], then: Then) -> None:
        def written(committed: bool) -> None:
            then(Done() if committed else Refused(Code.STORE, "the store refuses it"))

        self._committer.submit(change, written)

    # Run states

    def start_up(self) -> None:
        """Start all objects whose rules agree, below those that run (E-400)."""
        self._running.add(ALL)
        for definition in self:
            if self.runs(definition.path[:-1]) and self._starts_up(definition):
                self._start(definition.path)

    def start(self, path: BridgePath, *, children: bool = False) -> None:
        """Start an object: first those above it that are stopped, afterwards, if ``children``, all below it (E-397).

        Raises `EveryplaceError` NOT_FOUND.
        """
        if path:
            self.find(path)
        for end in range(len(path) + 1):
            self._start(path[:end])
        if children:
            for each in self.below(path):
                self._start(each)

    def _start(self, path: BridgePath) -> None:
        if path in self._running:
            return
        self._running.add(path)
        self._why.pop(path, None)
        if path:
            self._workers.started(self._objects[path])

    def stop(self, path: BridgePath, why: str = "") -> None:
        """Stop an object, after all below it (E-398). ``why``: for displays. Raises `EveryplaceError` NOT_FOUND."""
        if path:
            self.find(path)
        for each in [*reversed(self.below(path)), path]:
            if each in self._running:
                self._running.discard(each)
                if each:
                    self._workers.stopped(each)
        if why:
            self._why[path] = why

    def why(self, path: BridgePath) -> str:
        """Return why an object has stopped, or what it waits for; blank if there is nothing to say."""
        return self._why.get(path, "")

    def note(self, path: BridgePath, why: str) -> None:
        """Note what an object waits for; empty when it works again."""
        if why:
            self._why[path] = why
        else:
            self._why.pop(path, None)


def _from_top(path: BridgePath) -> tuple[int, BridgePath]:
    return len(path), path
