"""PEM files divided into keys, certificates, requests and revocation lists."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization

from .errors import CertificateError
from .pem_files import blocks

MAX_CERTIFICATES: Final = 1000
"""Certificates in one file at most."""
_CERTIFICATES: Final = ("CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE")
_REQUESTS: Final = ("CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST")
_LISTS: Final = ("X509 CRL",)


UNREADABLE: Final = (
    ValueError,
    TypeError,
    OverflowError,
    UnsupportedAlgorithm,
    x509.InvalidVersion,
    x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
)
"""What reading a part of a certificate raises that is damaged, or of a kind that is not known."""


@dataclass(frozen=True, slots=True)
class PemContents:
    """The blocks of a PEM file by kind, in their order; ``keys`` still encoded."""

    keys: tuple[bytes, ...] = ()
    certificates: tuple[x509.Certificate, ...] = ()
    requests: tuple[x509.CertificateSigningRequest, ...] = ()
    revocations: tuple[x509.CertificateRevocationList, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.keys or self.certificates or self.requests or self.revocations)

    def __repr__(self) -> str:
        return f"PemContents({len(self.keys)} keys, {len(self.certificates)} certificates)"


def read_pem(content: bytes, where: str) -> PemContents:
    """Divide a PEM file; what is none of these is skipped. Raises `CertificateError`; ``where`` begins its text."""
    keys: list[bytes] = []
    certificates: list[x509.Certificate] = []
    requests: list[x509.CertificateSigningRequest] = []
    revocations: list[x509.CertificateRevocationList] = []
    for kind, block in blocks(content):
        try:
            if kind in _CERTIFICATES:
                certificates.append(whole_certificate(x509.load_pem_x509_certificate(block)))
            elif kind in _REQUESTS:
                requests.append(_whole_request(x509.load_pem_x509_csr(block)))
            elif kind in _LISTS:
                revocations.append(whole_list(x509.load_pem_x509_crl(block)))
            elif kind.endswith("PRIVATE KEY"):
                keys.append(block)
        except UNREADABLE as error:
            raise CertificateError(f"{where}: a {kind.lower()} in it is damaged: {error}") from error
        if len(certificates) > MAX_CERTIFICATES:
            raise CertificateError(f"{where} has more than {MAX_CERTIFICATES} certificates")
    return PemContents(tuple(keys), tuple(certificates), tuple(requests), tuple(revocations))


def read_certificates(content: bytes, where: str) -> tuple[x509.Certificate, ...]:
    """The certificates of a PEM, DER or PKCS#7 file. Raises `CertificateError` if it has none."""
    found = read_pem(content, where).certificates
    if not found:
        found = tuple(_of_binary(content))
    if not found:
        raise CertificateError(f"{where} has no certificate")
    return found


def _of_binary(content: bytes) -> Iterable[x509.Certificate]:
    from cryptography.hazmat.primitives.serialization import pkcs7

    with suppress(*UNREADABLE):
        return (whole_certificate(x509.load_der_x509_certificate(content)),)
    load = pkcs7.load_pem_pkcs7_certificates if b"-----BEGIN PKCS7" in content else pkcs7.load_der_pkcs7_certificates
    with suppress(*UNREADABLE):
        return [whole_certificate(each) for each in load(content)]
    return ()


def whole_certificate(certificate: x509.Certificate) -> x509.Certificate:
    """Return a certificate all of whose parts can be read; they are decoded only when they are asked for. Raises one of
    `UNREADABLE`."""
    dates = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    _ask(certificate.subject, certificate.issuer, dates, certificate.extensions, certificate.public_key())
    return certificate


def _whole_request(request: x509.CertificateSigningRequest) -> x509.CertificateSigningRequest:
    _ask(request.subject, request.extensions, request.public_key())
    return request


def whole_list(revocations: x509.CertificateRevocationList) -> x509.CertificateRevocationList:
    """As `whole_certificate`, for a list of revoked certificates."""
    _ask(revocations.issuer, revocations.next_update_utc, revocations.extensions)
    return revocations


def _ask(*parts: object) -> None:
    """Take parts that have been read for this; their values do not matter."""


def is_encrypted(content: bytes) -> bool:
    """Whether a PEM file has a private key that needs a password."""
    return b"-----BEGIN ENCRYPTED PRIVATE KEY" in content or b"Proc-Type: 4,ENCRYPTED" in content


def pem(*certificates: x509.Certificate) -> bytes:
    """Certificates as PEM."""
    return b"".join(each.public_bytes(serialization.Encoding.PEM) for each in certificates)
