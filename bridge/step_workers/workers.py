"""Workers of Python steps: a process for each function, so that none disturbs another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mqbridge.mappings.transformations import CallPython

from .worker_of_target import Answered, Log, PendingCall, TargetWorker


def _nothing() -> None:
    """Nobody waits for the end of answers."""


class StepWorkers:
    """Calls Python functions in processes of their own.

    ``folders``: searched for modules first. ``log`` logs operator messages. Calls of one function are made in order,
    one at a time. A process that hangs, ends or sends rubbish is killed and replaced; the call fails, the calls behind
    it are made. All processes end with this one, however it ends. ``passed`` is called when answers that came together
    were passed on.
    """

    def __init__(self, reactor: Any, log: Log, folders: Sequence[str] = ()) -> None:
        self._reactor = reactor
        self._log = log
        self._folders = tuple(folders)
        self._workers: dict[str, TargetWorker] = {}
        self._running = True
        self.passed: Callable[[], None] = _nothing

    def load(self, targets: Iterable[str], loaded: Callable[[dict[str, str]], None]) -> None:
        """Start the processes of functions (``"module:function"``) and import their modules.

        ``loaded`` gets the reason for each function that cannot be called; it is called when all are known.
        """
        missing = set(targets)
        faults: dict[str, str] = {}

        def one(target: str, fault: str) -> None:
            if fault:
                faults[target] = fault
            missing.discard(target)
            if not missing:
                loaded(faults)

        if not missing:
            loaded(faults)
        for target in sorted(missing):
            self._worker(target).load(lambda fault, target=target: one(target, fault))  # type: ignore[misc]

    def call(self, call: CallPython, answered: Answered) -> PendingCall:
        """Call a function; ``answered`` gets its messages or a `FunctionFailed`, once, sometimes before this returns.

        The value returned can `abandon` the call.
        """
        if not self._running:
            return PendingCall(call, None)
        return self._worker(call.target).call(call, answered)

    def pid(self, target: str) -> int | None:
        """Return the number of a function's process; None if there is none."""
        worker = self._workers.get(target)
        return None if worker is None else worker.pid

    def stop(self) -> None:
        """Kill all processes; no call is answered any more."""
        self._running = False
        for worker in self._workers.values():
            worker.stop()

    def _worker(self, target: str) -> TargetWorker:
        worker = self._workers.get(target)
        if worker is None:
            worker = self._workers[target] = TargetWorker(
                self._reactor, target, self._folders, self._log, lambda: self.passed()
            )
        return worker
