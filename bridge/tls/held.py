"""A key with its certificate and chain, as files hold them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from .chains import chain_of, is_self_signed
from .descriptions import distinguished_name
from .errors import CertificateError
from .keys import Key, fits, key_pem, read_key
from .names import hosts_of
from .pem import PemContents, pem, read_pem


@dataclass(frozen=True, slots=True)
class Held:
    """A ``certificate``, its ``key``, and the certificates above it in order (``chain``)."""

    key: Key = field(repr=False)
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def pem(self) -> bytes:
        """Key, certificate and chain, as a file of a key repository."""
        return key_pem(self.key) + self.certificates_pem

    @property
    def certificates_pem(self) -> bytes:
        """Certificate and chain, for others."""
        return pem(self.certificate, *self.chain)


def read_held(content: bytes, where: str, password: bytes | None = None) -> Held:
    """Read a PEM file with one key, its certificate and certificates above. Raises `CertificateError`."""
    found = read_pem(content, where)
    if not found.keys:
        raise CertificateError(f"{where} has no private key")
    if len(found.keys) > 1:
        raise CertificateError(f"{where} has {len(found.keys)} private keys; one is expected")
    return with_certificate(read_key(found.keys[0], password, where), found, where)


def with_certificate(key: Key, found: PemContents, where: str) -> Held:
    """Join a key and the certificate that was made for it. Raises `CertificateError`."""
    if not found.certificates:
        raise CertificateError(f"{where} has a private key without a certificate")
    own = next((each for each in found.certificates if fits(key, each)), None)
    if own is None:
        raise CertificateError(
            f"{where}: the private key does not belong to the certificate of {subject(found.certificates[0])}"
        )
    chain, _ = chain_of(own, found.certificates, ())
    return Held(key, own, chain)


def subject(certificate: x509.Certificate) -> str:
    """The subject as MQ shows it; the serial number if it is blank."""
    return str(distinguished_name(certificate.subject)) or f"serial number {certificate.serial_number:x}"


def issuer(certificate: x509.Certificate) -> str:
    """The issuer as MQ shows it."""
    return str(distinguished_name(certificate.issuer))


def until(certificate: x509.Certificate) -> str:
    """The day on which a certificate ends, in UTC."""
    return f"{certificate.not_valid_after_utc:%Y-%m-%d}"


def hosts(certificate: x509.Certificate) -> tuple[str, ...]:
    """The hosts that a certificate names."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ()
    return tuple(hosts_of(found))


def fingerprint(certificate: x509.Certificate) -> str:
    """The SHA-256 of a certificate, in hexadecimal."""
    return certificate.fingerprint(hashes.SHA256()).hex()


def require_valid(certificate: x509.Certificate, now: datetime.datetime, where: str) -> None:
    """Raise `CertificateError` for a certificate that has expired."""
    if certificate.not_valid_after_utc <= now:
        raise CertificateError(
            f"{where}: the certificate of {subject(certificate)} has expired on {until(certificate)}"
        )


def summary(certificate: x509.Certificate) -> dict[str, str | list[str]]:
    """What programs want to know of a certificate, by the keys of its JSON form."""
    return {
        "subject": subject(certificate),
        "issuer": issuer(certificate),
        "serialNumber": f"{certificate.serial_number:x}",
        "notBefore": f"{certificate.not_valid_before_utc:%Y-%m-%dT%H:%M:%SZ}",
        "notAfter": f"{certificate.not_valid_after_utc:%Y-%m-%dT%H:%M:%SZ}",
        "hosts": list(hosts(certificate)),
        "sha256": fingerprint(certificate),
    }


def describe(certificate: x509.Certificate) -> str:
    """``CN=EARTH, until 2027-11-21``, and who issued it unless itself."""
    by = "" if is_self_signed(certificate) else f", issued by {issuer(certificate)}"
    return f"{subject(certificate)}, until {until(certificate)}{by}"
