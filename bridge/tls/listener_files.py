"""Certificates of one listener: files that its configuration names, and the key repository for all others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from stat import S_ISDIR

from cryptography import x509

from .key_repository import CertificateSource, KeyFiles, KeyRepository, OwnCertificate, own_certificate
from .pem_files import mode_of


class ListenerFiles:
    """A source of certificates. ``repository``: returns the queue manager's key repository.

    ``certificate``, ``key``: files of our certificate; None: that of the repository. ``authorities``: a file of
    certificates, a folder of such files, or a key repository; None: those that the repository trusts.
    """

    __slots__ = ("_authorities", "_certificate", "_key", "_repository")

    def __init__(
        self,
        repository: Callable[[], KeyRepository],
        certificate: Path | None,
        key: Path | None,
        authorities: Path | None,
    ) -> None:
        self._repository = repository
        self._certificate = certificate
        self._key = key
        self._authorities = authorities

    def labels(self) -> tuple[str, ...]:
        """The labels of our certificates. Raises `TlsError`."""
        return self._repository().labels() if self._certificate is None else (self._certificate.stem.lower(),)

    def certificate(self, label: str) -> OwnCertificate:
        """Our certificate. Raises `TlsError`."""
        if self._certificate is None:
            return self._repository().certificate(label)
        return own_certificate(self._certificate.stem.lower(), self._certificate, self._key)

    def trusted(self) -> tuple[x509.Certificate, ...]:
        """The authorities; none if there is no key repository. Raises `TlsError`."""
        found = self._trusted()
        return () if found is None else found.trusted()

    def revocations(self) -> tuple[x509.CertificateRevocationList, ...]:
        """The revocation lists beside the authorities, and those of the key repository. Raises `TlsError`."""
        found, own = self._trusted(), self._existing()
        lists = () if found is None else found.revocations()
        return lists if self._authorities is None or own is None else (*lists, *own.revocations())

    def _trusted(self) -> CertificateSource | None:
        place = self._authorities
        if place is None:
            return self._existing()
        return KeyRepository(place) if S_ISDIR(mode_of(place / "trusted")) else KeyFiles(trusted=place)

    def _existing(self) -> KeyRepository | None:
        """The key repository, if there is one."""
        repository = self._repository()
        return repository if S_ISDIR(mode_of(repository.folder)) else None
