"""Certificates of a queue manager, in the folder that SSLKEYR names.

::

    SSLKEYR/LABEL.pem      key, certificate and the certificates above it; only its owner may read it
    SSLKEYR/trusted/*.pem  certificates of authorities, or of partners themselves
    SSLKEYR/crl/*.pem      revocation lists, at most one in force for each authority
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Final, Protocol, TypeVar

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from mqbridge.bridge.security.tls import TlsFault

from .descriptions import UNREADABLE
from .errors import TlsError
from .pem_files import blocks, mode_of, read_file, repository_error, unreadable

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | ed448.Ed448PrivateKey

MAX_CHAIN: Final = 10
"""Certificates in the chain of one end at most."""
MAX_KEY_FILE: Final = 1 << 18
MAX_TRUSTED_FILE: Final = 1 << 22
MAX_CRL_FILE: Final = 1 << 26
"""Longest files in bytes."""
MAX_FILES: Final = 1000
"""Files of one folder at most."""
_LABEL: Final = re.compile(r"[a-z0-9_][a-z0-9._-]{0,63}\Z")
FOREIGN: Final = {
    ".kdb": "runmqakm -cert -export -db {name} -stashed -label LABEL -target key.p12 -target_type pkcs12, "
    "then mqbridge certificate import key.p12",
    ".jks": "keytool -importkeystore -srckeystore {name} -destkeystore key.p12 -deststoretype PKCS12, "
    "then mqbridge certificate import key.p12",
    ".p12": "mqbridge certificate import {name}",
    ".pfx": "mqbridge certificate import {name}",
}
"""What turns key repositories of others into ours, by suffix."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class OwnCertificate:
    """A certificate with its key. ``chain``: the certificates above it, the nearest first."""

    label: str
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...] = ()
    key: PrivateKey = field(repr=False, kw_only=True)

    @property
    def der(self) -> bytes:
        """The certificate as it travels."""
        return self.certificate.public_bytes(Encoding.DER)


class CertificateSource(Protocol):
    """Where the certificates of an end come from. Each call reads files; all raise `TlsError`."""

    def labels(self) -> tuple[str, ...]:
        """Return the labels of our own certificates."""
        ...

    def certificate(self, label: str) -> OwnCertificate:
        """Return our certificate with a label."""
        ...

    def trusted(self) -> tuple[x509.Certificate, ...]:
        """Return the certificates that are trusted."""
        ...

    def revocations(self) -> tuple[x509.CertificateRevocationList, ...]:
        """Return the revocation lists."""
        ...


class KeyRepository:
    """The key repository in a folder."""

    __slots__ = ("folder",)

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def labels(self) -> tuple[str, ...]:
        """The labels of our own certificates, in order. Raises `TlsError`."""
        self._require_folder()
        found = sorted(file.stem for file in _files(self.folder))
        return tuple(label for label in found if is_label(label))

    def certificate(self, label: str) -> OwnCertificate:
        """Our certificate with a label (in any case). Raises `TlsError`."""
        self._require_folder()
        file = self.file(label)
        if not mode_of(file):
            raise missing(label, f"there is no {file}")
        return own_certificate(label.lower(), file)

    def file(self, label: str) -> Path:
        """The file of a label. Raises `TlsError` if the label cannot be a file's name."""
        if not is_label(label.lower()):
            raise missing(label, "labels have letters, digits, '.', '_' and '-', 64 at most")
        return self.folder / f"{label.lower()}.pem"

    def trusted(self) -> tuple[x509.Certificate, ...]:
        """The certificates that are trusted: of authorities, or of partners themselves. Raises `TlsError`."""
        self._require_folder()
        files = _files(self.folder / "trusted")
        return tuple(each for file in files for each in trusted_certificates(file))

    def revocations(self) -> tuple[x509.CertificateRevocationList, ...]:
        """The certificate revocation lists. Raises `TlsError`."""
        self._require_folder()
        lists: list[x509.CertificateRevocationList] = []
        for file in _files(self.folder / "crl"):
            read = read_file(file, MAX_CRL_FILE)
            kind = "no certificate revocation list"
            lists.extend(_parsed(file, read, "X509 CRL", x509.load_pem_x509_crl, kind))
        return tuple(lists)

    def _require_folder(self) -> None:
        folder = self.folder
        for suffix, command in (FOREIGN if folder.name else {}).items():  # "/" and "." have no name
            stem = folder if folder.suffix.lower() == suffix else folder.with_name(folder.name + suffix)
            if stem is folder or (S_ISREG(mode_of(stem)) and not S_ISDIR(mode_of(folder))):
                command = command.format(name=stem.name)
                raise repository_error(f"the key repository is a folder of PEM files, {stem} is none: {command}")
        if not S_ISDIR(mode := mode_of(folder)):
            found = "is no folder" if mode else "does not exist"
            raise repository_error(
                f"the key repository {folder} {found}: mqbridge certificate create, or certificate request, makes it"
            )


