"""Certificates of a program: files that it names, and a key repository for what it does not name."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISDIR, S_ISREG

from cryptography import x509

from .key_repository import (
    MAX_TRUSTED_FILE,
    CertificateSource,
    KeyFiles,
    KeyRepository,
    OwnCertificate,
    missing,
    own_certificate,
    trusted_certificates,
)
from .pem_files import blocks, mode_of, read_file, repository_error


class ProgramFiles:
    """A source of certificates. Blank names are those that the program does not give.

    ``trusted``: a file of certificates, a folder of such files, or a key repository. ``certificate``: a file as in a
    key repository. ``repository``: a key repository, or one file: our key, its certificate and those of authorities,
    or only the latter. ``label``: of our certificate in the repository.
    """

    __slots__ = ("_own", "_trusted", "default_label", "named")

    def __init__(self, trusted: str, certificate: str, repository: str = "", label: str = "") -> None:
        self.named = trusted or repository
        """What says whom to trust; blank for the authorities of the system."""
        self.default_label = label
        stored = _repository(Path(repository)) if repository else KeyFiles()
        self._own: CertificateSource = KeyFiles(certificate=Path(certificate)) if certificate else stored
        self._trusted: CertificateSource = _trusted(Path(trusted)) if trusted else stored
        if not isinstance(self._own, KeyRepository):
            self.default_label = next(iter(self._own.labels()), "")

    def labels(self) -> tuple[str, ...]:
        """The labels of our own certificates. Raises `TlsError`."""
        return self._own.labels()

    def certificate(self, label: str) -> OwnCertificate:
        """Our certificate with a label. Raises `TlsError`."""
        return self._own.certificate(label)

    def trusted(self) -> tuple[x509.Certificate, ...]:
        """The certificates that are trusted; none without a name. Raises `TlsError`."""
        found = self._trusted.trusted()
        if self.named and not found:
            raise repository_error(f"{self.named} has no certificates that are trusted")
        return found

    def revocations(self) -> tuple[x509.CertificateRevocationList, ...]:
        """The revocation lists. Raises `TlsError`."""
        return self._trusted.revocations()


class _OneFile:
    """A file with certificates of authorities, behind our key and its certificate if it has a key."""

    __slots__ = ("_file",)

    def __init__(self, file: Path) -> None:
        self._file = file

    def labels(self) -> tuple[str, ...]:
        """The name of the file without its suffix, if it has a key."""
        return (self._file.stem.lower(),) if self._has_key() else ()

    def certificate(self, label: str) -> OwnCertificate:
        """Our certificate, whatever its label."""
        if not self._has_key():
            raise missing(label, f"{self._file} has no private key")
        return own_certificate(self._file.stem.lower(), self._file)

    def trusted(self) -> tuple[x509.Certificate, ...]:
        """The certificates in it but our own."""
        return self.certificate("").chain if self._has_key() else tuple(trusted_certificates(self._file))

    def revocations(self) -> tuple[x509.CertificateRevocationList, ...]:
        """No revocation lists."""
        return ()

    def _has_key(self) -> bool:
        return any(kind.endswith("PRIVATE KEY") for kind, _ in blocks(read_file(self._file, MAX_TRUSTED_FILE)))


def _repository(place: Path) -> CertificateSource:
    """What MQSSLKEYR names: a file in PEM form, or a key repository, also one of others, which is refused."""
    return (
        _OneFile(place)
        if place.suffix.lower() in (".pem", ".crt", ".cer") and S_ISREG(mode_of(place))
        else KeyRepository(place)
    )


def _trusted(place: Path) -> CertificateSource:
    return KeyRepository(place) if S_ISDIR(mode_of(place / "trusted")) else KeyFiles(trusted=place)
