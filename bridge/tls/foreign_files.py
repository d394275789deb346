"""Files of keys in other formats: PKCS#12 read and written, the others refused with the command that converts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12

from .errors import CertificateError
from .held import Held, with_certificate
from .key_repository import FOREIGN
from .keys import usable_key
from .pem import UNREADABLE, PemContents, whole_certificate

_KINDS: Final = {".kdb": "a key database of GSKit", ".jks": "a key store of Java"}
_SYNONYMS: Final = {".jceks": ".jks", ".keystore": ".jks"}
_MAGIC: Final = {b"\xfe\xed\xfe\xed": ".jks", b"\xce\xce\xce\xce": ".jks"}
_SEQUENCE: Final = 0x30
"""First byte of a PKCS#12 file, as of anything in DER."""


def conversion(file: Path, content: bytes = b"") -> str:
    """How to convert a file that is of no use here, by its name and first bytes; blank for others."""
    suffix = file.suffix.lower()
    kind = _MAGIC.get(content[:4]) or _SYNONYMS.get(suffix, suffix)
    return f"{file} is {_KINDS[kind]}; convert it: {FOREIGN[kind].format(name=file)}" if kind in _KINDS else ""


def is_pkcs12(content: bytes) -> bool:
    """Whether contents may be those of a PKCS#12 file."""
    return bool(content) and content[0] == _SEQUENCE and b"-----BEGIN" not in content[:64]


def read_pkcs12(content: bytes, password: bytes, where: str) -> Held:
    """Read key, certificate and chain of a PKCS#12 file. Raises `CertificateError`."""
    try:
        found = pkcs12.load_pkcs12(content, password or None)
    except (ValueError, TypeError) as error:
        raise CertificateError(f"{where}: the password is wrong, or it is no PKCS#12 file") from error
    except UnsupportedAlgorithm as error:
        raise CertificateError(f"{where} is protected in a way that is not supported: {error}") from error
    if found.key is None:
        raise CertificateError(f"{where} has no private key")
    held = [*([found.cert] if found.cert else []), *found.additional_certs]
    try:
        contents = PemContents(certificates=tuple(whole_certificate(each.certificate) for each in held))
    except UNREADABLE as error:
        raise CertificateError(f"{where}: a certificate in it is damaged: {error}") from error
    return with_certificate(usable_key(found.key, where), contents, where)


def write_pkcs12(held: Held, label: str, password: bytes) -> bytes:
    """A PKCS#12 file with key, certificate and chain."""
    if not password:
        raise CertificateError("the password is empty")
    encryption = serialization.BestAvailableEncryption(password)
    return pkcs12.serialize_key_and_certificates(label.encode(), held.key, held.certificate, held.chain, encryption)
