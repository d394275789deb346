"""A worker thread that checks passwords, because a hash takes a few tenths of a second."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mqbridge.bridge.agents.gateway.effects import CheckPassword


class PasswordThread:
    """A worker thread for password checks, one after the other; it starts with the first one.

    ``call_from_thread(function, *arguments)`` calls in the reactor's thread; ``done`` is called there with the effect
    and its outcome.
    """

    def __init__(self, call_from_thread: Callable[..., Any], done: Callable[[CheckPassword, bool], None]) -> None:
        self._call_from_thread = call_from_thread
        self._done = done
        self._pool: ThreadPoolExecutor | None = None

    def check(self, effect: CheckPassword) -> None:
        """Queue a password check; `stop` discards those that wait."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "passwords")
        self._pool.submit(self._work, effect)

    def stop(self) -> None:
        """End the thread after the current check."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _work(self, effect: CheckPassword) -> None:
        try:
            matched = effect.attempt.matches()
        except Exception:  # those behind it wait for this one's outcome
            matched = False
        self._call_from_thread(self._done, effect, matched)
