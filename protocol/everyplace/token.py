"""Enrolment tokens: what `mqbridge everyplace enrol` prints and `mqe.pyz create` takes (mqe.md 19, E-440).

::

    token  code (5 bytes), secret (16), fingerprint of the gateway's public key (16; zeros: not checked), check (3)

in Crockford's base 32, in groups of four: 64 digits. The code names the enrolment and is no secret. The secret makes
the key that both ends prove to each other that they have; the gateway keeps what it needs to check a proof, and shows a
token once.
"""

from __future__ import annotations

import hashlib
import hmac
import random
from typing import Final, NamedTuple

from .errors import Code, EveryplaceError

CODE: Final = 5
SECRET: Final = 16
FINGERPRINT: Final = 16
KEY: Final = 32
"""Bytes of the key that a token makes."""
NO_FINGERPRINT: Final = bytes(FINGERPRINT)
_CHECK: Final = 3
_LENGTH: Final = CODE + SECRET + FINGERPRINT + _CHECK
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES: Final = {digit: value for value, digit in enumerate(_DIGITS)} | {"O": 0, "I": 1, "L": 1}
_SEQUENCE: Final = 0x30
_VERSION: Final = 0xA0
"""Tag of the version of a certificate."""
_BEFORE_KEY: Final = 5
"""Elements of a certificate between version and public key: serial, signature, issuer, validity, subject."""


class Token(NamedTuple):
    """A token. Its secret is in no text but that of `text`."""

    code: bytes
    secret: bytes
    fingerprint: bytes = NO_FINGERPRINT

    @classmethod
    def make(cls, source: random.Random, fingerprint: bytes = NO_FINGERPRINT) -> Token:
        """Return a new token. ``source``: of randomness that nobody can guess."""
        return cls(source.randbytes(CODE), source.randbytes(SECRET), fingerprint)

    @classmethod
    def parse(cls, text: str) -> Token:
        """Read a token as it was printed; case, spaces and hyphens do not matter. Raises `EveryplaceError` SYNTAX."""
        digits = [each for each in text.upper() if each not in "- \t\r\n"]
        if len(digits) != _LENGTH * 8 // 5:
            raise EveryplaceError(Code.SYNTAX, f"the token has {len(digits)} characters, not {_LENGTH * 8 // 5}")
        number = 0
        for each in digits:
            if each not in _VALUES:
                raise EveryplaceError(Code.SYNTAX, f"the token has a {each!r}, which no token has")
            number = number << 5 | _VALUES[each]
        data = number.to_bytes(_LENGTH, "big")
        body, check = data[:-_CHECK], data[-_CHECK:]
        if _check(body) != check:
            raise EveryplaceError(Code.SYNTAX, "the token is mistyped: its last digits do not fit")
        return cls(body[:CODE], body[CODE : CODE + SECRET], body[CODE + SECRET :])

    def text(self) -> str:
        """Return it as it is printed."""
        body = self.code + self.secret + self.fingerprint
        return _grouped(body + _check(body))

    @property
    def name(self) -> str:
        """The name of the enrolment, which may be shown: ``7QK2-M4XD``."""
        return code_name(self.code)

    def key(self, queue_manager: str) -> bytes:
        """Return the key of a queue manager that is enrolled with this token."""
        return hmac.digest(self.secret, b"mqbridge everyplace key\0" + self.code + queue_manager.encode(), "sha256")

    def __repr__(self) -> str:
        return f"Token({self.name})"


def code_name(code: bytes) -> str:
    """Return the name of an enrolment with a code."""
    return _grouped(code)


def fingerprint_of(certificate: bytes) -> bytes:
    """Return the fingerprint of the public key in a certificate, which stays when a certificate is renewed.

    ``certificate``: DER, as ``ssl`` gives it. Raises `EveryplaceError` DATA.
    """
    try:
        outer = _element(certificate, 0, len(certificate))
        inner = _element(certificate, outer.start, outer.end)
        at = inner.start
        if certificate[at] == _VERSION:
            at = _element(certificate, at, inner.end).end
        for _ in range(_BEFORE_KEY):
            at = _element(certificate, at, inner.end).end
        key = _element(certificate, at, inner.end)
    except IndexError:
        raise EveryplaceError(Code.DATA, "this is no certificate") from None
    if {outer.tag, inner.tag, key.tag} != {_SEQUENCE}:
        raise EveryplaceError(Code.DATA, "this is no certificate")
    return hashlib.sha256(certificate[at : key.end]).digest()[:FINGERPRINT]


class _Element(NamedTuple):
    """An element of DER: where its value starts and ends."""

    tag: int
    start: int
    end: int


def _element(data: bytes, at: int, end: int) -> _Element:
    """Return the element at a position. Raises `IndexError` where it is cut."""
    tag, length, start = data[at], data[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        length, start = int.from_bytes(data[start : start + count], "big"), start + count
    if not at < start + length <= end:
        raise IndexError(at)
    return _Element(tag, start, start + length)


def _check(body: bytes) -> bytes:
    return hashlib.sha256(b"mqbridge everyplace token\0" + body).digest()[:_CHECK]


def _grouped(data: bytes) -> str:
    """Return bytes, of which there are a multiple of five, as digits in groups of four."""
    number, count = int.from_bytes(data, "big"), len(data) * 8 // 5
    digits = "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(count)))
    return "-".join(digits[at : at + 4] for at in range(0, count, 4))
