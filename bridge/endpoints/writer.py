"""The store's single writer: a thread that commits whatever has gathered, together, and answers each unit."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from mqbridge.bridge.agents.gateway.driver_interface import PendingCommit, Store, StoreDamaged, StoreError

SWITCH_INTERVAL = 0.0005
"""Seconds after which a busy thread gives way. With Python's 5 ms a commit waits for the main thread several times."""
MAX_TOGETHER = 1000
"""Units that share one transaction at the most."""

Answer = Callable[[list[PendingCommit], "list[StoreError | None]"], None]


class StoreWriter:
    """Commits units in the order of `submit`: at once when idle, together when busy (group commit).

    ``answer`` is called in the thread of ``call_in_main`` after the sync, and calls `answered`. `stop` waits for what
    was submitted.
    """

    def __init__(self, store: Store, call_in_main: Callable[..., object], answer: Answer) -> None:
        self._store = store
        self._call_in_main = call_in_main
        self._answer = answer
        self._queue: SimpleQueue[list[PendingCommit] | None] = SimpleQueue()
        self.outstanding = 0
        """Units submitted and not answered yet."""
        self.outstanding_bytes = 0
        """Message data of these units that are in memory."""
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)

    def start(self) -> None:
        """Starts the thread, and lets it have the interpreter soon even while the main thread is busy."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._thread.start()

    def submit(self, units: list[PendingCommit]) -> None:
        """Hands units over, in order."""
        self.outstanding += len(units)
        self.outstanding_bytes += sum(map(_bytes_held, units))
        self._queue.put(units)

    def stop(self) -> None:
        """Ends the thread after everything that was submitted; answers may still be on their way to the main thread."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def answered(self, units: list[PendingCommit]) -> None:
        """In the main thread: units have been answered."""
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
