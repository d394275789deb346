"""CipherSpecs and aliases: what a value of SSLCIPH allows (tls.md, CipherSpecs)."""

from __future__ import annotations

import pytest
from OpenSSL import SSL

from mqbridge.bridge.security.tls import CIPHER_SPECS, allowed, cipher_spec, cipher_spec_numbered, problem_of
from mqbridge.bridge.security.tls.cipher_specs import ALIASES, DEPRECATED

pytestmark = pytest.mark.spec("tls.md T-12")

NUMBERS = {
    "TLS_CHACHA20_POLY1305_SHA256": 0x1303, "TLS_AES_256_GCM_SHA384": 0x1302, "TLS_AES_128_GCM_SHA256": 0x1301,
    "TLS_AES_128_CCM_SHA256": 0x1304, "TLS_AES_128_CCM_8_SHA256": 0x1305,
    "TLS_RSA_WITH_AES_256_GCM_SHA384": 0x009D, "ECDHE_ECDSA_AES_256_GCM_SHA384": 0xC02C,
    "ECDHE_RSA_AES_256_GCM_SHA384": 0xC030, "TLS_RSA_WITH_AES_256_CBC_SHA256": 0x003D,
    "ECDHE_ECDSA_AES_256_CBC_SHA384": 0xC024, "ECDHE_RSA_AES_256_CBC_SHA384": 0xC028,
    "TLS_RSA_WITH_AES_128_GCM_SHA256": 0x009C, "ECDHE_ECDSA_AES_128_GCM_SHA256": 0xC02B,
    "ECDHE_RSA_AES_128_GCM_SHA256": 0xC02F, "TLS_RSA_WITH_AES_128_CBC_SHA256": 0x003C,
    "ECDHE_ECDSA_AES_128_CBC_SHA256": 0xC023, "ECDHE_RSA_AES_128_CBC_SHA256": 0xC027,
}  # fmt: skip
"""The table of the notes."""


def test_all_are_there() -> None:
    assert {each.name: each.number for each in CIPHER_SPECS} == NUMBERS


@pytest.mark.parametrize("each", CIPHER_SPECS, ids=lambda each: each.name)
def test_one_cipher_spec(each: object) -> None:
    spec = cipher_spec(each.name)  # type: ignore[attr-defined]
    assert spec is not None
    assert cipher_spec(spec.iana) is cipher_spec(spec.openssl) is cipher_spec_numbered(spec.number) is spec
    assert allowed(spec.name) == allowed(spec.iana) == (spec.name,)
    assert problem_of(spec.name) == ""
    assert spec.protocol == ("TLSV13" if spec.number >> 8 == 0x13 else "TLSV12")


def test_openssl_has_them() -> None:
    context = SSL.Context(SSL.TLS_METHOD)
    context.set_cipher_list(b"ALL:@SECLEVEL=0")
    known = set(SSL.Connection(context).get_cipher_list())
    assert {each.openssl for each in CIPHER_SPECS if each.protocol == "TLSV12"} <= known


def test_our_preference() -> None:
    """TLS 1.3, then ECDHE before RSA, GCM before CBC."""
    ranks = [(each.protocol == "TLSV12", each.name.startswith("TLS_RSA"), "CBC" in each.name) for each in CIPHER_SPECS]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize(
    ("alias", "protocols"),
    [
        ("ANY", {"TLSV12", "TLSV13"}),
        ("ANY_TLS12", {"TLSV12"}),
        ("ANY_TLS12_OR_HIGHER", {"TLSV12", "TLSV13"}),
        ("ANY_TLS13", {"TLSV13"}),
        ("ANY_TLS13_OR_HIGHER", {"TLSV13"}),
    ],
)
def test_an_alias(alias: str, protocols: set[str]) -> None:
    assert allowed(alias) == tuple(each.name for each in CIPHER_SPECS if each.protocol in protocols)
    assert problem_of(alias) == ""
    assert alias in ALIASES
    assert cipher_spec(alias) is None


@pytest.mark.parametrize("name", sorted(DEPRECATED))
def test_a_deprecated_cipher_spec(name: str) -> None:
    assert allowed(name) == ()
    assert "deprecated" in problem_of(name)


@pytest.mark.parametrize("name", ["TLS", "any", "ANY_TLS11", "tls_aes_128_gcm_sha256", "*", "ANY "])
def test_an_unknown_cipher_spec(name: str) -> None:
    assert allowed(name) == ()
    assert f"no CipherSpec {name}" in problem_of(name)


def test_blank() -> None:
    assert allowed("") == ()
    assert problem_of("") == ""
