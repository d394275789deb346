"""Checks of the partner's certificate beyond those that OpenSSL makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import service_identity
from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL import SSL
from OpenSSL.crypto import X509
from service_identity.cryptography import verify_certificate_hostname, verify_certificate_ip_address

from mqbridge.bridge.security.addresses import is_address

from .certificate_faults import refused_certificate
from .descriptions import UNREADABLE, distinguished_name
from .errors import TlsError

_NO_LIST: Final = SSL.X509VerificationCodes.ERR_UNABLE_TO_GET_CRL
_REJECTED: Final = SSL.X509VerificationCodes.ERR_CERT_REJECTED
_OTHER_HOST: Final = SSL.X509VerificationCodes.ERR_HOSTNAME_MISMATCH


class Verification:
    """The checks of one session. ``host``: a name or address that the certificate must be for, blank for any.
    ``pinned``: says of the partner's certificate (DER) whether it is the one that is known; then nothing else is
    checked, neither who has signed it nor for how long."""

    __slots__ = ("failure", "host", "pinned")

    def __init__(self, host: str = "", pinned: Callable[[bytes], bool] | None = None) -> None:
        self.host = host
        self.pinned = pinned
        self.failure: TlsError | None = None
        """Why the certificate was refused."""


def verifier(anchors: frozenset[bytes], crl_required: bool) -> Callable[[SSL.Connection, X509, int, int, int], bool]:
    """What OpenSSL calls for each certificate of a chain, and for each error that it found.

    ``anchors``: fingerprints of trusted certificates, which need no revocation list. ``crl_required``: all others do.
    """

    def verify(connection: SSL.Connection, certificate: X509, error: int, depth: int, good: int) -> bool:
        checks = connection.get_app_data()
        if checks.pinned is not None:
            return depth > 0 or _is_pinned(checks, certificate)
        if good:
            return depth > 0 or not checks.host or _is_for_host(checks, certificate)
        if error == _NO_LIST and (not crl_required or fingerprint(certificate) in anchors):
            return True
        checks.failure = refused_certificate(error, *_names(certificate))
        return False

    return verify


def _is_pinned(checks: Verification, certificate: X509) -> bool:
    assert checks.pinned is not None, "the caller has looked"
    if checks.pinned(certificate.to_cryptography().public_bytes(Encoding.DER)):
        return True
    checks.failure = refused_certificate(_REJECTED, *_names(certificate))
    return False


def _is_for_host(checks: Verification, certificate: X509) -> bool:
    host = checks.host.strip("[]")
    try:
        if is_address(host):
            verify_certificate_ip_address(certificate.to_cryptography(), host)
        else:
            verify_certificate_hostname(certificate.to_cryptography(), host)
    except (service_identity.VerificationError, service_identity.CertificateError, *UNREADABLE):
        checks.failure = refused_certificate(_OTHER_HOST, *_names(certificate), wanted=host)
        return False
    return True


def fingerprint(certificate: X509) -> bytes:
    """SHA-256 of a certificate, in OpenSSL's form."""
    return certificate.digest("sha256")


def _names(certificate: X509) -> tuple[str, str]:
    """Subject and issuer of a certificate that was refused; blank if they cannot be read."""
    try:
        found = certificate.to_cryptography()
        return str(distinguished_name(found.subject)), str(distinguished_name(found.issuer))
    except UNREADABLE:
        return "", ""
