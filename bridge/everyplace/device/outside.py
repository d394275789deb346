"""What a queue manager tells its program: alarms and notices, in a thread of its own.

A program that takes its time, or makes calls, holds up nothing then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread, current_thread
from typing import Final

from mqbridge.bridge.everyplace.effects import Alarm, AskMq, AskPartner, Audit, Effect, MessageArrived, Notice
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code

from .options import Options

_PATIENCE: Final = 5.0
"""Seconds that calls may take at the end."""


class Outside:
    """Performs effects that are no bytes. ``name``: of the queue manager."""

    def __init__(self, name: str, options: Options) -> None:
        self._name = name
        self._options = options
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None

    def perform(self, effect: Effect) -> None:
        """Do what an effect asks for; under the lock of the engine."""
        options = self._options
        match effect:
            case MessageArrived(listener, event):
                listener(event)  # which has a thread of its own
            case Alarm():
                self._later(lambda: options.alarm(effect))
            case Notice() | Audit() if options.notice is not None:
                notice = options.notice
                self._later(lambda: notice(effect))
            case AskPartner():
                text = f"{effect.call.address} is asked at once, and {self._name} is open without connections"
                effect.then(Refused(Code.ADAPTER_EXCEPTION, text))
            case AskMq():
                text = f"{effect.queue} is a queue of MQ, and a device has no bridge"
                effect.then(Refused(Code.NOT_SUPPORTED, text))

    def close(self) -> None:
        """Make the calls that are left, unless they take too long."""
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not current_thread():
            self._calls.put(None)
            thread.join(_PATIENCE)

    def _later(self, call: Callable[[], None]) -> None:
        self._calls.put(call)
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run, name=f"events of {self._name}", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                call()
            except Exception:  # of the program, which gets all further calls too
                import traceback

                traceback.print_exc(file=sys.stderr)
