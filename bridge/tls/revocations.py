"""Lists of revoked certificates in the folder ``crl`` of a key repository."""

from __future__ import annotations

import datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization

from .certificate_folder import CertificateFolder
from .descriptions import distinguished_name
from .errors import CertificateError
from .files import PUBLIC, read_file, write_file
from .pem import UNREADABLE, read_pem, whole_list

MAX_LISTS: Final = 1000


def read_revocations(folder: CertificateFolder) -> dict[str, tuple[x509.CertificateRevocationList, ...]]:
    """The lists of a folder, by the name of their file. Raises `CertificateError`."""
    place = folder.revocations_folder
    files = sorted(place.glob("*.pem"))[: MAX_LISTS + 1]
    if len(files) > MAX_LISTS:
        raise CertificateError(f"{place} has more than {MAX_LISTS} lists")
    return {file.stem: read_pem(read_file(file), str(file)).revocations for file in files}


def add_revocations(
    folder: CertificateFolder, content: bytes, where: str, now: datetime.datetime
) -> list[tuple[str, str]]:
    """Keep the lists of a PEM or DER file, each in place of an earlier one of its issuer, who must be trusted; return
    name and description of each. Raises `CertificateError`."""
    lists = read_pem(content, where).revocations or _of_binary(content)
    if not lists:
        raise CertificateError(f"{where} has no list of revoked certificates")
    for each in lists:
        if not any(_is_signed_by(each, issuer) for issuer in folder.all_trusted()):
            raise CertificateError(f"{where}: the issuer {distinguished_name(each.issuer)} is not trusted")
        if _ends(each, now):
            raise CertificateError(f"{where}: the list of {distinguished_name(each.issuer)} has expired")
    kept = []
    for each in lists:
        name = _file_name(each.issuer)
        write_file(folder.revocations_folder / f"{name}.pem", each.public_bytes(serialization.Encoding.PEM), PUBLIC)
        kept.append((name, describe_revocations(each)))
    return kept


def described_revocations(folder: CertificateFolder) -> list[tuple[str, str, str, datetime.datetime | None]]:
    """Name, description, issuer and end of each list. Raises `CertificateError`."""
    return [
        (name, describe_revocations(each), str(distinguished_name(each.issuer)), each.next_update_utc)
        for name, lists in read_revocations(folder).items()
        for each in lists
    ]


def describe_revocations(revocations: x509.CertificateRevocationList) -> str:
    """``12 revoked by CN=Authority, until 2027-11-21``."""
    ends = revocations.next_update_utc
    until = "" if ends is None else f", until {ends:%Y-%m-%d}"
    return f"{len(revocations)} revoked by {distinguished_name(revocations.issuer)}{until}"


def _ends(revocations: x509.CertificateRevocationList, now: datetime.datetime) -> bool:
    return revocations.next_update_utc is not None and revocations.next_update_utc <= now


def _of_binary(content: bytes) -> tuple[x509.CertificateRevocationList, ...]:
    try:
        return (whole_list(x509.load_der_x509_crl(content)),)
    except UNREADABLE:
        return ()


def _is_signed_by(revocations: x509.CertificateRevocationList, issuer: x509.Certificate) -> bool:
    if revocations.issuer != issuer.subject:
        return False
    try:
        return revocations.is_signature_valid(issuer.public_key())  # type: ignore[arg-type]
    except (TypeError, ValueError, InvalidSignature, UnsupportedAlgorithm):
        return False


def _file_name(issuer: x509.Name) -> str:
    digest = hashes.Hash(hashes.SHA256())
    digest.update(issuer.public_bytes())
    return digest.finalize().hex()[:16]
