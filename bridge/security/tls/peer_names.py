"""Patterns of distinguished names: SSLPEER of channels, SSLPEER and SSLCERTI of CHLAUTH records (tls.md, SSLPEER).

``CN=EARTH*, OU=Planets; O="Space, Inc"``: values are compared without case, ``*`` stands for any characters at the
beginning or the end. A type that the pattern does not have is not looked at; one that the name lacks does not match.
Only OU and DC may repeat, and match the first ones of the name, the highest unit first.

``\\*`` is an asterisk. Ours: ``\\"`` is a quotation mark and ``\\\\`` a backslash; other backslashes are themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from mqbridge.bridge.security.specificity import Key, specificity
from mqbridge.protocol.errors import MQBridgeError

from .connection import PeerCertificate
from .distinguished_name import DistinguishedName, quoted

PeerKey: TypeAlias = tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]
"""Sorts the most specific pattern first."""

MAX_PEER_NAME: Final = 1024
"""Longest pattern in characters."""
SERIAL_NUMBER: Final = "SERIALNUMBER"
"""The type for the serial number of the certificate, which is no part of its name."""
TYPES: Final = (
    SERIAL_NUMBER, "MAIL", "UID", "CN", "T", "OU", "DC", "O", "STREET", "L", "ST", "PC", "C", "UNSTRUCTUREDNAME",
    "UNSTRUCTUREDADDRESS", "DNQ",
)  # fmt: skip
"""Attribute types, the most specific first."""
REPEATED: Final = frozenset(("OU", "DC"))
"""Types that may occur more than once."""
_OTHER_NAMES: Final = {"E": "MAIL", "USERID": "UID", "SP": "ST", "S": "ST"}
_NAMES: Final = {**{name: name for name in TYPES}, **_OTHER_NAMES}
_NO_MORE: Final = (2, ())
"""Follows the values of a type: more values are more specific."""
_CACHE: Final = 1024

_TYPE = re.compile(r"\s*([^=,;\"\s]*)(\s*=)?")
_QUOTED = re.compile(r'\s*"((?:[^"\\]|\\[\\"*]|\\(?![\\"*]))*)"\s*')
_PLAIN = re.compile(r"[^,;]*")
_DIGITS = re.compile(r"[0-9a-f]{1,64}")
_TOKENS = re.compile(r"\\[\\\"*]|.", re.DOTALL)


class PeerNameError(MQBridgeError):
    """A pattern is malformed. ``attribute``: the type at fault, blank if it is not known."""

    def __init__(self, text: str, attribute: str = "") -> None:
        super().__init__(text)
        self.attribute = attribute


@dataclass(frozen=True, slots=True)
class PeerValue:
    """The pattern of one value: ``text`` without case; whether any characters may come ``before`` and ``after``."""

    text: str
    before: bool = False
    after: bool = False

    def matches(self, value: str) -> bool:
        """Return whether a value fits."""
        value = value.casefold()
        if self.before and self.after:
            return self.text in value
        if self.before:
            return value.endswith(self.text)
        return value.startswith(self.text) if self.after else value == self.text

    @property
    def key(self) -> Key:
        """Sort key: the most specific value first."""
        return specificity("*" * self.before + self.text.replace("*", "x") + "*" * self.after)


@dataclass(frozen=True, slots=True)
class PeerPattern:
    """A pattern of distinguished names. ``values``: (type, value) as they were given."""

    values: tuple[tuple[str, PeerValue], ...]

    def matches(self, name: DistinguishedName, serial: int | None = None) -> bool:
        """Return whether a name fits. ``serial``: number of the certificate, None if the name has none, as an issuer.

        Where a type is in the name more often than it may be, its last value counts, which is the most specific.
        """
        if not self.values:
            return False
        positions = dict.fromkeys(REPEATED, 0)
        for kind, value in self.values:
            if kind == SERIAL_NUMBER:
                if serial is None or not _matches_serial(value, serial):
                    return False
                continue
            found = [text for each, text in name.attributes if each == kind]
            position = -1
            if kind in REPEATED:
                position = positions[kind]
                positions[kind] += 1
            if position >= len(found) or not found or not value.matches(found[position]):
                return False
        return True

    def matches_certificate(self, certificate: PeerCertificate | None) -> bool:
        """Return whether a certificate's subject and serial number fit."""
        return certificate is not None and self.matches(certificate.subject, certificate.serial)

    @property
    def specificity(self) -> PeerKey:
        """Sort key: patterns with a more specific type first, of one type the more specific value."""
        return tuple(
            (*((int(key[0]), key[1]) for key in (value.key for each, value in self.values if each == kind)), _NO_MORE)
            for kind in TYPES
        )


