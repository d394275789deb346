"""Files of keys and certificates with damage in any place: read, or refused in words."""

from __future__ import annotations

import base64
import warnings
from functools import cache

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.tls import CertificateError
from mqbridge.bridge.tls.chains import chain_of, is_authority
from mqbridge.bridge.tls.foreign_files import read_pkcs12
from mqbridge.bridge.tls.held import describe, read_held, summary
from mqbridge.bridge.tls.labels import check_label
from mqbridge.bridge.tls.names import alternative_names, subject_name
from mqbridge.bridge.tls.pem import pem, read_certificates, read_pem
from support.tls.authority import Authority, Issued


@cache
def issued() -> Issued:
    return Authority().intermediate().issue("O=Space,OU=Planets,CN=EARTH,C=DE", curve=True)


@cache
def pkcs12_file() -> bytes:
    one, encryption = issued(), serialization.BestAvailableEncryption(b"secret")
    return pkcs12.serialize_key_and_certificates(b"key", one.key, one.certificate, one.chain, encryption)


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """The contents with up to four bytes changed, cut at one place, or both."""
    bytes_ = bytearray(content)
    for _ in range(draw(st.integers(0, 4))):
        bytes_[draw(st.integers(0, len(bytes_) - 1))] = draw(st.integers(0, 255))
    return bytes(bytes_[: draw(st.integers(1, len(bytes_)))] if draw(st.booleans()) else bytes_)


def read_everything(certificate: x509.Certificate) -> None:
    describe(certificate)
    summary(certificate)
    is_authority(certificate)
    chain_of(certificate, [certificate], [certificate])


def told(error: CertificateError, never: str) -> None:
    """A refusal begins with the file, and shows nothing that is secret."""
    assert str(error).startswith("file")
    assert never not in str(error)


@pytest.fixture(autouse=True)
def _parsers_may_warn() -> object:
    """The parser warns of what is odd and not damaged."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@given(st.data())
def test_damaged_certificates_are_read_or_refused(data: st.DataObject) -> None:
    content = data.draw(damaged(issued().certificate.public_bytes(serialization.Encoding.DER)))
    text = b"-----BEGIN CERTIFICATE-----\n" + base64.encodebytes(content) + b"-----END CERTIFICATE-----\n"
    for each in (content, text):
        try:
            found = read_certificates(each, "file")
        except CertificateError:
            continue
        for certificate in found:
            read_everything(certificate)


@given(st.data())
def test_damaged_files_of_keys_are_read_or_refused(data: st.DataObject) -> None:
    content = data.draw(damaged(issued().key_pem + issued().certificates_pem))
    try:
        read_everything(read_held(content, "file").certificate)
    except CertificateError as error:
        told(error, "PRIVATE KEY-----")


@given(st.data())
def test_damaged_pkcs12_files_are_read_or_refused(data: st.DataObject) -> None:
    content = data.draw(damaged(pkcs12_file()))
    try:
        read_everything(read_pkcs12(content, b"secret", "file").certificate)
    except CertificateError as error:
        told(error, "secret")


@given(st.binary(max_size=400))
def test_anything_may_be_given(content: bytes) -> None:
    for read in (read_pem, read_certificates, read_held):
        try:
            read(content, "file")
        except CertificateError:
            continue


@given(st.text(max_size=80))
def test_names_are_read_or_refused(text: str) -> None:
    for read in (subject_name, check_label, lambda host: alternative_names([host])):
        try:
            read(text)
        except CertificateError:
            continue


def test_what_is_whole_is_read() -> None:
    one = issued()
    assert read_certificates(pem(one.certificate), "file") == (one.certificate,)
    assert read_held(one.key_pem + one.certificates_pem, "file").chain == one.chain
    assert read_pkcs12(pkcs12_file(), b"secret", "file").certificate == one.certificate
