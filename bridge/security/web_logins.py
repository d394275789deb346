"""Logins at the REST interface: who holds which token, and until when.

A token is a random text that only its holder knows; here its SHA-256 digest is kept. A login ends after its lifetime,
when it is closed, when its user is removed or gets another password, and when the user logs in too often.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

from .passwords import PasswordHash
from .users import Users

LIFETIME: Final = 7200.0
"""Seconds that a login is valid: the two hours of IBM's server."""
MAX_FOR_USER: Final = 10
"""Logins of one user; one more ends the oldest."""
MAX_LOGINS: Final = 10_000
"""Logins of all users; one more ends the oldest."""
TOKEN_LENGTH: Final = 32
"""Bytes of randomness in a token."""
MAX_TOKEN: Final = 256
"""Longest text that is looked up as a token."""


@dataclass(frozen=True, slots=True)
class _Login:
    user: str
    password: PasswordHash = field(repr=False)
    until: float


class WebLogins:
    """The logins of one endpoint. Times are seconds since the epoch."""

    __slots__ = ("_by_digest", "_by_user", "_for_user", "_lifetime")

    def __init__(self, lifetime: float = LIFETIME, for_user: int = MAX_FOR_USER) -> None:
        self._lifetime = lifetime
        self._for_user = for_user
        self._by_digest: dict[bytes, _Login] = {}  # the oldest first, and so the first to expire
        self._by_user: dict[str, dict[bytes, None]] = {}

    def __len__(self) -> int:
        return len(self._by_digest)

    def open(self, user: str, token: str, users: Users, now: float) -> None:
        """Begin a login of an existing user with a new random token. Raises `UserError` if there is no such user."""
        password = users.existing(user).password
        self._expire(now)
        own = self._by_user.get(user, {})
        if len(own) >= self._for_user:
            self._end(next(iter(own)))
        elif len(self._by_digest) >= MAX_LOGINS:
            self._end(next(iter(self._by_digest)))
        digest = _digest(token)
        self._by_digest[digest] = _Login(user, password, now + self._lifetime)
        self._by_user.setdefault(user, {})[digest] = None

    def find(self, token: str, users: Users, now: float) -> str | None:
        """Return the user that holds a token; None if the login has ended or never was."""
        if len(token) > MAX_TOKEN:
            return None
        digest = _digest(token)
        login = self._by_digest.get(digest)
        if login is None:
            return None
        known = users.find(login.user)
        if now >= login.until or known is None or known.password != login.password:
            self._end(digest)
            return None
        return login.user

    def close(self, token: str) -> None:
        """End the login with a token, if there is one."""
        self._end(_digest(token[:MAX_TOKEN]))

    def _expire(self, now: float) -> None:
        while self._by_digest:
            digest = next(iter(self._by_digest))
            if now < self._by_digest[digest].until:
                return
            self._end(digest)

    def _end(self, digest: bytes) -> None:
        login = self._by_digest.pop(digest, None)
        if login is not None:
            own = self._by_user[login.user]
            del own[digest]
            if not own:
                del self._by_user[login.user]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
