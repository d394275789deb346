"""Certificates that expire soon, for the log and for ``mqbridge check``."""

from __future__ import annotations

import math
from typing import Final

from cryptography import x509

from .descriptions import distinguished_name
from .errors import TlsError
from .key_repository import CertificateSource

DAYS_AHEAD: Final = (30, 7, 1)
"""Days before its end on which a certificate is reported."""
_DAY: Final = 86400.0


def days_left(not_after: float, now: float) -> int:
    """Whole days until a time, negative once it is over. Times in seconds since the epoch."""
    return math.floor((not_after - now) / _DAY)


def is_due(days: int) -> bool:
    """Whether a certificate with so many days left is to be reported: it expires within `DAYS_AHEAD`, or has."""
    return days < max(DAYS_AHEAD)


def stage(days: int) -> int | None:
    """The smallest of `DAYS_AHEAD` that a certificate has reached, 0 once it has expired, None while it has time; a log
    line is due whenever this changes."""
    return 0 if days < 0 else min((each for each in DAYS_AHEAD if days < each), default=None)


def expiring(repository: CertificateSource, now: float) -> list[tuple[str, float, int]]:
    """Certificates of a repository that expire within 30 days or have expired, the earliest first: label, the end in
    seconds since the epoch, and whole days left.

    Those that are trusted have no label but ``trusted`` and their subject. Certificates of our own that cannot be read
    are left out. Raises `TlsError` if the repository cannot be read.
    """
    found: list[tuple[str, x509.Certificate]] = []
    for label in repository.labels():
        try:
            own = repository.certificate(label)
        except TlsError:
            continue  # whoever wants to use it is told
        found += ((label, each) for each in (own.certificate, *own.chain))
    found += ((f"trusted {distinguished_name(each.subject)}", each) for each in repository.trusted())
    rows = ((label, each.not_valid_after_utc.timestamp()) for label, each in found)
    listed = [(label, ends, days_left(ends, now)) for label, ends in rows if is_due(days_left(ends, now))]
    return sorted(listed, key=lambda row: (row[1], row[0]))
