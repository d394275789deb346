"""What the rules of channels read of certificates, as values without OpenSSL."""

from __future__ import annotations

from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from mqbridge.bridge.security.tls import DistinguishedName, PeerCertificate, TlsConnection, TlsFault, cipher_spec
from mqbridge.protocol.constants import MQRQ

from .errors import TlsError

_TYPES: Final = {
    NameOID.COMMON_NAME.dotted_string: "CN",
    NameOID.ORGANIZATIONAL_UNIT_NAME.dotted_string: "OU",
    NameOID.DOMAIN_COMPONENT.dotted_string: "DC",
    NameOID.ORGANIZATION_NAME.dotted_string: "O",
    NameOID.STREET_ADDRESS.dotted_string: "STREET",
    NameOID.LOCALITY_NAME.dotted_string: "L",
    NameOID.STATE_OR_PROVINCE_NAME.dotted_string: "ST",
    NameOID.POSTAL_CODE.dotted_string: "PC",
    NameOID.COUNTRY_NAME.dotted_string: "C",
    NameOID.EMAIL_ADDRESS.dotted_string: "MAIL",
    NameOID.USER_ID.dotted_string: "UID",
    NameOID.TITLE.dotted_string: "T",
    NameOID.DN_QUALIFIER.dotted_string: "DNQ",
    NameOID.SERIAL_NUMBER.dotted_string: "SERIALNUMBER",
    NameOID.UNSTRUCTURED_NAME.dotted_string: "UNSTRUCTUREDNAME",
    "1.2.840.113549.1.9.8": "UNSTRUCTUREDADDRESS",
}
"""SSLPEER's names of attribute types."""
UNREADABLE: Final = (ValueError, x509.InvalidVersion)
"""Raised for certificates that cannot be read."""
_PROTOCOLS: Final = {"TLSv1.2": "TLSV12", "TLSv1.3": "TLSV13"}


def distinguished_name(name: x509.Name) -> DistinguishedName:
    """A distinguished name in the order of the certificate; values that are no text in hexadecimal."""
    found = []
    for attribute in name:
        value = attribute.value
        text = value if isinstance(value, str) else value.hex()
        found.append((_TYPES.get(attribute.oid.dotted_string, attribute.oid.dotted_string), text))
    return DistinguishedName(tuple(found))


def peer_certificate(certificate: x509.Certificate) -> PeerCertificate:
    """A certificate of the partner. Raises `TlsError` if its names cannot be read."""
    try:
        return PeerCertificate(
            distinguished_name(certificate.subject),
            distinguished_name(certificate.issuer),
            certificate.serial_number,
            certificate.not_valid_after_utc.timestamp(),
            certificate.public_bytes(Encoding.DER),
        )
    except UNREADABLE:
        raise unreadable_certificate() from None


def unreadable_certificate() -> TlsError:
    """A certificate that has passed the checks of OpenSSL and still cannot be read."""
    text = "the partner's certificate cannot be read"
    return TlsError(text, TlsFault("AMQ9633", (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR, stage="certificate"))


def connection_description(
    protocol: str, suite: str, certificate: x509.Certificate | None, *, server_name: str, channel: str, label: str
) -> TlsConnection:
    """What two ends agreed. ``protocol``, ``suite``: in OpenSSL's words. Raises `TlsError`."""
    spec = cipher_spec(suite)
    return TlsConnection(
        _PROTOCOLS.get(protocol, protocol),
        suite if spec is None else spec.name,
        server_name,
        channel,
        label,
        None if certificate is None else peer_certificate(certificate),
    )
