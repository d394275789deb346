"""Listeners as administration defines, starts and stops them (E-260, E-261)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.properties import Alterable, Property
from mqbridge.bridge.everyplace.effects import StartListener, StopListener
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError


class Listeners:
    """The listeners of one queue manager. ``table``: them by name; all of the registry are started with the queue
    manager (E-231). ``tell``: gets the effects that start and stop them, when the change is on disk."""

    def __init__(self, name: str, registry: Registry, tell: Callable[[StartListener | StopListener], None]) -> None:
        self._name = name
        self._tell = tell
        self.table = {each.name: replace(each, started=True) for each in registry.listeners()}

    def create(self, definition: ListenerDefinition) -> Change[None]:
        """Define a listener, which does not run yet (E-261). Raises `EveryplaceError` NOT_ALLOWED if it exists."""
        if definition.name in self.table:
            raise EveryplaceError(Code.NOT_ALLOWED, f"there is a listener {definition.name}")
        return self._put(replace(definition, started=False))

    def update(self, name: str, values: Mapping[Property, Any]) -> Change[dict[Property, EveryplaceError]]:
        """Give properties other values, None for the default; they hold from its next start on.

        The result says which could not, and why (E-280). Raises `EveryplaceError` NOT_FOUND.
        """
        before = now = self.find(name)
        errors: dict[Property, EveryplaceError] = {}
        for row, value in values.items():
            try:
                if row.alterable is not Alterable.ALWAYS:
                    raise row.invalid(f"it is given a value {row.alterable.value}", Code.NOT_ALLOWED)
                wanted = row.default if value is None else row.checked(value)
                now = replace(now, **{row.attribute: wanted})
            except EveryplaceError as error:
                errors[row] = error
        return Change(errors) if now is before else self._put(now).then(lambda _: errors)

    def delete(self, name: str) -> Change[None]:
        """Delete a listener. Raises `EveryplaceError` NOT_FOUND, ACTIVE for one that runs."""
        before = self.find(name)
        if before.started:
            raise EveryplaceError(Code.ACTIVE, f"listener {name} of {self._name} runs; stop it first")
        del self.table[name]
        return Change(None, [Registry.remove_listener(name)], None, lambda: self._restore(name, before))

    def start(self, name: str) -> Change[None]:
        """Start a listener; one that runs goes on. Raises `EveryplaceError` NOT_FOUND."""
        return self._run(name, started=True)

    def stop(self, name: str) -> Change[None]:
        """Stop a listener; it starts again with the queue manager. Raises `EveryplaceError` NOT_FOUND."""
        return self._run(name, started=False)

    def find(self, name: str) -> ListenerDefinition:
        """Return a listener. Raises `EveryplaceError` NOT_FOUND."""
        found = self.table.get(name)
        if found is None:
            raise EveryplaceError(Code.NOT_FOUND, f"{self._name} has no definition of a listener {name}")
        return found

    def _run(self, name: str, *, started: bool) -> Change[None]:
        before = self.find(name)
        if before.started == started:
            return Change(None)
        later = replace(before, started=started)
        effect = StartListener(later) if started else StopListener(name)
        self.table[name] = later
        write = Registry.put_listener(later)
        return Change(None, [write], lambda: self._tell(effect), lambda: self._restore(name, before))

    def _put(self, definition: ListenerDefinition) -> Change[None]:
        before = self.table.get(definition.name)
        self.table[definition.name] = definition
        return Change(None, [Registry.put_listener(definition)], None, lambda: self._restore(definition.name, before))

    def _restore(self, name: str, before: ListenerDefinition | None) -> None:
        self.table.pop(name, None)
        if before is not None:
            self.table[name] = before
