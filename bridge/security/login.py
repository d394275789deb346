"""Checking user and password, with the same work and the same answer whether or not the user exists.

::

    attempt = authenticator.begin(user, password, address, now)
    if attempt.outcome is None:               # not before attempt.not_before, in a worker thread:
        matched = attempt.matches()
        authenticator.finish(attempt, matched, now)
    attempt.outcome                           # True or False

Pass an attempt whose client has gone to `leave`, one that cannot be checked in time to `turn_away`. A correct password
is remembered as a keyed digest until the user's hash changes, and identical concurrent attempts are checked once: the
many conversations of one client cost one hash.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from .passwords import MAX_PASSWORD, Cost, PasswordHash, decoy_hash
from .throttle import Throttle
from .users import MAX_NAME, User, Users

MAX_REMEMBERED: Final = 10_000
"""Number of users whose correct password is remembered."""
KEY_LENGTH: Final = 32
"""Length of the key of `Authenticator` in bytes."""

Line = tuple[str, tuple[str | int, ...]]
"""A line for the operator: message id and values."""


@dataclass(slots=True, eq=False)
class LoginAttempt:
    """A check of one user and password.

    ``not_before``: earliest time of the check. ``outcome``: whether user and password are correct; None until known.
    ``log``: lines for the operator, complete once there is an outcome. ``same``: equal for attempts that must have the
    same outcome.
    """

    user: str
    address: str
    not_before: float
    _password: bytes = field(repr=False)
    _hash: PasswordHash = field(repr=False)
    _known: User | None = None
    outcome: bool | None = None
    log: list[Line] = field(default_factory=list)
    same: bytes = field(default=b"", repr=False)

    def matches(self) -> bool:
        """Return whether the password is correct. Slow; changes nothing, so any thread may call it."""
        return self._hash.matches(self._password) and self._known is not None

    def digest(self, key: bytes) -> bytes:
        """Return the digest by which a correct password is remembered."""
        parts = (self.user.encode("utf-8", "surrogatepass"), self._password, str(self._hash).encode("ascii"))
        return hashlib.blake2b(b"".join(len(part).to_bytes(4, "big") + part for part in parts), key=key).digest()


@dataclass(slots=True, eq=False)
class _UnderWay:
    """Identical attempts: the one in the queue on behalf of all, and those that still wait."""

    first: LoginAttempt
    waiting: set[LoginAttempt] = field(default_factory=set)


class Authenticator:
    """Checks passwords against ``users``, which may be replaced at any time. To check a user that does not exist costs
    as much as to check most others.

    ``key``: `KEY_LENGTH` random bytes, new at every start; without one nothing is remembered.
    """

    __slots__ = ("_decoy", "_key", "_remembered", "_under_way", "_users", "throttle")

    def __init__(self, key: bytes = b"", users: Users | None = None) -> None:
        self.throttle = Throttle()
        self._key = key
        self.users = users if users is not None else Users()
        self._remembered: dict[str, bytes] = {}
        self._under_way: dict[bytes, _UnderWay] = {}

    @property
    def users(self) -> Users:
        """The users."""
        return self._users

    @users.setter
    def users(self, users: Users) -> None:
        self._users = users
        common = Counter(user.password.cost for user in users.by_name.values()).most_common(1)
        cost = common[0][0] if common else Cost()
        self._decoy = decoy_hash(hashlib.blake2b(self._key, digest_size=16).digest(), cost)

    def begin(self, user: str, password: str, address: str, now: float) -> LoginAttempt:
        """Begin an attempt; it may already have its outcome."""
        known = self.users.find(user)
        encoded = password.encode("utf-8", "surrogatepass")[: MAX_PASSWORD + 1]
        attempt = LoginAttempt(user[:MAX_NAME], address, now, encoded, known.password if known else self._decoy, known)
        attempt.same = attempt.digest(self._key)
        if known is not None and self._remembers(attempt):
            attempt.outcome = True
            return attempt
        others = self._under_way.get(attempt.same)
        if others is not None:
            others.waiting.add(attempt)
            attempt.not_before = max(others.first.not_before, now)
            return attempt
        not_before = self.throttle.enter(address, attempt.user, now)
        if not_before is None:
            attempt.outcome = False
            attempt.log.append(("AMQ5534", (attempt.user, address, "too many wrong attempts, not looked at")))
        else:
            attempt.not_before = not_before
            self._under_way[attempt.same] = _UnderWay(attempt, {attempt})
        return attempt

    def leave(self, attempt: LoginAttempt) -> None:
        """Note that nobody waits for the outcome any longer."""
        self._end(attempt)

    def turn_away(self, attempt: LoginAttempt) -> None:
        """Fail an attempt that cannot be checked in time, without counting a failure."""
        self._end(attempt)
        attempt.outcome = False
        attempt.log.append(("AMQ5534", (attempt.user, attempt.address, "too many at one time, not looked at")))

    def _end(self, attempt: LoginAttempt) -> None:
        found = self._under_way.get(attempt.same)
        if found is None or attempt not in found.waiting:
            return
        found.waiting.discard(attempt)
        if not found.waiting:
            del self._under_way[attempt.same]
            self.throttle.leave(found.first.address, found.first.user)

    def finish(self, attempt: LoginAttempt, matched: bool, now: float) -> None:
        """Set the outcome of an attempt, and count a failure."""
        attempt.outcome = matched
        self._end(attempt)
        if matched:
            self.throttle.succeeded(attempt.user)
            self._remember(attempt)
            return
        attempt.log.append(("AMQ5534", (attempt.user, attempt.address)))
        by_address, by_user = self.throttle.failed(attempt.address, attempt.user, now)
        if by_address or by_user:
            who = " and ".join(
                [f"address {attempt.address}"] * by_address + [f"user {attempt.user}"] * by_user,
            )
            attempt.log.append(("AMQ5538", (who,)))

    def _remember(self, attempt: LoginAttempt) -> None:
        if not self._key:
            return
        if len(self._remembered) >= MAX_REMEMBERED:
            self._remembered.clear()
        self._remembered[attempt.user] = attempt.same

    def _remembers(self, attempt: LoginAttempt) -> bool:
        kept = self._remembered.get(attempt.user)
        return kept is not None and hmac.compare_digest(kept, attempt.same)
