"""Throttling of failed logins: failures are counted by address and by user, and expire with time.

Each key has a level. A failure adds 1, and one failure is forgiven every `FORGIVEN_EVERY` seconds; pending attempts
count like failures. Above its allowance a key waits before each attempt, twice as long for each failure, up to its
limit; simultaneous attempts of one key queue up. A user is delayed only slightly, and hardly at all from an address
without failures, so that nobody can be locked out by a stranger; an address whose queue is longer than `LONGEST_LINE`
is refused without checking the password.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

FORGIVEN_EVERY: Final = 10.0
"""Seconds after which one failure is forgiven."""
FREE_FOR_USER: Final = 5
FREE_FOR_ADDRESS: Final = 20
"""Failures without a delay."""
FIRST_DELAY: Final = 0.5
"""Delay after the first failure above the allowance, in seconds."""
LONGEST_FOR_USER: Final = 5.0
LONGEST_FOR_ADDRESS: Final = 30.0
"""Longest delay in seconds."""
LONGEST_FOR_STRANGER: Final = 0.5
"""Longest delay, in seconds, caused by a user's failures at an address without failures of its own."""
LONGEST_LINE: Final = 60.0
"""Longest time in the queue in seconds; further attempts are refused at once."""
MAX_KEYS: Final = 10_000
"""Number of keys; beyond it those with the lowest level are dropped."""


@dataclass(slots=True)
class _Record:
    """State of one key: its level at the time ``at``, the end of its queue, pending attempts."""

    level: float
    at: float
    line: float = 0.0
    under_way: int = 0

    def level_at(self, now: float) -> float:
        return max(self.level - max(now - self.at, 0.0) / FORGIVEN_EVERY, 0.0)

    def weight(self, now: float) -> float:
        """Return its level including pending attempts."""
        return self.level_at(now) + self.under_way


class Throttle:
    """Failures of one queue manager's clients. Times are seconds since the epoch."""

    __slots__ = ("_records",)

    def __init__(self) -> None:
        self._records: dict[tuple[str, str], _Record] = {}

    def __len__(self) -> int:
        return len(self._records)

    def enter(self, address: str, user: str, now: float) -> float | None:
        """Return when an attempt may be checked; None to refuse it, because there are too many. Others must `leave`."""
        of_address, of_user = self._record("address", address_key(address), now), self._record("user", user, now)
        by_address = _line(of_address, FREE_FOR_ADDRESS, LONGEST_FOR_ADDRESS, now)
        if by_address - now > LONGEST_LINE:
            return None
        longest = LONGEST_FOR_USER if of_address.level_at(now) else LONGEST_FOR_STRANGER
        by_user = min(_line(of_user, FREE_FOR_USER, LONGEST_FOR_USER, now), now + longest)
        for record, until in ((of_address, by_address), (of_user, by_user)):
            record.under_way += 1
            if until > now:
                record.line = until
        return max(by_address, by_user)

    def leave(self, address: str, user: str) -> None:
        """Note that an attempt is no longer pending."""
        for key in (("address", address_key(address)), ("user", user)):
            record = self._records.get(key)
            if record is not None:
                record.under_way = max(record.under_way - 1, 0)

    def failed(self, address: str, user: str, now: float) -> tuple[bool, bool]:
        """Count a failure; return whether it makes the address, or the user, subject to delays."""
        return (
            self._count("address", address_key(address), FREE_FOR_ADDRESS, now),
            self._count("user", user, FREE_FOR_USER, now),
        )

    def succeeded(self, user: str) -> None:
        """Forgive the failures of the user, not those of the address: the password was correct."""
        record = self._records.get(("user", user))
        if record is not None:
            record.level = record.line = 0.0

    def _record(self, kind: str, name: str, now: float) -> _Record:
        record = self._records.get((kind, name))
        if record is None:
            if len(self._records) >= MAX_KEYS:
                self._forget(now)
            record = self._records[kind, name] = _Record(0.0, now)
        return record

    def _count(self, kind: str, name: str, free: int, now: float) -> bool:
        record = self._record(kind, name, now)
        before = record.level_at(now)
        record.level, record.at = before + 1, now
        return before <= free < record.level

    def _forget(self, now: float) -> None:
        """Drop half of the keys: those with the lowest levels."""
        kept = sorted(self._records.items(), key=lambda item: item[1].weight(now), reverse=True)[: MAX_KEYS // 2]
        self._records = dict(kept)


def _line(record: _Record, free: int, longest: float, now: float) -> float:
    """Return the end of a key's queue with one more attempt."""
    above = record.weight(now) - free
    if above <= 0:
        return now
    return max(record.line, now) + min(FIRST_DELAY * math.exp2(min(above - 1, 30.0)), longest)


def address_key(address: str) -> str:
    """Return the part of an address that is counted: all of an IPv4 address, the first 64 bits of an IPv6 one."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return str(found)
