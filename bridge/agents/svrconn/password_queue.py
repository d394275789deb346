"""The order of password checks: one at a time, addresses in turn, each with a short queue.

A hash takes a few tenths of a second on purpose. So a client that sends many passwords only waits for its own; if its
queue is full it is refused without a check. Identical users and passwords waiting at the same time are checked once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mqbridge.bridge.security import LoginAttempt, address_key
from mqbridge.mappings.moment import Time

MAX_FOR_ADDRESS: Final = 10
"""Waiting checks for one address, in addition to the one in progress."""
MAX_WAITING: Final = 128
"""Waiting checks of all addresses: about a minute's work."""

OnChecked: TypeAlias = Callable[[bool | None, Time], None]
"""Called once with whether the password is correct, None if not checked; and the time."""


@dataclass(slots=True, eq=False)
class CheckPassword:
    """Effect: call ``attempt.matches()``, which takes long and may run in any thread, then ``then(outcome, now)``."""

    attempt: LoginAttempt
    then: Callable[[bool, Time], None]


@dataclass(slots=True, eq=False)
class _QueuedCheck:
    """One check, and the callbacks for its result."""

    attempt: LoginAttempt
    address: str
    callbacks: dict[LoginAttempt, OnChecked] = field(default_factory=dict)


class PasswordQueue:
    """The password checks of one queue manager. ``emit`` takes the effect that starts the next one."""

    __slots__ = ("_by_password", "_current", "_emit", "_lines", "_waiting")

    def __init__(self, emit: Callable[[CheckPassword], None]) -> None:
        self._emit = emit
        self._lines: dict[str, deque[_QueuedCheck]] = {}
        self._by_password: dict[bytes, _QueuedCheck] = {}
        self._current: _QueuedCheck | None = None
        self._waiting = 0

    def __len__(self) -> int:
        return self._waiting

    def check(self, attempt: LoginAttempt, on_checked: OnChecked, now: Time) -> None:
        """Queue a password check."""
        check = self._by_password.get(attempt.same)
        if check is not None:
            check.callbacks[attempt] = on_checked
            return
        address = address_key(attempt.address)
        line = self._lines.get(address, ())
        if len(line) >= MAX_FOR_ADDRESS or (self._waiting >= MAX_WAITING and not self._make_room(len(line), now)):
            on_checked(None, now)
            return
        check = self._by_password[attempt.same] = _QueuedCheck(attempt, address, {attempt: on_checked})
        self._lines.setdefault(address, deque()).append(check)
        self._waiting += 1
        self._next()

    def drop(self, attempt: LoginAttempt) -> bool:
        """Drop a check whose result nobody awaits. Returns whether it was dropped: one in progress still counts, and
        its callback is called."""
        check = self._by_password.get(attempt.same)
        if check is not None and attempt in check.callbacks:
            if check is self._current:
                return False
            del check.callbacks[attempt]
            if not check.callbacks:
                self._lines[check.address].remove(check)
                self._remove(check)
        return True

    def _make_room(self, length: int, now: Time) -> bool:
        """Refuse the last check of the longest queue, if that is longer than a queue of ``length`` will be."""
        longest = max(self._lines.values(), key=len)
        if len(longest) <= length + 1:
            return False
        check = longest.pop()
        self._remove(check)
        for on_checked in check.callbacks.values():
            on_checked(None, now)
        return True

    def _remove(self, check: _QueuedCheck) -> None:
        """Remove a waiting check."""
        self._waiting -= 1
        self._by_password.pop(check.attempt.same, None)
        if not self._lines[check.address]:
            del self._lines[check.address]

    def _next(self) -> None:
        """Start the first check of the address whose turn it is."""
        if self._current is not None or not self._lines:
            return
        address = next(iter(self._lines))
        line = self._lines.pop(address)
        self._lines[address] = line  # behind the others, until its next turn
        check = line.popleft()
        self._remove(check)
        self._by_password[check.attempt.same] = self._current = check
        self._emit(CheckPassword(check.attempt, self._checked))

    def _checked(self, matched: bool, now: Time) -> None:
        check, self._current = self._current, None
        assert check is not None
        del self._by_password[check.attempt.same]
        self._next()
        for on_checked in check.callbacks.values():
            on_checked(matched, now)
