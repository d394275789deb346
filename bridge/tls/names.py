"""Names in certificates: subjects as text, and the hosts of Subject Alternative Names."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cryptography import x509
from cryptography.x509.oid import NameOID

from .errors import CertificateError

MAX_SUBJECT: Final = 1024
"""Longest subject as text."""
MAX_HOSTS: Final = 100
TYPES: Final = {
    "CN": NameOID.COMMON_NAME,
    "OU": NameOID.ORGANIZATIONAL_UNIT_NAME,
    "O": NameOID.ORGANIZATION_NAME,
    "L": NameOID.LOCALITY_NAME,
    "ST": NameOID.STATE_OR_PROVINCE_NAME,
    "STREET": NameOID.STREET_ADDRESS,
    "PC": NameOID.POSTAL_CODE,
    "C": NameOID.COUNTRY_NAME,
    "DC": NameOID.DOMAIN_COMPONENT,
    "UID": NameOID.USER_ID,
    "MAIL": NameOID.EMAIL_ADDRESS,
    "T": NameOID.TITLE,
    "DNQ": NameOID.DN_QUALIFIER,
}
"""Attribute types of a subject, by MQ's names (tls.md, SSLPEER)."""
_SYNONYMS: Final = {"S": "ST", "SP": "ST", "USERID": "UID", "E": "MAIL", "EMAIL": "MAIL"}
_PART: Final = r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?"
_HOST: Final = re.compile(rf"(\*\.)?{_PART}(\.{_PART})*")


def subject_name(text: str) -> x509.Name:
    """Read a subject, the lowest unit first as MQ shows it: ``CN=EARTH,OU=Planets,O=Space``.

    A value with a comma or semicolon stands in double quotes; ``\\`` takes the next character as it is. Raises
    `CertificateError`.
    """
    if len(text) > MAX_SUBJECT:
        raise CertificateError(f"a subject has at most {MAX_SUBJECT} characters")
    attributes = [_attribute(part, text) for part in _parts(text)]
    return x509.Name(attributes[::-1])


def _attribute(part: str, text: str) -> x509.NameAttribute[str]:
    kind, equals, value = part.partition("=")
    word = kind.strip().upper()
    word = _SYNONYMS.get(word, word)
    if not equals or word not in TYPES:
        raise CertificateError(
            f"{text!r} is no subject: {part.strip()!r} is not of the form TYPE=value with one of {', '.join(TYPES)}"
        )
    try:
        return x509.NameAttribute(TYPES[word], _unquoted(value.strip()))
    except ValueError as error:
        raise CertificateError(f"{text!r} is no subject: {part.strip()!r}: {error}") from error


def _unquoted(value: str) -> str:
    if len(value) > 1 and value.startswith('"') and value.endswith('"'):
        value = value[1:-1]
    return re.sub(r"\\(.)", r"\1", value)


def _parts(text: str) -> Iterator[str]:
    """Divide a subject at commas and semicolons that are not quoted."""
    part, quoted, escaped = "", False, False
    for each in text:
        if not escaped and not quoted and each in ",;":
            yield part
            part = ""
            continue
        if each == '"' and not escaped:
            quoted = not quoted
        escaped = each == "\\" and not escaped
        part += each
    if quoted:
        raise CertificateError(f"{text!r} is no subject: a double quote is not closed")
    yield part


def quoted_value(value: str) -> str:
    """A value as `subject_name` reads it."""
    return re.sub(r'([\\,;"])', r"\\\1", value)


def alternative_names(hosts: Iterable[str]) -> x509.SubjectAlternativeName | None:
    """The Subject Alternative Names of host names and addresses; None without any. Raises `CertificateError`."""
    names = [_alternative(host) for host in dict.fromkeys(hosts)]
    if len(names) > MAX_HOSTS:
        raise CertificateError(f"a certificate names at most {MAX_HOSTS} hosts")
    return x509.SubjectAlternativeName(names) if names else None


def hosts_of(names: x509.SubjectAlternativeName) -> Sequence[str]:
    """The host names and addresses among Subject Alternative Names."""
    addresses = (str(address) for address in names.get_values_for_type(x509.IPAddress))
    return [*names.get_values_for_type(x509.DNSName), *addresses]


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        if len(host) > 253 or not _HOST.fullmatch(host):
            raise CertificateError(f"{host!r} is neither a host name nor an address") from None
        return x509.DNSName(host)
