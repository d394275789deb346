"""The store's single writer: a thread that commits gathered units together."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from mqbridge.bridge.agents.gateway.driver_interface import PendingCommit, Store, StoreDamaged, StoreError

SWITCH_INTERVAL = 0.0005
"""Seconds after which a busy thread yields the interpreter. With Python's 5 ms a commit waits several times."""
MAX_TOGETHER = 1000
"""Maximum number of units in one transaction."""

Answer = Callable[[list[PendingCommit], "list[StoreError | None]"], None]


class StoreWriter:
    """The writer thread: commits units in the order of `submit`, at once when idle, together when busy (group commit).

    After the sync, ``call_in_main`` runs ``answer``, which must call `answered`. `stop` waits for submitted units.
    """

    def __init__(self, store: Store, call_in_main: Callable[..., object], answer: Answer) -> None:
        self._store = store
        self._call_in_main = call_in_main
        self._answer = answer
        self._queue: SimpleQueue[list[PendingCommit] | None] = SimpleQueue()
        self.outstanding = 0
        """Units submitted and not answered yet."""
        self.outstanding_bytes = 0
        """Bytes of their message data in memory."""
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)

    def start(self) -> None:
        """Start the thread, and shorten the interpreter's switch interval so that it runs soon while the main thread is
        busy."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._thread.start()

    def submit(self, units: list[PendingCommit]) -> None:
        """Queue units, in order."""
        self.outstanding += len(units)
        self.outstanding_bytes += sum(map(_bytes_held, units))
        self._queue.put(units)

    def stop(self) -> None:
        """End the thread after all submitted units; answers may still be on their way to the main thread."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def answered(self, units: list[PendingCommit]) -> None:
        """Count units as answered; called in the main thread."""
        self.outstanding -= len(units)
        self.outstanding_bytes -= sum(map(_bytes_held, units))

    def _run(self) -> None:
        while True:
            gathered = self._queue.get()
            last = gathered is None
            units = list(gathered or ())
            while not last and len(units) < MAX_TOGETHER and not self._queue.empty():
                more = self._queue.get()
                last = more is None
                units.extend(more or ())
            if units:
                errors: list[StoreError | None]
                try:
                    errors = self._store.commit([unit.operations for unit in units])
                except Exception as error:
                    damage = StoreDamaged(f"the store failed: {error!r}", "commit")
                    errors = [error if isinstance(error, StoreError) else damage] * len(units)
                self._call_in_main(self._answer, units, errors)
            if last:
                return


def _bytes_held(commit: PendingCommit) -> int:
    return commit.unit.bytes_held if commit.unit is not None else 0
