"""Whose password is looked at next: one at a time, addresses take turns, and each has a short line.

A hash takes a few tenths of a second on purpose. So whoever sends many passwords stands in a line of his own, and
waits for nobody but himself; who finds his line full is refused without a look at the password. The same user and
password, given often at one time, are looked at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mqbridge.bridge.security import LoginAttempt, address_key

MAX_FOR_ADDRESS: Final = 10
"""Passwords of an address that may wait for a look, beside the one that is looked at."""
MAX_WAITING: Final = 128
"""Passwords of all addresses that may wait: about a minute of looking."""

Told: TypeAlias = Callable[[bool | None, float], None]
"""Called once with whether the password is right, None: not looked at; and the time."""


@dataclass(slots=True, eq=False)
class CheckPassword:
    """Call ``attempt.matches()``, which takes long and may be done in any thread, then ``then(outcome, now)``."""

    attempt: LoginAttempt
    then: Callable[[bool, float], None]


@dataclass(slots=True, eq=False)
class _Look:
    """One look, and whom its outcome is for."""

    attempt: LoginAttempt
    address: str
    told: dict[LoginAttempt, Told] = field(default_factory=dict)


class PasswordTurns:
    """The passwords of one queue manager's clients. ``emit`` takes the effect by which the next one is looked at."""

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
        """Has the password of an attempt looked at when its turn comes."""
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
        """Nobody waits for the outcome of an attempt any more. Whether it is dropped: one that is being looked at still
        counts, and whom it is for is told."""
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
        """Turns away the last of the longest line, if that is longer than a line of ``length`` will be."""
        longest = max(self._lines.values(), key=len)
        if len(longest) <= length + 1:
            return False
        look = longest.pop()
        self._gone(look)
        for told in look.told.values():
            told(None, now)
        return True

    def _gone(self, look: _Look) -> None:
        """A look does not wait any more."""
        self._waiting -= 1
        self._looks.pop(look.attempt.same, None)
        if not self._lines[look.address]:
            del self._lines[look.address]

    def _next(self) -> None:
        """Has the first of the address looked at whose turn it is."""
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
