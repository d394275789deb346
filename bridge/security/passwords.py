"""Password hashes: scrypt (RFC 7914), written as ``$scrypt$ln=15,r=8,p=3$SALT$HASH``.

Creating or checking one deliberately takes a few tenths of a second and 32 MiB. Both are pure functions, so that they
can be called in a worker thread.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Final

from .errors import UserError

SALT_LENGTH: Final = 16
"""Length of a salt in bytes; callers pass in fresh random bytes."""
HASH_LENGTH: Final = 32
MAX_PASSWORD: Final = 256
"""Longest password in bytes of UTF-8: what a client can send (MQ_CSP_PASSWORD_LENGTH)."""
MAX_WORK: Final = 1 << 24
"""Largest N · r · p accepted from a file: a costlier hash would stall the queue manager."""
MAX_MEMORY: Final = 256 << 20
"""Largest memory that a hash from a file may need, in bytes."""
_ZERO: Final = b"\0"
_ALLOWED_MEMORY: Final = 2 * MAX_MEMORY

_FORM = re.compile(
    r"\$scrypt\$ln=(?P<ln>[0-9]{1,2}),r=(?P<r>[0-9]{1,3}),p=(?P<p>[0-9]{1,3})"
    r"\$(?P<salt>[A-Za-z0-9+/]{4,88})\$(?P<digest>[A-Za-z0-9+/]{16,88})"
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one hash: ``2 ** log2_n`` blocks of ``128 * r`` bytes, ``p`` times."""

    log2_n: int = 15
    r: int = 8
    p: int = 3


@dataclass(frozen=True, slots=True, repr=False)
class PasswordHash:
    """The hash of one password."""

    cost: Cost
    salt: bytes
    digest: bytes = field(repr=False)

    def matches(self, password: bytes) -> bool:
        """Return whether this is the hash of a password (UTF-8). Slow; compares in constant time.

        A password with a zero is never right: to HMAC, and so to scrypt, zeros at its end are no difference.
        """
        given = _scrypt(password[: MAX_PASSWORD + 1], self.salt, self.cost, len(self.digest))
        return hmac.compare_digest(given, self.digest) and _ZERO not in password

    def __str__(self) -> str:
        cost = self.cost
        return f"$scrypt$ln={cost.log2_n},r={cost.r},p={cost.p}${_encode(self.salt)}${_encode(self.digest)}"


def hash_password(password: str, salt: bytes, cost: Cost = Cost()) -> PasswordHash:
    """Hash a password. Slow. Raises `UserError` for a password that is empty, too long, or has a zero."""
    encoded = password.encode("utf-8")
    if not encoded:
        raise UserError("the password is empty")
    if len(encoded) > MAX_PASSWORD:
        raise UserError(f"the password is longer than {MAX_PASSWORD} bytes")
    if _ZERO in encoded:
        raise UserError("the password has a character zero")
    return PasswordHash(cost, salt, _scrypt(encoded, salt, cost, HASH_LENGTH))


def parse_hash(text: str) -> PasswordHash:
    """Parse the ``str`` of a hash. Raises `UserError` for anything else."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise UserError("this is no scrypt hash ($scrypt$ln=…,r=…,p=…$salt$hash)")
    cost = Cost(int(found["ln"]), int(found["r"]), int(found["p"]))
    work = (1 << cost.log2_n) * cost.r * cost.p
    memory = (1 << cost.log2_n) * cost.r * 128
    if not (cost.log2_n and cost.r and cost.p) or work > MAX_WORK or memory > MAX_MEMORY:
        raise UserError("the cost of this hash is out of bounds")
    try:
        return PasswordHash(cost, _decode(found["salt"]), _decode(found["digest"]))
    except binascii.Error as error:
        raise UserError("this is no scrypt hash: salt or hash is no base64") from error


def decoy_hash(salt: bytes, cost: Cost = Cost()) -> PasswordHash:
    """Return a hash that no password matches, equally slow to check, for users that do not exist."""
    return PasswordHash(cost, salt, hashlib.sha256(b"decoy" + salt).digest())


def _scrypt(password: bytes, salt: bytes, cost: Cost, length: int) -> bytes:
    return hashlib.scrypt(
        password, salt=salt, n=1 << cost.log2_n, r=cost.r, p=cost.p, dklen=length, maxmem=_ALLOWED_MEMORY
    )


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii").rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
