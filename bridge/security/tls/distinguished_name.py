"""Distinguished names of certificates, with IBM MQ's names of attribute types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_HIGHEST_FIRST: Final = ("OU", "DC")
_QUOTED: Final = frozenset(',;="\\')
_ASTERISK: Final = "\\*"


@dataclass(frozen=True, slots=True)
class DistinguishedName:
    """A distinguished name. ``attributes``: (type, value) in the order of the certificate, so the highest unit first;
    types as in SSLPEER (CN, OU, DC, O, STREET, L, ST, PC, C, MAIL, UID, T, DNQ, SERIALNUMBER, UNSTRUCTUREDNAME,
    UNSTRUCTUREDADDRESS), others as dotted numbers."""

    attributes: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """The name as IBM MQ displays it: the lowest unit first, ``CN=EARTH,OU=Planets,O=Space``.

        Several OUs or DCs are shown the highest first, as SSLPEER has them, so that what is shown can be given as
        SSLPEER.
        """
        repeated = {kind: iter([text for each, text in self.attributes if each == kind]) for kind in _HIGHEST_FIRST}
        shown = [
            (kind, next(repeated[kind]) if kind in repeated else value) for kind, value in reversed(self.attributes)
        ]
        return ",".join(f"{kind}={quoted(value)}" for kind, value in shown)


def quoted(value: str, *, exact: bool = False) -> str:
    """Return a value as SSLPEER has it: in double quotes if it has a separator or blanks at its ends, with a backslash
    before quotation marks and backslashes; ``exact``: before asterisks too, which match any characters otherwise."""
    if value and value == value.strip() and not _QUOTED.intersection(value) and not (exact and "*" in value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped.replace("*", _ASTERISK) if exact else escaped}"'
