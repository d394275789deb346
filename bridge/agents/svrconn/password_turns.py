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

MAX_FOR_ADDRESS: Final = 10
"""Waiting checks for one address, in addition to the one in progress."""
MAX_WAITING: Final = 128
"""Waiting checks of all addresses: about a minute's work."""

Told: TypeAlias = Callable[[bool | None, float], None]
"""Called once with whether the password is correct, None if not checked; and the time."""


@dataclass(slots=True, eq=False)
class CheckPassword:
    """Effect: call ``attempt.matches()``, which takes long and may run in any thread, then ``then(outcome, now)``."""

    attempt: LoginAttempt
    then: Callable[[bool, float], None]


@dataclass(slots=True, eq=False)
class _Look:
    """One check, and the callbacks for its result."""

    attempt: LoginAttempt
    address: str
    told: dict[LoginAttempt, Told] = field(default_factory=dict)


class PasswordTurns:
    """The password checks of one queue manager. ``emit`` takes the effect that starts the next one."""

    __slots__ = ("_emit", "_lines", "_looking", "_looks", "_waiting")

    def __init__(self, emit: Callable[[CheckPassword], None]) -> None:
        self._emit = emit
        self._lines: dict[str, deque[_Look]] = {}
        self._looks: dict[bytes, _Look] = {}
        self._looking: _Look | None = None
        self._waiting = 0

    def __len__(self) -> int:
        return self._waiting

    def look(self, attempt: LoginAttempt, told: Told, now: float) -> None:
        """Queue a password check."""
        look = self._looks.get(attempt.same)
        if look is not None:
            look.told[attempt] = told
            return
        address = address_key(attempt.address)
        line = self._lines.get(address, ())
        if len(line) >= MAX_FOR_ADDRESS or (self._waiting >= MAX_WAITING and not self._make_room(len(line), now)):
            told(None, now)
            return
        look = self._looks[attempt.same] = _Look(attempt, address, {attempt: told})
        self._lines.setdefault(address, deque()).append(look)
        self._waiting += 1
        self._next()

    def drop(self, attempt: LoginAttempt) -> bool:
        """Drop a check whose result nobody awaits. Returns whether it was dropped: one in progress still counts, and
        its callback is called."""
        look = self._looks.get(attempt.same)
        if look is not None and attempt in look.told:
            if look is self._looking:
                return False
            del look.told[attempt]
            if not look.told:
                self._lines[look.address].remove(look)
                self._gone(look)
        return True

    def _make_room(self, length: int, now: float) -> bool:
        """Refuse the last check of the longest queue, if that is longer than a queue of ``length`` will be."""
        longest = max(self._lines.values(), key=len)
        if len(longest) <= length + 1:
            return False
        look = longest.pop()
        self._gone(look)
        for told in look.told.values():
            told(None, now)
        return True

    def _gone(self, look: _Look) -> None:
        """Remove a waiting check."""
        self._waiting -= 1
        self._looks.pop(look.attempt.same, None)
        if not self._lines[look.address]:
            del self._lines[look.address]

    def _next(self) -> None:
        """Start the first check of the address whose turn it is."""
        if self._looking is not None or not self._lines:
            return
        address = next(iter(self._lines))
        line = self._lines.pop(address)
        self._lines[address] = line  # behind the others, until its next turn
        look = line.popleft()
        self._gone(look)
        self._looks[look.attempt.same] = self._looking = look
        self._emit(CheckPassword(look.attempt, self._looked))

    def _looked(self, matched: bool, now: float) -> None:
        look, self._looking = self._looking, None
        assert look is not None
        del self._looks[look.attempt.same]
        self._next()
        for told in look.told.values():
            told(matched, now)
