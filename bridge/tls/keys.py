"""Private keys: made, written and read as PEM."""

from __future__ import annotations

from typing import Final, TypeAlias

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes, PrivateKeyTypes

from .errors import CertificateError

Key: TypeAlias = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
KINDS: Final = ("rsa", "ec")
RSA_BITS: Final = 2048
MIN_RSA_BITS: Final = 2048
"""Shortest RSA key that is taken: what OpenSSL's and IBM's security levels accept."""
_OTHER_KIND: Final = "neither RSA nor ECDSA, which alone channels can use"
_PKCS8: Final = serialization.PrivateFormat.PKCS8
_PUBLIC: Final = serialization.PublicFormat.SubjectPublicKeyInfo


def new_key(kind: str) -> Key:
    """Make a key: ``rsa`` of 2048 bits, or ``ec`` on the curve P-256."""
    if kind == "ec":
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(65537, RSA_BITS)


def key_pem(key: Key, password: bytes = b"") -> bytes:
    """The key in PKCS#8, encrypted if there is a password."""
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if password:
        encryption = serialization.BestAvailableEncryption(password)
    return key.private_bytes(serialization.Encoding.PEM, _PKCS8, encryption)


def usable_key(key: PrivateKeyTypes | None, where: str) -> Key:
    """Return a key of a kind that channels can use. Raises `CertificateError`."""
    if isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        require_usable(key.public_key(), where)
        return key
    raise CertificateError(f"{where}: its key is {_OTHER_KIND}")


def require_usable(key: CertificatePublicKeyTypes, where: str) -> None:
    """Raise `CertificateError` for a public key that channels cannot use, or that is too short."""
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < MIN_RSA_BITS:
            raise CertificateError(f"{where}: an RSA key of {key.key_size} bits is too short; {MIN_RSA_BITS} at least")
    elif not isinstance(key, ec.EllipticCurvePublicKey):
        raise CertificateError(f"{where}: its key is {_OTHER_KIND}")


def read_key(content: bytes, password: bytes | None, where: str) -> Key:
    """Read a PEM key. Raises `CertificateError`; ``where`` begins its text."""
    try:
        return usable_key(serialization.load_pem_private_key(content, password or None), where)
    except TypeError as error:  # a password where there is none to give, or none where one is needed
        needs = "has no password" if password else "is encrypted: it needs its password"
        raise CertificateError(f"{where}: the private key {needs}") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        told = "the password is wrong, or the private key is damaged" if password else "the private key is damaged"
        raise CertificateError(f"{where}: {told}") from error


def fits(key: Key, certificate: x509.Certificate | x509.CertificateSigningRequest) -> bool:
    """Whether a certificate or request was made for a key."""
    return _public(key.public_key()) == _public(certificate.public_key())


def _public(key: object) -> bytes:
    der = serialization.Encoding.DER
    return key.public_bytes(der, _PUBLIC)  # type: ignore[attr-defined,no-any-return]
