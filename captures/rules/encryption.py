"""Rules for TLS from its hellos: weak cipher suites, and refused connections (C-612, C-613).

The version of TLS is judged by C-609, among the rules across flows.
"""

from __future__ import annotations

from typing import Final

from mqbridge.captures.rules.capture_faults import TlsSeen
from mqbridge.captures.rules.catalogue import Deviation, Severity, rule
from mqbridge.protocol.observer.connection import Observer

_NO_ENCRYPTION: Final = (
    0x0000, 0x0001, 0x0002, 0x002C, 0x002D, 0x002E, 0x003B, 0x00B0, 0x00B1, 0x00B4, 0x00B5, 0x00B8, 0x00B9, 0xC001,
    0xC006, 0xC00B, 0xC010, 0xC015, 0xC039, 0xC03A, 0xC03B,
)  # fmt: skip
_UNAUTHENTICATED: Final = (
    0x0018, 0x001A, 0x001B, 0x0034, 0x003A, 0x0046, 0x006C, 0x006D, 0x0089, 0x009B, 0x00A6, 0x00A7, 0x00BF, 0x00C5,
    0xC016, 0xC017, 0xC018, 0xC019,
)  # fmt: skip
_SHORT_KEYS: Final = (
    0x0003, 0x0006, 0x0008, 0x000B, 0x000E, 0x0011, 0x0014, 0x0017, 0x0019, *range(0x0026, 0x002C),
    *range(0x0060, 0x0066),
)  # fmt: skip
_RC4: Final = (
    0x0004, 0x0005, 0x0020, 0x0024, 0x0066, 0x008A, 0x008E, 0x0092, 0xC002, 0xC007, 0xC00C, 0xC011, 0xC033,
)  # fmt: skip
_DES: Final = (0x0009, 0x000C, 0x000F, 0x0012, 0x0015, 0x001E, 0x0022, 0xFEFE)
_TRIPLE_DES: Final = (
    0x000A, 0x000D, 0x0010, 0x0013, 0x0016, 0x001F, 0x0023, 0x008B, 0x008F, 0x0093, 0xC003, 0xC008, 0xC00D, 0xC012,
    0xC01A, 0xC01B, 0xC01C, 0xC034, 0xFEFF,
)  # fmt: skip
_WEAK: Final = {
    **dict.fromkeys(_NO_ENCRYPTION, "nothing is encrypted"),
    **dict.fromkeys(_UNAUTHENTICATED, "neither end proves who it is"),
    **dict.fromkeys(_SHORT_KEYS, "keys of export length"),
    **dict.fromkeys(_RC4, "RC4"),
    **dict.fromkeys(_DES, "DES"),
    **dict.fromkeys(_TRIPLE_DES, "triple DES"),
}
"""Weaknesses by number of the cipher suite in the TLS registry; FE.. are IBM's FIPS CipherSpecs."""

_CLOSE_NOTIFY: Final = 0
_ALERTS: Final = {
    40: "no common CipherSpec, or no certificate for one",
    42: "bad certificate",
    46: "certificate unknown",
    48: "unknown certificate authority",
    70: "no common version of TLS",
    71: "CipherSpec too weak",
    112: "server name unknown",
    116: "certificate required",
}
"""Alerts by number (RFC 8446 6.2) that a server sends instead of its hello or soon after it."""


@rule("C-612", Severity.SECURITY, "Weak CipherSpec", spec="tls.md T-12")
def weak_cipher(seen: TlsSeen, connection: Observer) -> Deviation | None:
    """No encryption, or keys or algorithms that can be broken.

    expected: a CipherSpec that protects; seen: cipher suite 0x0005: RC4
    """
    weakness = _WEAK.get(seen.cipher_suite) if seen.answered else None
    if weakness is None:
        return None
    return Deviation("a CipherSpec that protects", f"cipher suite 0x{seen.cipher_suite:04X}: {weakness}")


@rule("C-613", Severity.WARNING, "TLS refused", spec="tls.md T-06")
def refused(seen: TlsSeen, connection: Observer) -> Deviation | None:
    """An end answers the other's hello with an alert: CipherSpecs, versions or certificates do not match.

    expected: agreement on TLS; seen: alert 40: no common CipherSpec, or no certificate for one
    """
    if seen.answered or seen.alert in (None, _CLOSE_NOTIFY):
        return None
    meaning = f": {_ALERTS[seen.alert]}" if seen.alert in _ALERTS else ""
    return Deviation("agreement on TLS", f"alert {seen.alert}{meaning}")
