"""Distinguished names of certificates, with IBM MQ's names of attribute types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DistinguishedName:
    """A distinguished name. ``attributes``: (type, value) in the order of the certificate, so the highest unit first;
    types as in SSLPEER (CN, OU, DC, O, STREET, L, ST, PC, C, MAIL, UID, T, DNQ, SERIALNUMBER, UNSTRUCTUREDNAME,
    UNSTRUCTUREDADDRESS), others as dotted numbers."""

    attributes: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """The name as IBM MQ displays it: the lowest unit first, ``CN=EARTH,OU=Planets,O=Space``."""
        return ",".join(f"{kind}={_quoted(value)}" for kind, value in reversed(self.attributes))


def _quoted(value: str) -> str:
    """The value, in double quotes if it has a separator or blanks at its ends."""
    return f'"{value}"' if set(value) & set(",;=") or value != value.strip() else value
