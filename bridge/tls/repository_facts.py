"""What ``mqbridge check`` wants to know of a key repository."""

from __future__ import annotations

from collections.abc import Iterator

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from mqbridge.bridge.security.checks import CertificateFact, RevocationFact

from .chains import chain_of, is_authority
from .descriptions import distinguished_name
from .errors import CertificateError, TlsError
from .files import read_file
from .held import issuer, subject
from .key_repository import KeyRepository, OwnCertificate
from .labels import AUTHORITY
from .pem import UNREADABLE, read_certificates


def certificate_facts(repository: KeyRepository) -> tuple[CertificateFact, ...]:
    """The certificates of a repository, each found fit for use or not. Raises `TlsError` if it cannot be read."""
    trusted = repository.trusted()
    facts: list[CertificateFact] = []
    for label in repository.labels():
        if label == AUTHORITY:
            continue
        try:
            facts += _own(repository.certificate(label), trusted)
        except TlsError as error:
            facts.append(CertificateFact(label, "own", problem=str(error)))
    facts += (_fact("", "trusted", each) for each in trusted)
    return (*facts, *_authority(repository))


def _own(own: OwnCertificate, trusted: tuple[x509.Certificate, ...]) -> Iterator[CertificateFact]:
    chain, is_complete = chain_of(own.certificate, own.chain, trusted)
    last = chain[-1] if chain else own.certificate
    yield _fact(own.label, "own", own.certificate, "" if is_complete else issuer(last))
    yield from (_fact(own.label, "above", each) for each in own.chain)


def _authority(repository: KeyRepository) -> Iterator[CertificateFact]:
    file = repository.folder / f"{AUTHORITY}.pem"
    if file.exists():
        try:
            yield _fact(AUTHORITY, "authority", read_certificates(read_file(file), str(file))[0])
        except CertificateError as error:
            yield CertificateFact(AUTHORITY, "authority", problem=str(error))


def _fact(label: str, role: str, certificate: x509.Certificate, missing_issuer: str = "") -> CertificateFact:
    try:
        return _read_fact(label, role, certificate, missing_issuer)
    except UNREADABLE as error:
        return CertificateFact(
            label, role, f"serial number {certificate.serial_number:x}", problem=f"unreadable: {error}"
        )


def _read_fact(label: str, role: str, certificate: x509.Certificate, missing_issuer: str) -> CertificateFact:
    return CertificateFact(
        label,
        role,
        subject(certificate),
        certificate.not_valid_before_utc.timestamp(),
        certificate.not_valid_after_utc.timestamp(),
        _kind_of_key(certificate),
        missing_issuer=missing_issuer,
    )


def _kind_of_key(certificate: x509.Certificate) -> str:
    key = certificate.public_key()
    if isinstance(key, rsa.RSAPublicKey):
        return "RSA"
    return "ECDSA" if isinstance(key, ec.EllipticCurvePublicKey) else "EdDSA"


def revocation_facts(repository: KeyRepository) -> tuple[RevocationFact, ...]:
    """The lists of revoked certificates of a repository. Raises `TlsError`."""
    return tuple(
        RevocationFact(
            str(distinguished_name(each.issuer)),
            None if each.next_update_utc is None else each.next_update_utc.timestamp(),
        )
        for each in repository.revocations()
    )


def issuers_without_list(repository: KeyRepository) -> tuple[str, ...]:
    """The trusted authorities of which there is no list of revoked certificates. Raises `TlsError`."""
    listed = {each.issuer for each in repository.revocations()}
    return tuple(subject(each) for each in repository.trusted() if is_authority(each) and each.subject not in listed)
