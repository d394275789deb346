"""A Twisted reactor of its own in a thread: tests talk to it with plain blocking sockets."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from twisted.internet.threads import blockingCallFromThread

from mqbridge.bridge.endpoints.lean_reactor import LeanReactor

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds until a test gives something up; nothing takes so long when all is well."""


class ReactorThread:
    """Runs until `stop`; `call` does something inside and gives the result (of a Deferred too)."""

    def __init__(self) -> None:
        self.reactor: Any = LeanReactor()
        self.errors: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, name="reactor", daemon=True)
        started = threading.Event()
        self.reactor.callWhenRunning(started.set)
        self._thread.start()
        assert started.wait(PATIENCE)

    def _run(self) -> None:
        try:
            self.reactor.run(installSignalHandlers=False)
        except BaseException as error:
            self.errors.append(error)

    def call(self, action: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return blockingCallFromThread(self.reactor, action, *arguments, **options)

    def until(self, condition: Callable[[], T], what: str = "", within: float = PATIENCE) -> T:
        """Asks inside the reactor until the answer is true, and gives it."""
        end = time.monotonic() + within
        while not (answer := self.call(condition)):
            assert time.monotonic() < end, f"waited {within} s for {what or condition}"
            time.sleep(0.005)
        return answer

    def settled(self, figure: Callable[[], Any], still: float = 0.15) -> Any:
        """The figure once it has not changed for so many seconds."""
        end = time.monotonic() + PATIENCE
        last, since = self.call(figure), time.monotonic()
        while time.monotonic() - since < still:
            assert time.monotonic() < end, f"does not come to rest: {last}"
            time.sleep(0.005)
            if (now := self.call(figure)) != last:
                last, since = now, time.monotonic()
        return last

    def stop(self) -> None:
        self.reactor.callFromThread(self.reactor.stop)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self.reactor.waker.connectionLost(None)
        assert not self.errors, self.errors