@lru_cache(_CACHE)
def parse_peer_name(text: str) -> PeerPattern:
    """Parse a pattern. Raises `PeerNameError` if it is malformed, blank included."""
    if len(text) > MAX_PEER_NAME:
        raise PeerNameError(f"longer than {MAX_PEER_NAME} characters")
    values: list[tuple[str, PeerValue]] = []
    position = 0
    while True:
        kind, position = _type(text, position)
        if kind not in REPEATED and any(kind == each for each, _ in values):
            raise PeerNameError(f"{kind} is given twice", kind)
        value, position = _value(text, position, kind)
        values.append((kind, value))
        if position == len(text):
            return PeerPattern(tuple(values))
        position += 1


def peer_name_of(certificate: PeerCertificate) -> str:
    """Return a pattern that matches a certificate and none whose subject or serial number differs in what a pattern
    can have."""
    name = certificate.subject.attributes
    parts = [f"{SERIAL_NUMBER}={certificate.serial_number}"]
    for kind in TYPES[1:]:
        found = [value for each, value in name if each == kind]
        parts += [f"{kind}={quoted(value, exact=True)}" for value in (found if kind in REPEATED else found[-1:])]
    return ",".join(parts)


def certificate_called(peer_name: str, issuer: str = "") -> PeerCertificate:
    """Return a certificate with this subject, serial number and issuer, to ask what it would match.

    Raises `PeerNameError` for malformed names, and for those that stand for several.
    """
    serial, subject = _name_called(peer_name)
    return PeerCertificate(subject, _name_called(issuer)[1] if issuer else DistinguishedName(), serial)


def _name_called(text: str) -> tuple[int, DistinguishedName]:
    serial = 0
    attributes = []
    for kind, value in parse_peer_name(text).values:
        if value.before or value.after:
            raise PeerNameError(f"{kind} has an asterisk, so more than one certificate is meant", kind)
        if kind == SERIAL_NUMBER:
            digits = value.text.replace(":", "")
            if not _DIGITS.fullmatch(digits):
                raise PeerNameError(f"{kind} is no number in hexadecimal digits", kind)
            serial = int(digits, 16)
        else:
            attributes.append((kind, value.text))
    return serial, DistinguishedName(tuple(attributes))


def _type(text: str, position: int) -> tuple[str, int]:
    """Return the type at a position, under its usual name, and the position behind its equals sign."""
    found = _TYPE.match(text, position)
    assert found is not None
    given, equals = found[1], found[2]
    if not given or equals is None:
        raise PeerNameError(f"an attribute type and '=' are missing at character {found.start(1) + 1}")
    if len(equals) > 1:
        raise PeerNameError(f"there are blanks between {given} and '='", given)
    if given not in _NAMES:
        hint = f", it is written {given.upper()}" if given.upper() in _NAMES else ""
        raise PeerNameError(f"there is no attribute type {given}{hint}", given)
    return _NAMES[given], found.end()


def _value(text: str, position: int, kind: str) -> tuple[PeerValue, int]:
    """Return the value at a position, and the position of the separator behind it."""
    found = _QUOTED.match(text, position)
    if found is not None:
        raw = found[1]
    else:
        found = _PLAIN.match(text, position)
        assert found is not None
        raw = found[0].strip()
        if not raw:
            raise PeerNameError(f"{kind} has no value", kind)
        if raw.startswith('"'):
            raise PeerNameError(f"the quotation marks of {kind} are not closed", kind)
    if found.end() < len(text) and text[found.end()] not in ",;":
        raise PeerNameError(f"there is more behind the quotation marks of {kind}", kind)
    tokens = _TOKENS.findall(raw)
    before = tokens[:1] == ["*"]
    after = len(tokens) > 1 and tokens[-1] == "*"
    tokens = tokens[int(before) : len(tokens) - int(after)]
    return PeerValue("".join(token[-1] for token in tokens).casefold(), before, after), found.end()


def _matches_serial(value: PeerValue, serial: int) -> bool:
    """Compare hexadecimal digits, with or without colons between pairs."""
    digits = PeerCertificate(DistinguishedName(), DistinguishedName(), serial).serial_number.replace(":", "")
    return PeerValue(value.text.replace(":", ""), value.before, value.after).matches(digits)
