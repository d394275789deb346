"""Tokens of an enrolment: text, keys, and what they say of the gateway."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.token import FINGERPRINT, KEY, Token, fingerprint_of

TOKENS = st.builds(
    Token, st.binary(min_size=5, max_size=5), st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16)
)


def certificate(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, days: int, name: str = "EARTH") -> bytes:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=days))
    )
    return built.sign(key, hashes.SHA256()).public_bytes(Encoding.DER)


@given(TOKENS)
def test_a_token_is_read_as_it_was_printed(token: Token) -> None:
    text = token.text()
    assert Token.parse(text) == token
    assert Token.parse(f"  {text.lower().replace('-', ' ')}\n") == token
    assert Token.parse(text.replace("0", "o").replace("1", "l")) == token
    assert text.startswith(token.name)
    assert len(text) == 64 + 15


@given(TOKENS, st.integers(0, 63), st.integers(1, 31))
def test_a_mistyped_token_is_refused(token: Token, place: int, other: int) -> None:
    digits = list(token.text().replace("-", ""))
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    digits[place] = alphabet[(alphabet.index(digits[place]) + other) % 32]
    with pytest.raises(EveryplaceError, match="mistyped") as caught:
        Token.parse("".join(digits))
    assert caught.value.code is Code.SYNTAX
    assert "".join(digits) not in str(caught.value)


@pytest.mark.parametrize(("text", "words"), [("7QK2", "4 characters"), ("U" * 64, "'U'"), ("", "0 characters")])
def test_what_is_no_token_is_refused(text: str, words: str) -> None:
    with pytest.raises(EveryplaceError, match=words):
        Token.parse(text)


@pytest.mark.spec("E-440")
def test_the_key_depends_on_secret_code_and_name() -> None:
    token = Token.make(random.Random(1))
    key = token.key("MOON")
    assert len(key) == KEY
    others = [
        token.key("MARS"),
        token._replace(code=bytes(5)).key("MOON"),
        token._replace(secret=bytes(16)).key("MOON"),
    ]
    assert key not in others


@pytest.mark.spec("E-571")
def test_the_secret_is_in_no_representation() -> None:
    token = Token.make(random.Random(2))
    secret = token.text()[10:]
    for shown in (repr(token), str(token), f"{token}", f"{[token]}"):
        assert secret[:9] not in shown
        assert token.secret.hex() not in shown
        assert repr(token.secret) not in shown


@pytest.mark.parametrize(
    "make", [lambda: rsa.generate_private_key(65537, 2048), lambda: ec.generate_private_key(ec.SECP256R1())]
)
def test_the_fingerprint_stays_when_a_certificate_is_renewed(make: object) -> None:
    key, other = make(), make()  # type: ignore[operator]
    first = fingerprint_of(certificate(key, 1))
    assert len(first) == FINGERPRINT
    assert fingerprint_of(certificate(key, 1000, "ANOTHER NAME")) == first
    assert fingerprint_of(certificate(other, 1)) != first


@given(st.binary(max_size=80))
def test_what_is_no_certificate_has_no_fingerprint(data: bytes) -> None:
    with pytest.raises(EveryplaceError):
        fingerprint_of(data)


def test_a_cut_certificate_has_no_fingerprint() -> None:
    whole = certificate(ec.generate_private_key(ec.SECP256R1()), 1)
    for length in range(len(whole) - 1):
        with pytest.raises(EveryplaceError, match="no certificate"):
            fingerprint_of(whole[:length])
