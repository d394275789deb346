"""The authority of one's own in a key repository: ``authority.pem``, which others trust, and ``authority.key``."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography import x509

from .certificate_folder import CertificateFolder
from .certificates import Wanted, authority_certificate, signed
from .errors import CertificateError
from .files import PUBLIC, read_file, write_file
from .held import Held, require_valid
from .keys import Key, fits, key_pem, new_key, read_key, require_usable
from .labels import AUTHORITY
from .names import hosts_of
from .pem import pem, read_certificates

KEY_SUFFIX: Final = ".key"
OWN: Final = "own-authority"
"""Name of its certificate among those that are trusted."""


@dataclass(frozen=True, slots=True)
class OwnAuthority:
    """An authority in a folder: its ``file`` for others, its ``certificate``, and its ``key``."""

    file: Path
    certificate: x509.Certificate
    key: Key = field(repr=False)

    def issue(self, wanted: Wanted, kind: str, now: datetime.datetime) -> Held:
        """Make a key and sign a certificate for it. Raises `CertificateError`."""
        require_valid(self.certificate, now, str(self.file))
        key = new_key(kind)
        return Held(key, signed(wanted, key.public_key(), self.certificate, self.key, now))

    def sign(
        self, request: x509.CertificateSigningRequest, days: int, now: datetime.datetime, where: str
    ) -> x509.Certificate:
        """Sign the certificate that a request asks for: its subject, its key and its hosts, nothing else. Raises
        `CertificateError`."""
        require_valid(self.certificate, now, str(self.file))
        if not request.is_signature_valid:
            raise CertificateError(f"{where}: the request is not signed with its own key")
        require_usable(request.public_key(), where)
        try:
            hosts = hosts_of(request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
        except x509.ExtensionNotFound:
            hosts = ()
        except ValueError as error:
            raise CertificateError(f"{where}: the request is damaged: {error}") from error
        wanted = Wanted(request.subject, hosts, days)
        return signed(wanted, request.public_key(), self.certificate, self.key, now)


def read_authority(folder: CertificateFolder) -> OwnAuthority | None:
    """Read the folder's own authority; None if it has none. Raises `CertificateError`."""
    file, key_file = _files(folder)
    if not file.exists() and not key_file.exists():
        return None
    key = read_key(read_file(key_file, private=True), None, str(key_file))
    certificate = read_certificates(read_file(file), str(file))[0]
    if not fits(key, certificate):
        raise CertificateError(f"{key_file} is not the key of {file}")
    return OwnAuthority(file, certificate, key)


def public_authority(folder: CertificateFolder) -> x509.Certificate | None:
    """The certificate of the folder's own authority; None if it has none. Raises `CertificateError`."""
    file, _ = _files(folder)
    return read_certificates(read_file(file), str(file))[0] if file.exists() else None


def existing_authority(folder: CertificateFolder) -> OwnAuthority:
    """Read the folder's own authority. Raises `CertificateError` if there is none."""
    found = read_authority(folder)
    if found is None:
        raise CertificateError(
            f"{folder.path} has no authority of its own; 'mqbridge certificate create --own-authority' makes one"
        )
    return found


def make_authority(folder: CertificateFolder, name: x509.Name, kind: str, now: datetime.datetime) -> OwnAuthority:
    """Make the folder's own authority, and trust it. Raises `CertificateError`."""
    file, key_file = _files(folder)
    key = new_key(kind)
    certificate = authority_certificate(name, key, now)
    write_file(key_file, key_pem(key))
    folder.trust([certificate], str(file), now, OWN)
    write_file(file, pem(certificate), PUBLIC)
    return OwnAuthority(file, certificate, key)


def _files(folder: CertificateFolder) -> tuple[Path, Path]:
    return folder.path / f"{AUTHORITY}.pem", folder.path / f"{AUTHORITY}{KEY_SUFFIX}"
