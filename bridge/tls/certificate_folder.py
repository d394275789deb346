"""The folder of a key repository as the commands change it: ``LABEL.pem`` (key and chain), ``trusted/``, ``crl/``.

Every file is replaced as a whole; files with keys are for their owner alone.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cryptography import x509

from .chains import complete_chain
from .descriptions import distinguished_name
from .errors import CertificateError
from .files import PUBLIC, read_file, remove_file, write_file
from .held import Held, fingerprint, read_held, require_valid, subject
from .labels import AUTHORITY, check_label
from .pem import pem, read_certificates

SUFFIX: Final = ".pem"
MAX_LABELS: Final = 1000
MAX_TRUSTED: Final = 1000
"""Trusted certificates at most."""


class CertificateFolder:
    """The key repository in the folder ``path``, which need not exist yet. All methods raise `CertificateError`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trusted_folder = path / "trusted"
        self.revocations_folder = path / "crl"

    # Certificates with keys

    def file_of(self, label: str) -> Path:
        """The file of a label, whether or not it exists."""
        return self.path / f"{check_label(label)}{SUFFIX}"

    def labels(self) -> list[str]:
        """The labels of all certificates with keys."""
        return [name for name in _names(self.path, MAX_LABELS) if name != AUTHORITY]

    def has(self, label: str) -> bool:
        """Whether there is a certificate with this label."""
        return self.file_of(label).exists()

    def read(self, label: str) -> Held:
        """Read key, certificate and chain."""
        file = self.file_of(label)
        if not file.exists():
            raise CertificateError(f"there is no certificate {label} in {self.path}")
        return read_held(read_file(file, private=True), str(file))

    def write(self, label: str, held: Held) -> Path:
        """Write key, certificate and chain; return the file."""
        file = self.file_of(label)
        write_file(file, held.pem)
        return file

    def remove(self, label: str) -> None:
        """Remove a certificate and its key."""
        file = self.file_of(label)
        if not file.exists():
            raise CertificateError(f"there is no certificate {label} in {self.path}")
        remove_file(file)

    # Certificates of others that are trusted

    def trusted(self) -> dict[str, tuple[x509.Certificate, ...]]:
        """The certificates that are trusted, by the name of their file."""
        folder = self.trusted_folder
        files = {name: folder / f"{name}{SUFFIX}" for name in _names(folder, MAX_TRUSTED)}
        return {name: read_certificates(read_file(file), str(file)) for name, file in files.items()}

    def all_trusted(self) -> list[x509.Certificate]:
        """The certificates that are trusted."""
        return [each for those in self.trusted().values() for each in those]

    def trust(
        self, certificates: Sequence[x509.Certificate], where: str, now: datetime.datetime, name: str = ""
    ) -> list[tuple[str, x509.Certificate]]:
        """Trust certificates, each in a file of its own; return their names. Those trusted already are left out.

        Each must be a root, or issued by one that is trusted too.
        """
        known = self.all_trusted()
        new = [each for each in dict.fromkeys(certificates) if each not in known]
        if len(known) + len(new) > MAX_TRUSTED:
            raise CertificateError(f"{where}: more than {MAX_TRUSTED} certificates would be trusted")
        for each in new:
            require_valid(each, now, where)
            complete_chain(each, certificates, known, where)
        if name and len(new) > 1:
            raise CertificateError(f"{where} has {len(new)} certificates, which cannot all be called {name!r}")
        written = []
        for each in new:
            called = self._free_name(check_label(name) if name else _file_name(each), each)
            write_file(self.trusted_folder / f"{called}{SUFFIX}", pem(each), PUBLIC)
            written.append((called, each))
        return written

    def _free_name(self, name: str, certificate: x509.Certificate) -> str:
        taken = (self.trusted_folder / f"{name}{SUFFIX}").exists()
        return f"{name}-{fingerprint(certificate)[:8]}" if taken else name

    def untrust(self, name: str) -> tuple[x509.Certificate, ...]:
        """Trust the certificates of a file no longer; return them."""
        found = self.trusted()
        if name not in found:
            raise CertificateError(
                f"no trusted certificate is called {name}; 'mqbridge certificate list' has their names"
            )
        remove_file(self.trusted_folder / f"{name}{SUFFIX}")
        return found[name]


def _names(folder: Path, most: int) -> list[str]:
    try:
        found = sorted(
            file.stem for file in folder.iterdir() if file.suffix == SUFFIX and not file.name.startswith(".")
        )
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CertificateError(f"{folder} cannot be read: {error.strerror or error}") from error
    if len(found) > most:
        raise CertificateError(f"{folder} has more than {most} certificates")
    return found


def _file_name(certificate: x509.Certificate) -> str:
    """The last part of the subject as the name of a file."""
    attributes = distinguished_name(certificate.subject).attributes
    plain = re.sub(r"[^A-Za-z0-9_.@+-]+", "-", attributes[-1][1] if attributes else subject(certificate))
    return plain.strip("-.@+")[:48] or fingerprint(certificate)[:16]
