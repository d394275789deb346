"""The listeners of a device: a thread for each, which waits for callers."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .adapters.interface import Adapter, ListeningAdapter
from .adapters.table import AdapterTable


class Listeners:
    """The listeners that run, by name."""

    def __init__(self, adapters: AdapterTable) -> None:
        self._adapters = adapters
        self._running: dict[str, ListeningAdapter] = {}

    def start(self, definition: ListenerDefinition, called: Callable[[Adapter], None]) -> None:
        """Accept callers, in place of a listener of this name. Raises `EveryplaceError`."""
        self.stop(definition.name)
        listening = self._adapters.find(definition.adapter).listening(definition)
        listening.open()
        self._running[definition.name] = listening

        def work() -> None:
            while True:
                try:
                    adapter = listening.wait_for_contact()
                except EveryplaceError:
                    return
                called(adapter)

        Thread(target=work, name=f"listener {definition.name}", daemon=True).start()

    def stop(self, name: str) -> None:
        """Accept no more callers (E-236)."""
        found = self._running.pop(name, None)
        if found is not None:
            found.close()

    def close(self) -> None:
        """Stop all."""
        for name in list(self._running):
            self.stop(name)
