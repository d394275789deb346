"""Events for the listeners of programs, each called in one thread of its own, with no lock held (E-205)."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import TypeAlias

from mqbridge.bridge.everyplace.programs import Listener
from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address

from .engine import Engine

Hear: TypeAlias = Callable[[MessageEvent], None]


class Events:
    """The listeners of one queue manager. What a listener raises ends nothing: ``failed`` gets it.

    The thread is there from the first listener on.
    """

    def __init__(self, engine: Engine, failed: Callable[[Exception], None]) -> None:
        self._engine = engine
        self._failed = failed
        self._waiting: SimpleQueue[tuple[Hear, MessageEvent] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def listen(self, address: Address, wanted: Fields, hear: Hear) -> Listener:
        """Call ``hear`` for each message that becomes visible on a local queue and fits. Raises `EveryplaceError`."""
        engine = self._engine
        with engine.lock:
            engine.require_open()
            found = engine.manager.programs.listen(address, wanted, lambda event: self._waiting.put((hear, event)))
        if self._thread is None:
            self._thread = Thread(target=self._run, name="events", daemon=True)
            self._thread.start()
        return found

    def remove(self, listener: Listener) -> None:
        """End a listener. Raises `EveryplaceError`."""
        with self._engine.lock:
            self._engine.manager.programs.remove(listener)

    def close(self) -> None:
        """End the thread."""
        self._waiting.put(None)

    def _run(self) -> None:
        while (found := self._waiting.get()) is not None:
            hear, event = found
            try:
                hear(event)
            except Exception as error:  # a listener may be anybody's
                self._failed(error)
