"""A certificate authority for tests: issues, revokes, and writes what a key repository holds."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
_TYPES = {
    "CN": NameOID.COMMON_NAME, "OU": NameOID.ORGANIZATIONAL_UNIT_NAME, "O": NameOID.ORGANIZATION_NAME,
    "C": NameOID.COUNTRY_NAME, "L": NameOID.LOCALITY_NAME, "ST": NameOID.STATE_OR_PROVINCE_NAME,
    "DC": NameOID.DOMAIN_COMPONENT, "UID": NameOID.USER_ID, "E": NameOID.EMAIL_ADDRESS, "T": NameOID.TITLE,
}  # fmt: skip
DAY = datetime.timedelta(days=1)


@cache
def rsa_key(number: int = 0) -> rsa.RSAPrivateKey:
    """An RSA key, made once for each number."""
    return rsa.generate_private_key(65537, 2048)


def distinguished_name(text: str) -> x509.Name:
    """``O=Space,OU=Planets,CN=EARTH`` in the order of the certificate, the highest unit first."""
    parts = [part.partition("=") for part in text.split(",")]
    return x509.Name([x509.NameAttribute(_TYPES[kind], value) for kind, _, value in parts])


@dataclass(frozen=True)
class Issued:
    """A certificate with its key and the certificates above it."""

    certificate: x509.Certificate
    key: Key
    chain: tuple[x509.Certificate, ...] = ()

    @property
    def certificates_pem(self) -> bytes:
        """The certificate and its chain."""
        return b"".join(pem(each) for each in (self.certificate, *self.chain))

    @property
    def key_pem(self) -> bytes:
        """The key, without password."""
        kind = serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())

    def save(self, file: Path) -> Path:
        """Write key and chain to one file, for its owner only."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_bytes(self.key_pem + self.certificates_pem)
        return file


def pem(certificate: x509.Certificate) -> bytes:
    """The certificate as PEM."""
    return certificate.public_bytes(serialization.Encoding.PEM)


class Authority:
    """An authority with a root certificate; `intermediate` returns one below it.

    ``identifier`` names its key in the certificates that it issues; from Python 3.13 on they must have one.
    """

    def __init__(
        self,
        name: str = "O=Tests,CN=Authority",
        above: Authority | None = None,
        *,
        valid: tuple[float, float] = (-30, 3650),
    ) -> None:
        self._serial = 0x1000
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        self.name = distinguished_name(name)
        issuer, key = (above.name, above._key) if above else (self.name, self._key)
        now = datetime.datetime.now(datetime.UTC)
        built = x509.CertificateBuilder(
            issuer, self.name, self._key.public_key(), x509.random_serial_number(), now + valid[0] * DAY,
            now + valid[1] * DAY,
        )  # fmt: skip
        built = built.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
        built = built.add_extension(usage, critical=True)
        built = built.add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
        if above:
            built = built.add_extension(above.identifier, critical=False)
        self.certificate = built.sign(key, hashes.SHA256())
        self.chain: tuple[x509.Certificate, ...] = (self.certificate, *above.chain) if above else ()

    def intermediate(self, name: str = "O=Tests,CN=Intermediate") -> Authority:
        """An authority whose certificate this one has signed."""
        return Authority(name, self)

    def issue(
        self,
        name: str,
        *,
        hosts: Sequence[str] = ("localhost", "127.0.0.1"),
        valid: tuple[float, float] = (-1, 365),
        curve: bool = False,
        serial: int | None = None,
    ) -> Issued:
        """Issue a certificate for an end. ``valid``: from and until, in days from now; ``curve``: an ECDSA key."""
        self._serial += 1
        key: Key = ec.generate_private_key(ec.SECP256R1()) if curve else rsa_key()
        now = datetime.datetime.now(datetime.UTC)
        built = x509.CertificateBuilder(
            self.name, distinguished_name(name), key.public_key(), self._serial if serial is None else serial,
            now + valid[0] * DAY, now + valid[1] * DAY,
        )  # fmt: skip
        names = [_alternative(host) for host in hosts]
        if names:
            built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
        built = built.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        built = built.add_extension(self.identifier, critical=False)
        return Issued(built.sign(self._key, hashes.SHA256()), key, self.chain)

    def sign(self, request: x509.CertificateSigningRequest, *, valid: tuple[float, float] = (-1, 365)) -> bytes:
        """The certificate that a request asks for, as PEM, without its chain."""
        self._serial += 1
        now = datetime.datetime.now(datetime.UTC)
        built = x509.CertificateBuilder(
            self.name, request.subject, request.public_key(), self._serial, now + valid[0] * DAY, now + valid[1] * DAY
        )
        return pem(built.sign(self._key, hashes.SHA256()))

    def trust_file(self, file: Path) -> Path:
        """Write the root certificate, or that of this intermediate authority."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pem(self.certificate))
        return file

    def revoke(self, *issued: Issued, valid: tuple[float, float] = (-1, 7)) -> bytes:
        """A CRL as PEM that revokes some certificates."""
        now = datetime.datetime.now(datetime.UTC)
        built = x509.CertificateRevocationListBuilder(self.name, now + valid[0] * DAY, now + valid[1] * DAY)
        for each in issued:
            revoked = x509.RevokedCertificateBuilder(each.certificate.serial_number, now - DAY)
            built = built.add_revoked_certificate(revoked.build())
        return built.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
