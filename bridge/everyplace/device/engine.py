"""A queue manager with its store, called by many threads.

The queue manager is called by one thread at a time, and its changes are committed by one at a time; while one waits for
the disk, others make their calls, so that what has come meanwhile is committed together.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Condition, Lock
from typing import Final, Protocol

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.life_cycle import CHECK, Phase
from mqbridge.bridge.everyplace.queue_manager import Pending, QueueManager
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.everyplace.calls import Call, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

_LOOK: Final = 0.5
"""Most seconds that a call waits for its outcome without a look at what is due."""
_SHORTEST: Final = 0.01


class Follower(Protocol):
    """What looks at the queue manager after calls: connections, alarms."""

    def follow(self) -> None:
        """Take effects; called under the engine's lock, when everything is committed."""
        ...


class Engine:
    """``manager``: to be called under `lock` alone, with `settle` behind it. ``clock``: seconds since 1970.
    ``changes``: a number that rises with every change."""

    def __init__(self, store: Store, manager: QueueManager, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.manager = manager
        self.clock = clock
        self.lock = Lock()
        self.follower: Follower | None = None
        self.changes = 0
        self._writing = Lock()
        self._changed = Condition(self.lock)
        self._waiting = 0
        self._entering = 0
        self._closed = ""

    def call(self, call: Call, timeout: float | None = None) -> Outcome:
        """Make a call, and return its outcome when it is on disk.

        ``timeout``: seconds for an answer of another queue manager. Raises `EveryplaceError`.
        """
        found: list[Outcome] = []
        with self.lock:
            self.require_open()
            self.manager.call(call, found.append, self.clock())
            self._entering += 1
        self._settle()
        return self._outcome(found, timeout)

    def ask(self, start: Callable[[Callable[[Outcome], None]], None], timeout: float | None = None) -> Outcome:
        """Start something under the lock, and return the outcome that it is given later. Raises `EveryplaceError`."""
        found: list[Outcome] = []
        with self.lock:
            self.require_open()
            start(found.append)
            self._entering += 1
        self._settle()
        return self._outcome(found, timeout)

    def _outcome(self, found: list[Outcome], timeout: float | None) -> Outcome:
        """Wait for an outcome. Raises `EveryplaceError`."""
        if not found:
            self._await(found, timeout)
        outcome = found[0]
        if isinstance(outcome, Refused):
            raise outcome.error()
        return outcome

    def settle(self) -> None:
        """Have everything committed that is pending, then let the follower see what has become of it.

        Who waits to do this too goes on where this call has ended its own work.
        """
        with self.lock:
            self._entering += 1
        self._settle()

    def _settle(self) -> None:
        manager, lock = self.manager, self.lock
        with self._writing:
            with lock:
                self._entering -= 1
                pending = self._take()
            while pending:
                errors = self.store.commit([each.operations for each in pending])
                with lock:
                    for each, error in zip(pending, errors, strict=True):
                        manager.committed(each, error)
                    self.changed()
                    pending = [] if self._entering else self._take()

    def changed(self) -> None:
        """Wake those that wait for changes; under the lock."""
        self.changes += 1
        if self._waiting:
            self._changed.notify_all()

    def _take(self) -> list[Pending]:
        """Return what is to be committed next, of what follows too."""
        found = self.manager.take_commits()
        if not found and self.follower is not None:
            self.follower.follow()
            found = self.manager.take_commits()
        return found

    def wait_changed(self, seen: int, seconds: float) -> None:
        """Wait until something is committed or comes after change number ``seen``; under the lock.

        Raises `EveryplaceError` CLOSED.
        """
        self._waiting += 1
        try:
            if self.changes == seen:
                self._changed.wait(seconds)
        finally:
            self._waiting -= 1
        self.require_open()

    def _await(self, found: list[Outcome], timeout: float | None) -> None:
        until = None if timeout is None else time.monotonic() + timeout
        while not found:
            left = _LOOK if until is None else until - time.monotonic()
            if left <= 0:
                raise EveryplaceError(Code.ADAPTER_EXCEPTION, f"no answer came in {timeout} s; it may come later")
            with self.lock:
                if not found:
                    due = self.manager.next_timeout() - self.clock()
                    self.wait_changed(self.changes, max(min(left, _LOOK, due), _SHORTEST))
            if not found:
                self.settle()

    def require_open(self) -> None:
        """Raise `EveryplaceError` CLOSED after `close`."""
        if self._closed:
            raise EveryplaceError(Code.CLOSED, self._closed)

    def end_life(self, quiesce: float) -> None:
        """Let the queue manager close: at once, or within so many seconds when nothing is under way any more."""
        life = self.manager.life
        with self.lock:
            if self._closed:
                return
            life.close_quiesce(int(quiesce * 1000), self.clock())
        self.settle()
        while life.phase is not Phase.CLOSED:
            time.sleep(CHECK / 2)
            with self.lock:
                life.timeout(self.clock())
            self.settle()

    def close(self) -> None:
        """Refuse further calls, wait for what is being written, and close the store."""
        with self.lock:
            if self._closed:
                return
            # The bound of times stands ahead; the next start goes on behind the last one that was given.
            self.manager.submit(Change(None, [self.manager.identities.rest()]), lambda _: None)
        self.settle()
        with self._writing, self.lock:
            if not self._closed:
                self._closed = f"queue manager {self.manager.name} is closed"
                self.changed()
                self.store.close()
