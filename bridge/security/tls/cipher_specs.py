"""CipherSpecs and their aliases: what SSLCIPH of a channel allows (tls.md, CipherSpecs).

The order is our preference, which an answering end imposes: TLS 1.3 before 1.2; ECDHE, which keeps recorded traffic
closed if a key is lost later, before RSA (IBM MQ has RSA first); GCM before CBC; 256 bits before 128.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TLS_1_2: Final = "TLSV12"
TLS_1_3: Final = "TLSV13"


@dataclass(frozen=True, slots=True)
class CipherSpec:
    """A CipherSpec. ``name``: IBM's. ``number``: of the suite on the wire. ``protocol``: SECPROT, ``TLSV12`` or
    ``TLSV13``. ``iana``, ``openssl``: the names that others have for the suite."""

    name: str
    number: int
    protocol: str
    iana: str
    openssl: str


def _tls_1_3(name: str, number: int) -> CipherSpec:
    return CipherSpec(name, number, TLS_1_3, name, name)


def _tls_1_2(name: str, number: int, openssl: str) -> CipherSpec:
    iana = name if name.startswith("TLS_") else "TLS_{}_{}_WITH_{}".format(*name.split("_", 2))
    return CipherSpec(name, number, TLS_1_2, iana, openssl)


CIPHER_SPECS: Final = (
    _tls_1_3("TLS_AES_256_GCM_SHA384", 0x1302),
    _tls_1_3("TLS_CHACHA20_POLY1305_SHA256", 0x1303),
    _tls_1_3("TLS_AES_128_GCM_SHA256", 0x1301),
    _tls_1_3("TLS_AES_128_CCM_SHA256", 0x1304),
    _tls_1_3("TLS_AES_128_CCM_8_SHA256", 0x1305),
    _tls_1_2("ECDHE_ECDSA_AES_256_GCM_SHA384", 0xC02C, "ECDHE-ECDSA-AES256-GCM-SHA384"),
    _tls_1_2("ECDHE_RSA_AES_256_GCM_SHA384", 0xC030, "ECDHE-RSA-AES256-GCM-SHA384"),
    _tls_1_2("ECDHE_ECDSA_AES_128_GCM_SHA256", 0xC02B, "ECDHE-ECDSA-AES128-GCM-SHA256"),
    _tls_1_2("ECDHE_RSA_AES_128_GCM_SHA256", 0xC02F, "ECDHE-RSA-AES128-GCM-SHA256"),
    _tls_1_2("ECDHE_ECDSA_AES_256_CBC_SHA384", 0xC024, "ECDHE-ECDSA-AES256-SHA384"),
    _tls_1_2("ECDHE_RSA_AES_256_CBC_SHA384", 0xC028, "ECDHE-RSA-AES256-SHA384"),
    _tls_1_2("ECDHE_ECDSA_AES_128_CBC_SHA256", 0xC023, "ECDHE-ECDSA-AES128-SHA256"),
    _tls_1_2("ECDHE_RSA_AES_128_CBC_SHA256", 0xC027, "ECDHE-RSA-AES128-SHA256"),
    _tls_1_2("TLS_RSA_WITH_AES_256_GCM_SHA384", 0x009D, "AES256-GCM-SHA384"),
    _tls_1_2("TLS_RSA_WITH_AES_128_GCM_SHA256", 0x009C, "AES128-GCM-SHA256"),
    _tls_1_2("TLS_RSA_WITH_AES_256_CBC_SHA256", 0x003D, "AES256-SHA256"),
    _tls_1_2("TLS_RSA_WITH_AES_128_CBC_SHA256", 0x003C, "AES128-SHA256"),
)
"""All CipherSpecs, the preferred first."""

ENABLED: Final = tuple(each.name for each in CIPHER_SPECS)
"""Names of all CipherSpecs, the preferred first: what a caller who names no channel may choose from."""

_OF_TLS_1_2: Final = tuple(each.name for each in CIPHER_SPECS if each.protocol == TLS_1_2)
_OF_TLS_1_3: Final = tuple(each.name for each in CIPHER_SPECS if each.protocol == TLS_1_3)
ALIASES: Final = {
    "ANY": ENABLED,
    "ANY_TLS12": _OF_TLS_1_2,
    "ANY_TLS12_OR_HIGHER": ENABLED,
    "ANY_TLS13": _OF_TLS_1_3,
    "ANY_TLS13_OR_HIGHER": _OF_TLS_1_3,
}
"""What each alias allows, the preferred first."""

DEPRECATED: Final = frozenset(
    (
        "AES_SHA_US",
        "DES_SHA_EXPORT",
        "DES_SHA_EXPORT1024",
        "ECDHE_ECDSA_3DES_EDE_CBC_SHA256",
        "ECDHE_ECDSA_NULL_SHA256",
        "ECDHE_ECDSA_RC4_128_SHA256",
        "ECDHE_RSA_3DES_EDE_CBC_SHA256",
        "ECDHE_RSA_NULL_SHA256",
        "ECDHE_RSA_RC4_128_SHA256",
        "FIPS_WITH_3DES_EDE_CBC_SHA",
        "FIPS_WITH_DES_CBC_SHA",
        "NULL_MD5",
        "NULL_SHA",
        "RC2_MD5_EXPORT",
        "RC4_56_SHA_EXPORT1024",
        "RC4_MD5_EXPORT",
        "RC4_MD5_US",
        "RC4_SHA_US",
        "TLS_RSA_EXPORT_WITH_RC2_40_MD5",
        "TLS_RSA_EXPORT_WITH_RC4_40_MD5",
        "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
        "TLS_RSA_WITH_AES_128_CBC_SHA",
        "TLS_RSA_WITH_AES_256_CBC_SHA",
        "TLS_RSA_WITH_DES_CBC_SHA",
        "TLS_RSA_WITH_NULL_MD5",
        "TLS_RSA_WITH_NULL_SHA",
        "TLS_RSA_WITH_NULL_SHA256",
        "TLS_RSA_WITH_RC4_128_MD5",
        "TLS_RSA_WITH_RC4_128_SHA",
        "TLS_RSA_WITH_RC4_128_SHA256",
        "TRIPLE_DES_SHA_US",
    )
)
"""CipherSpecs of IBM MQ without encryption, with broken ciphers, or of protocols before TLS 1.2 (tls.md T-12)."""

_BY_NAME: Final = {name: each for each in CIPHER_SPECS for name in (each.openssl, each.iana, each.name)}
_BY_NUMBER: Final = {each.number: each for each in CIPHER_SPECS}


def cipher_spec(name: str) -> CipherSpec | None:
    """Return the CipherSpec with IBM's, IANA's or OpenSSL's name; None for any other, aliases included."""
    return _BY_NAME.get(name)


def cipher_spec_numbered(number: int) -> CipherSpec | None:
    """Return the CipherSpec of a suite number on the wire, or None."""
    return _BY_NUMBER.get(number)


def allowed(sslciph: str) -> tuple[str, ...]:
    """Return the names of the CipherSpecs that a value of SSLCIPH allows, the preferred first: those of an alias, or
    the one named, by IBM or IANA. Blank, deprecated and unknown names allow nothing."""
    names = ALIASES.get(sslciph)
    if names is not None:
        return names
    found = _BY_NAME.get(sslciph)
    return (found.name,) if found is not None else ()


def problem_of(sslciph: str) -> str:
    """Return why a value of SSLCIPH cannot be used, in words; blank if it can, or is blank."""
    if not sslciph or allowed(sslciph):
        return ""
    if sslciph in DEPRECATED:
        return f"CipherSpec {sslciph} is deprecated: use one of TLS 1.2 or 1.3, or ANY_TLS12_OR_HIGHER"
    return f"there is no CipherSpec {sslciph}: use one of TLS 1.2 or 1.3, or ANY_TLS12_OR_HIGHER"
