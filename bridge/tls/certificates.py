"""Certificates made: self-signed ones, those that an authority signs, and an authority's own."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID

from .errors import CertificateError
from .keys import Key
from .names import alternative_names

DAYS: Final = 365
"""Days that a certificate of an end is valid, unless another number is asked for."""
MAX_DAYS: Final = 3650
AUTHORITY_DAYS: Final = 3650
_EARLIER: Final = datetime.timedelta(hours=1)
"""How long before it is made a certificate begins to be valid, for partners whose clock is late."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a certificate is to say: its ``subject``, ``hosts``, and for how many ``days`` it is valid."""

    subject: x509.Name
    hosts: Sequence[str] = ()
    days: int = DAYS


def self_signed(wanted: Wanted, key: Key, now: datetime.datetime) -> x509.Certificate:
    """Make a certificate that its own key signs. Raises `CertificateError`."""
    built = _begun(wanted.subject, wanted.subject, key.public_key(), now, now + _days(wanted.days))
    # Without KeyUsage: with one, a root would have to be an authority.
    return _of_an_end(built, wanted.hosts).sign(key, hashes.SHA256())


def authority_certificate(name: x509.Name, key: Key, now: datetime.datetime) -> x509.Certificate:
    """Make the certificate of an authority that signs certificates of ends only."""
    built = _begun(name, name, key.public_key(), now, now + _days(AUTHORITY_DAYS))
    built = built.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    return built.add_extension(_usage(key_cert_sign=True, crl_sign=True), critical=True).sign(key, hashes.SHA256())


def signed(
    wanted: Wanted, public_key: object, issuer: x509.Certificate, issuer_key: Key, now: datetime.datetime
) -> x509.Certificate:
    """Make a certificate of an end that an authority signs, valid no longer than the authority's own.

    Raises `CertificateError`.
    """
    until = min(now + _days(wanted.days), issuer.not_valid_after_utc)
    if until <= now:
        raise CertificateError(f"the authority's certificate has expired on {issuer.not_valid_after_utc:%Y-%m-%d}")
    built = _begun(wanted.subject, issuer.subject, public_key, now, until)
    built = _of_an_end(built, wanted.hosts)
    built = built.add_extension(_usage(digital_signature=True, key_encipherment=True), critical=True)
    above = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    identifier = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(above)
    return built.add_extension(identifier, critical=False).sign(issuer_key, hashes.SHA256())


def _days(number: int) -> datetime.timedelta:
    if not 1 <= number <= MAX_DAYS:
        raise CertificateError(f"a certificate is valid for 1 to {MAX_DAYS} days, not {number}")
    return datetime.timedelta(days=number)


def _begun(
    subject: x509.Name, issuer: x509.Name, public_key: object, now: datetime.datetime, until: datetime.datetime
) -> x509.CertificateBuilder:
    built = x509.CertificateBuilder(
        issuer,
        subject,
        public_key,  # type: ignore[arg-type]
        x509.random_serial_number(),
        now - _EARLIER,
        until,
    )
    identifier = x509.SubjectKeyIdentifier.from_public_key(public_key)  # type: ignore[arg-type]
    return built.add_extension(identifier, critical=False)


def _of_an_end(built: x509.CertificateBuilder, hosts: Sequence[str]) -> x509.CertificateBuilder:
    """Both ends of a channel may use the certificate, whichever calls."""
    names = alternative_names(hosts)
    if names is not None:
        built = built.add_extension(names, critical=False)
    both = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    built = built.add_extension(both, critical=False)
    return built.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)


def _usage(
    *,
    digital_signature: bool = False,
    key_encipherment: bool = False,
    key_cert_sign: bool = False,
    crl_sign: bool = False,
) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=False,
        key_encipherment=key_encipherment,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        encipher_only=False,
        decipher_only=False,
    )
