"""Labels of certificates, and the files of a key repository that they name."""

from __future__ import annotations

from typing import Final

from .errors import CertificateError
from .key_repository import is_label

PREFIX: Final = "ibmwebspheremq"
AUTHORITY: Final = "authority"
"""The name of the repository's own authority, which is no label."""


def default_label(name: str) -> str:
    """The label of a queue manager, or of a client's user, that CERTLABL does not name (tls.md T-05)."""
    return PREFIX + name.lower()


def check_label(label: str) -> str:
    """Return a label in the form in which it names a file, in lower case. Raises `CertificateError`."""
    written = label.lower()
    if not is_label(written) or written.endswith(".pem"):
        raise CertificateError(
            f"{label!r} is no label: 1 to 64 letters, digits and . _ -, a letter, digit or _ first; --label names one"
        )
    if written == AUTHORITY:
        raise CertificateError(f"{label!r} names this queue manager's own authority; choose another label")
    return written
