"""The objects of a queue manager: its queues, connections, listeners, properties, and data of programs (E-224)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions.manager_properties import (
    CHANNEL_ATTRIBUTE_RULE,
    RULE,
)
from mqbridge.bridge.everyplace.definitions.properties import Alterable, Property
from mqbridge.bridge.everyplace.effects import StartListener, StopListener
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.secrets import Secrets
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .connections import Connections
from .listeners import Listeners
from .queues import Hooks, Queues

_PLUG_INS = (RULE, CHANNEL_ATTRIBUTE_RULE)


class Objects:
    """``queues``, ``connections``, ``listeners``: the tables. ``properties``: of the queue manager itself.

    ``hooks``: of rules, and for names of plug-ins. ``tell``: gets the effects that start and stop listeners.
    ``security``: what protects messages on queues.
    """

    def __init__(
        self,
        name: str,
        store: Store,
        hooks: Hooks,
        tell: Callable[[StartListener | StopListener], None],
        security: Security | None = None,
    ) -> None:
        registry = Registry(store)
        self._registry = registry
        self._hooks = hooks
        self.properties = registry.properties()
        self.connections = Connections(name, registry, Secrets(store, security or Security()))
        self.listeners = Listeners(name, registry, tell)
        self.queues = Queues(name, store, hooks, lambda: self.connections.leads_to_mq, security or Security())

    def update(self, values: Mapping[Property, Any]) -> Change[dict[Property, EveryplaceError]]:
        """Give properties of the queue manager other values, None for the default (E-219, E-284).

        The result says which could not, and why.
        """
        before = now = self.properties
        errors: dict[Property, EveryplaceError] = {}
        for row, value in values.items():
            try:
                if row.alterable is not Alterable.ALWAYS:
                    raise row.invalid(f"it is given a value {row.alterable.value}")
                wanted = row.default if value is None else row.checked(value)
                if row in _PLUG_INS:
                    self._hooks.check(row, wanted)
                now = replace(now, **{row.attribute: wanted})
            except EveryplaceError as error:
                errors[row] = error
        if now is before:
            return Change(errors)
        self.properties = now

        def undone() -> None:
            self.properties = before

        return Change(errors, [self._registry.put_properties(now)], None, undone)