class KeyFiles:
    """Certificates of a program that names files: its own and those it trusts, or neither.

    ``certificate``: a file as in a key repository. ``trusted``: a file of certificates, or a folder of such files.
    """

    __slots__ = ("_certificate", "_trusted")

    def __init__(self, certificate: Path | None = None, trusted: Path | None = None) -> None:
        self._certificate = certificate
        self._trusted = trusted

    def labels(self) -> tuple[str, ...]:
        """The name of the certificate's file, without its suffix."""
        return () if self._certificate is None else (self._certificate.stem.lower(),)

    def certificate(self, label: str) -> OwnCertificate:
        """The certificate, whatever its label. Raises `TlsError`."""
        if self._certificate is None:
            raise missing(label, "no file with a certificate was named")
        return own_certificate(self._certificate.stem.lower(), self._certificate)

    def trusted(self) -> tuple[x509.Certificate, ...]:
        """The certificates that are trusted. Raises `TlsError`."""
        if self._trusted is None:
            return ()
        files = _files(self._trusted) if S_ISDIR(mode_of(self._trusted)) else [self._trusted]
        return tuple(each for file in files for each in trusted_certificates(file))

    def revocations(self) -> tuple[x509.CertificateRevocationList, ...]:
        """No revocation lists."""
        return ()


def is_label(text: str) -> bool:
    """Whether a text in lower case can be a label: the name of a file without its suffix."""
    return _LABEL.match(text) is not None


def missing(label: str, why: str) -> TlsError:
    """We have no certificate with a label."""
    text = f"we have no certificate {label!r}: {why}; mqbridge certificate create, or certificate request, makes it"
    return TlsError(text, TlsFault("AMQ9642", (text,)))


def own_certificate(label: str, file: Path, key_file: Path | None = None) -> OwnCertificate:
    """Read a file with key, certificate and the certificates above it. Raises `TlsError`.

    ``key_file``: has the key, if that is not in the same file.
    """
    read = read_file(file, MAX_KEY_FILE, secret=key_file is None)
    certificates = _parsed(file, read, "CERTIFICATE", x509.load_pem_x509_certificate, "no certificate")
    where = file if key_file is None else key_file
    secret = read if key_file is None else read_file(key_file, MAX_KEY_FILE, secret=True)
    keys = [block for kind, block in blocks(secret) if kind.endswith("PRIVATE KEY")]
    if not keys:
        raise repository_error(f"{where} has no private key")
    if len(keys) > 1:
        raise repository_error(f"{where} has {len(keys)} private keys")
    if not certificates:
        raise repository_error(f"{file} has a key and no certificate")
    if len(certificates) > MAX_CHAIN:
        raise repository_error(f"{file} has {len(certificates)} certificates, {MAX_CHAIN} are allowed")
    key = _private_key(where, keys[0])
    if _public(key.public_key()) != _public(certificates[0].public_key()):
        raise repository_error(f"the key in {where} is not that of the first certificate in {file}")
    return OwnCertificate(label, certificates[0], tuple(certificates[1:]), key=key)


def trusted_certificates(file: Path) -> list[x509.Certificate]:
    """Read a file of certificates that are trusted. Raises `TlsError`."""
    read = read_file(file, MAX_TRUSTED_FILE)
    if any(kind.endswith("PRIVATE KEY") for kind, _ in blocks(read)):
        raise repository_error(f"{file} has a private key: only certificates belong among the trusted ones")
    return _parsed(file, read, "CERTIFICATE", x509.load_pem_x509_certificate, "no certificate")


def _files(folder: Path) -> list[Path]:
    """The PEM files of a folder, in order; none if there is no such folder."""
    try:
        found = sorted(file for file in folder.iterdir() if file.suffix == ".pem" and not file.name.startswith("."))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise unreadable(folder, error) from None
    if len(found) > MAX_FILES:
        raise repository_error(f"{folder} has {len(found)} files, {MAX_FILES} are allowed")
    return found


def _parsed(file: Path, read: bytes, kind: str, load: Callable[[bytes], _T], none: str) -> list[_T]:
    """The blocks of a kind as values; at least one, unless the file has blocks of another kind. Raises `TlsError`."""
    found = list(_loaded(file, read, kind, load))
    if not found and not any(label.endswith("PRIVATE KEY") for label, _ in blocks(read)):
        raise repository_error(f"{file} has {none} in PEM form")
    return found


def _loaded(file: Path, read: bytes, kind: str, load: Callable[[bytes], _T]) -> Iterator[_T]:
    number = 0
    for label, block in blocks(read):
        if label == kind:
            number += 1
            try:
                yield load(block)
            except (*UNREADABLE, UnsupportedAlgorithm):
                raise repository_error(f"block {number} ({kind}) of {file} is damaged") from None


def _private_key(file: Path, block: bytes) -> PrivateKey:
    if b"ENCRYPTED" in block:
        raise repository_error(
            f"the key in {file} has a password, nobody is there to enter it at a start: "
            f"openssl pkey -in {file.name} removes it"
        )
    try:
        key = load_pem_private_key(block, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise repository_error(f"the key in {file} is damaged") from None  # without the words of the parser
    if not isinstance(key, PrivateKey):
        raise repository_error(f"the key in {file} is neither RSA, EC nor EdDSA")
    return key


def _public(key: object) -> bytes:
    """A public key in comparable form; empty if it has none."""
    if not isinstance(
        key, rsa.RSAPublicKey | ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | ed448.Ed448PublicKey
    ):
        return b""
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
