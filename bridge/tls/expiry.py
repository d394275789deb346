"""Certificates that expire soon, for the log and for ``mqbridge check``."""

from __future__ import annotations

import math
from typing import Final

from cryptography import x509

from .certificate_folder import CertificateFolder
from .files import read_file
from .labels import AUTHORITY
from .pem import read_certificates

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


def expiring(repository: CertificateFolder, now: float) -> list[tuple[str, float, int]]:
    """Certificates of a repository that expire within 30 days or have expired, the earliest first: label or file,
    the end in seconds since the epoch, and whole days left.

    Labels first name our own, ``trusted/NAME`` the authorities of others, ``authority`` our own. Raises
    `CertificateError` for a file that cannot be read.
    """
    found: list[tuple[str, x509.Certificate]] = []
    for label in repository.labels():
        # The certificates are read without their key, whose mode concerns others.
        file = repository.file_of(label)
        found += ((label, each) for each in read_certificates(read_file(file), str(file)))
    for name, certificates in repository.trusted().items():
        found += ((f"trusted/{name}", each) for each in certificates)
    own = repository.path / f"{AUTHORITY}.pem"
    if own.exists():
        found += ((AUTHORITY, each) for each in read_certificates(read_file(own), str(own)))
    rows = ((label, each.not_valid_after_utc.timestamp()) for label, each in found)
    listed = [(label, ends, days_left(ends, now)) for label, ends in rows if is_due(days_left(ends, now))]
    return sorted(listed, key=lambda row: (row[1], row[0]))
