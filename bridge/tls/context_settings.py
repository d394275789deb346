"""Contexts of OpenSSL: versions, cipher suites, certificates and checks of one kind of session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cryptography import x509
from OpenSSL import SSL
from OpenSSL.crypto import X509, Error, X509StoreFlags

from mqbridge.bridge.security.tls import TlsFault, cipher_spec
from mqbridge.bridge.security.tls.cipher_specs import TLS_1_3
from mqbridge.protocol.constants import MQRQ

from .errors import TlsError
from .key_log import KeyLog
from .key_repository import MAX_CHAIN, OwnCertificate
from .pem_files import repository_error
from .verification import fingerprint, verifier

_OPTIONS: Final = SSL.OP_NO_RENEGOTIATION | SSL.OP_NO_COMPRESSION | SSL.OP_NO_TICKET | SSL.OP_CIPHER_SERVER_PREFERENCE
_TOO_WEAK: Final = frozenset(("TLS_AES_128_CCM_8_SHA256",))
"""CipherSpecs below OpenSSL's level of security: this one authenticates with 64 bits."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What sessions of one context have in common. ``label``: of our certificate, blank for none."""

    answers: bool
    cipher_specs: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class TrustedCertificates:
    """Whom we trust. ``fingerprints``: of the trusted certificates; ``crl_required``: other certificates need a
    revocation list; ``system``: the system's authorities are trusted too."""

    certificates: tuple[X509, ...]
    fingerprints: frozenset[bytes]
    revocations: tuple[x509.CertificateRevocationList, ...]
    crl_required: bool = False
    system: bool = False


def trust(
    certificates: tuple[x509.Certificate, ...],
    revocations: tuple[x509.CertificateRevocationList, ...],
    *,
    crl_required: bool,
    system: bool,
) -> TrustedCertificates:
    """Whom we trust; the contexts share OpenSSL's copies. Raises `TlsError`."""
    try:
        copies = tuple(X509.from_cryptography(each) for each in certificates)
    except Error:
        raise repository_error("OpenSSL cannot read a certificate that is trusted") from None
    fingerprints = frozenset(map(fingerprint, copies))
    return TrustedCertificates(copies, fingerprints, revocations, crl_required, system)


def make_context(
    settings: Settings, own: OwnCertificate | None, trusted: TrustedCertificates, key_log: KeyLog | None
) -> SSL.Context:
    """A context for sessions with such settings. Raises `TlsError`."""
    context = SSL.Context(SSL.TLS_SERVER_METHOD if settings.answers else SSL.TLS_CLIENT_METHOD)
    context.set_options(_OPTIONS)
    context.set_mode(SSL.MODE_RELEASE_BUFFERS)
    context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    _offer(context, settings.cipher_specs)
    if own is not None:
        _use(context, own)
    _trust(context, trusted)
    if key_log is not None:
        context.set_keylog_callback(lambda _, line: key_log.write(line))
    return context


def _offer(context: SSL.Context, cipher_specs: tuple[str, ...]) -> None:
    """Offer exactly these CipherSpecs, in their order."""
    found = [spec for name in cipher_specs if (spec := cipher_spec(name)) is not None and name not in _TOO_WEAK]
    newer = [spec.openssl for spec in found if spec.protocol == TLS_1_3]
    older = [spec.openssl for spec in found if spec.protocol != TLS_1_3]
    if not newer and not older:
        text = "no CipherSpec is left to offer"
        if weak := _TOO_WEAK.intersection(cipher_specs):
            text = f"OpenSSL does not use {', '.join(weak)} at its level of security"
        raise TlsError(text, TlsFault("AMQ9616", (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR))
    try:
        context.set_min_proto_version(SSL.TLS1_2_VERSION if older else SSL.TLS1_3_VERSION)
        context.set_max_proto_version(SSL.TLS1_3_VERSION if newer else SSL.TLS1_2_VERSION)
        if older:
            context.set_cipher_list(":".join(older).encode())
        context.set_tls13_ciphersuites(":".join(newer).encode())
    except SSL.Error:
        text = f"OpenSSL supports none of {', '.join(cipher_specs)}"
        raise TlsError(text, TlsFault("AMQ9616", (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR)) from None


def _use(context: SSL.Context, own: OwnCertificate) -> None:
    try:
        context.use_certificate(own.certificate)
        for each in own.chain:
            context.add_extra_chain_cert(each)
        context.use_privatekey(own.key)
        context.check_privatekey()
    except SSL.Error as error:
        found = error.args[0] if error.args and isinstance(error.args[0], list) else []
        words = ", ".join(reason for *_, reason in found if reason)
        raise repository_error(f"certificate {own.label} cannot be used: {words}") from None


def _trust(context: SSL.Context, trusted: TrustedCertificates) -> None:
    """Check the chain of the partner, whether it must have a certificate or not."""
    store = context.get_cert_store()
    assert store is not None
    flags = X509StoreFlags.PARTIAL_CHAIN
    try:
        for certificate in trusted.certificates:
            store.add_cert(certificate)
        for revocation in trusted.revocations:
            store.add_crl(revocation)
    except Error:
        raise repository_error("a certificate or a revocation list that is trusted cannot be used") from None
    if trusted.revocations or trusted.crl_required:
        flags |= X509StoreFlags.CRL_CHECK | X509StoreFlags.CRL_CHECK_ALL
    store.set_flags(flags)
    if trusted.system:
        context.set_default_verify_paths()
    context.set_verify_depth(MAX_CHAIN)
    context.set_verify(SSL.VERIFY_PEER, verifier(trusted.fingerprints, trusted.crl_required))
