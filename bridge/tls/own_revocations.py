"""The list of certificates that the queue manager's own authority has revoked."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from .authorities import OWN, OwnAuthority
from .certificate_folder import CertificateFolder
from .chains import is_issued_by
from .errors import CertificateError
from .files import PUBLIC, read_file, write_file
from .held import subject
from .pem import read_pem

MAX_REVOKED: Final = 10_000


def keep_own_list(folder: CertificateFolder, authority: OwnAuthority, now: datetime.datetime) -> None:
    """Write an empty list for an authority that has none. Raises `CertificateError`."""
    if not _file(folder).exists():
        _write(folder, authority, (), now)


def revoke(
    folder: CertificateFolder, authority: OwnAuthority, certificates: Sequence[x509.Certificate], now: datetime.datetime
) -> list[x509.Certificate]:
    """Revoke those of some certificates that the authority has issued, and return them; the others are certificates
    above. Raises `CertificateError` if there is none, or all of them are revoked already."""
    own = [each for each in certificates if is_issued_by(each, authority.certificate) and each != authority.certificate]
    if not own:
        whose = subject(certificates[0])
        raise CertificateError(f"the certificate of {whose} was not issued by {subject(authority.certificate)}")
    listed = _listed(folder)
    known = {each.serial_number for each in listed}
    new = [each for each in own if each.serial_number not in known]
    if not new:
        raise CertificateError(f"the certificate of {subject(own[0])} is revoked already")
    if len(listed) + len(new) > MAX_REVOKED:
        raise CertificateError(f"more than {MAX_REVOKED} certificates would be revoked")
    made = (x509.RevokedCertificateBuilder(each.serial_number, now).build() for each in new)
    _write(folder, authority, (*listed, *made), now)
    return new


def _listed(folder: CertificateFolder) -> tuple[x509.RevokedCertificate, ...]:
    file = _file(folder)
    if not file.exists():
        return ()
    return tuple(revoked for each in read_pem(read_file(file), str(file)).revocations for revoked in each)


def _write(
    folder: CertificateFolder,
    authority: OwnAuthority,
    revoked: Iterable[x509.RevokedCertificate],
    now: datetime.datetime,
) -> None:
    """Write a list that is valid as long as the authority: nobody is there to write the next one in time."""
    ends = authority.certificate.not_valid_after_utc
    built = x509.CertificateRevocationListBuilder(authority.certificate.subject, now, ends)
    for each in revoked:
        built = built.add_revoked_certificate(each)
    above = authority.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    identifier = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(above)
    built = built.add_extension(identifier, critical=False)
    built = built.add_extension(x509.CRLNumber(int(now.timestamp() * 1_000_000)), critical=False)
    made = built.sign(authority.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    write_file(_file(folder), made, PUBLIC)


def _file(folder: CertificateFolder) -> Path:
    return folder.revocations_folder / f"{OWN}.pem"
