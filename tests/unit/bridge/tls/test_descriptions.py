"""Certificates as values: names of attribute types as SSLPEER has them."""

from __future__ import annotations

import datetime

import pytest
from cryptography import x509
from cryptography.x509 import NameAttribute, ObjectIdentifier
from cryptography.x509.oid import NameOID

from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls.descriptions import connection_description, distinguished_name, peer_certificate
from support.tls.authority import Authority


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("2.5.4.3", "CN"),
        ("2.5.4.11", "OU"),
        ("0.9.2342.19200300.100.1.25", "DC"),
        ("2.5.4.10", "O"),
        ("2.5.4.9", "STREET"),
        ("2.5.4.7", "L"),
        ("2.5.4.8", "ST"),
        ("2.5.4.17", "PC"),
        ("1.2.840.113549.1.9.1", "MAIL"),
        ("0.9.2342.19200300.100.1.1", "UID"),
        ("2.5.4.12", "T"),
        ("2.5.4.46", "DNQ"),
        ("2.5.4.5", "SERIALNUMBER"),
        ("1.2.840.113549.1.9.2", "UNSTRUCTUREDNAME"),
        ("1.2.840.113549.1.9.8", "UNSTRUCTUREDADDRESS"),
        ("2.5.4.4", "2.5.4.4"),
    ],
)
def test_types_of_attributes(number: str, name: str) -> None:
    made = x509.Name([NameAttribute(ObjectIdentifier(number), "value")])
    assert distinguished_name(made).attributes == ((name, "value"),)


def test_a_name_keeps_the_order_of_the_certificate() -> None:
    made = x509.Name(
        [
            NameAttribute(NameOID.COUNTRY_NAME, "GB"),
            NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Outer"),
            NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Inner, and more"),
            NameAttribute(NameOID.COMMON_NAME, "Gr\N{LATIN SMALL LETTER U WITH DIAERESIS}n"),
        ]
    )
    found = distinguished_name(made)
    assert [kind for kind, _ in found.attributes] == ["C", "OU", "OU", "CN"]
    assert str(found) == 'CN=Gr\N{LATIN SMALL LETTER U WITH DIAERESIS}n,OU=Outer,OU="Inner, and more",C=GB'


def test_a_value_that_is_no_text() -> None:
    made = x509.Name([NameAttribute(NameOID.X500_UNIQUE_IDENTIFIER, b"\1\2", x509.name._ASN1Type.BitString)])
    assert distinguished_name(made).attributes == (("2.5.4.45", "0102"),)


@pytest.mark.spec("T-09")
def test_a_certificate_of_the_partner() -> None:
    issued = Authority().issue("O=Space,CN=EARTH", curve=True, serial=0x0FAB)
    found = peer_certificate(issued.certificate)
    assert found.peer_name == "SERIALNUMBER=0F:AB,CN=EARTH,O=Space"
    assert str(found.issuer) == "CN=Authority,O=Tests"
    assert datetime.datetime.fromtimestamp(found.not_after, datetime.UTC) == issued.certificate.not_valid_after_utc


@pytest.mark.spec("T-09")
@pytest.mark.parametrize(
    ("protocol", "suite", "secprot", "name"),
    [
        ("TLSv1.3", "TLS_AES_256_GCM_SHA384", "TLSV13", "TLS_AES_256_GCM_SHA384"),
        ("TLSv1.2", "ECDHE-RSA-AES128-SHA256", "TLSV12", "ECDHE_RSA_AES_128_CBC_SHA256"),
        ("TLSv1.2", "AES256-GCM-SHA384", "TLSV12", "TLS_RSA_WITH_AES_256_GCM_SHA384"),
        ("TLSv9", "NEW", "TLSv9", "NEW"),
    ],
)
def test_what_was_agreed(protocol: str, suite: str, secprot: str, name: str) -> None:
    found = connection_description(protocol, suite, None, server_name="a.b", channel="TO.EARTH", label="earth")
    assert found == TlsConnection(secprot, name, "a.b", "TO.EARTH", "earth", None)
