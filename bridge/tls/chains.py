"""Chains of certificates: ordered from an end to its root, and found complete or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

from .descriptions import distinguished_name
from .errors import CertificateError
from .key_repository import MAX_CHAIN


def is_issued_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    """Whether one certificate is signed with the key of another."""
    if certificate.issuer != issuer.subject:
        return False
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def is_self_signed(certificate: x509.Certificate) -> bool:
    """Whether a certificate is a root, signed with its own key."""
    return is_issued_by(certificate, certificate)


def is_authority(certificate: x509.Certificate) -> bool:
    """Whether a certificate may sign others."""
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (x509.ExtensionNotFound, ValueError):
        return False


def chain_of(
    certificate: x509.Certificate, given: Iterable[x509.Certificate], trusted: Iterable[x509.Certificate]
) -> tuple[tuple[x509.Certificate, ...], bool]:
    """Return the certificates above one, in order, as far as they are ``given``, and whether the chain then ends in a
    root that is known: itself given, or ``trusted``. Trusted certificates are not part of what is returned."""
    pool, roots = list(given), list(trusted)
    chain: list[x509.Certificate] = []
    last = certificate
    while not is_self_signed(last):
        if any(is_issued_by(last, each) or each == last for each in roots):
            return tuple(chain), True
        above = next((each for each in pool if each not in chain and is_issued_by(last, each)), None)
        if above is None or len(chain) == MAX_CHAIN - 1:
            return tuple(chain), False
        chain.append(above)
        last = above
    return tuple(chain), True


def complete_chain(
    certificate: x509.Certificate, given: Sequence[x509.Certificate], trusted: Iterable[x509.Certificate], where: str
) -> tuple[x509.Certificate, ...]:
    """Return the certificates above one. Raises `CertificateError` that names the first missing one."""
    chain, is_complete = chain_of(certificate, given, trusted)
    if not is_complete:
        last = chain[-1] if chain else certificate
        raise CertificateError(
            f"{where}: the certificate of the issuer {distinguished_name(last.issuer)} is missing; give it too "
            "(--chain FILE), or trust it first (mqbridge certificate trust FILE)"
        )
    return chain
