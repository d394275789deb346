"""Definitions that a device's own program makes; administration messages do the same from elsewhere."""

from __future__ import annotations

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.secrets import Secrets
from mqbridge.protocol.everyplace.calls import Done

from .engine import Engine


class Definitions:
    """Queues, connections and listeners of one device. All calls raise `EveryplaceError`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def define(self, definition: QueueDefinition | ConnectionDefinition | ListenerDefinition) -> None:
        """Define a queue, a connection, or a listener, which is started (E-223, E-251, E-260)."""
        engine, manager = self._engine, self._engine.manager
        match definition:
            case QueueDefinition():
                engine.ask(lambda then: manager.define_queue(definition, then))
            case ConnectionDefinition():
                engine.ask(lambda then: manager.define_connection(definition, then))
            case ListenerDefinition(name):
                listeners = manager.objects.listeners
                engine.ask(lambda then: manager.define(lambda: listeners.create(definition), then))
                engine.ask(lambda then: manager.define(lambda: listeners.start(name), then))

    def keep_secret(self, queue_manager: str, name: str, value: bytes) -> None:
        """Keep what proves who another queue manager is, or this one to it. ``name``: as in `secrets`; an empty value
        is removed."""
        secrets = Secrets(self._engine.store, self._engine.manager.security)
        change = Change(Done(), [secrets.keep(queue_manager, name, value)])
        self._engine.ask(lambda then: self._engine.manager.define(lambda: change, then))
