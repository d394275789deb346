"""Start parameters that concern the registry, and the secrets among them (E-226 to E-228)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields

SECTION: Final = "Registry"
_TEXT: Final = (FieldType.ASCII, FieldType.UNICODE)
_KIND, _FOLDER, _PIN = "LocalRegType", "DirName", "PIN"
_SEPARATOR, _ADAPTER = "Separator", "RegistryAdapter"
DEFAULT_SEPARATOR: Final = "+"
_REFUSED: Final = {
    "CAIPAddrPort": "certificates come by `mqbridge everyplace enrol --certificate`",
    "CertReqPIN": "a device is enrolled by a token: `mqbridge everyplace enrol`",
    "KeyRingPassword": "keys are in the private registry, under its PIN",
}
"""Parameters of IBM's whose protocol is not public, and what to use; two of them are secrets, which no file may hold
(E-228, C-05)."""


@unique
class RegistryKind(Enum):
    """Kind of a registry (E-225)."""

    FILE = "file"
    PRIVATE = "private"
    """Under a PIN; queues with authenticators and cryptors need it."""


_KINDS: Final = {
    **{each.value: each for each in RegistryKind},
    "com.ibm.mqe.registry.MQeFileSession": RegistryKind.FILE,
    "FileRegistry": RegistryKind.FILE,
    "com.ibm.mqe.registry.MQePrivateSession": RegistryKind.PRIVATE,
    "PrivateRegistry": RegistryKind.PRIVATE,
}


@dataclass(frozen=True, slots=True)
class RegistryParameters:
    """``folder``: where a registry of files is. ``separator``: between a queue manager and a name in names of entries;
    it never changes. ``adapter``: name of a storage adapter. ``pin``: shown by no text."""

    kind: RegistryKind = RegistryKind.FILE
    folder: str = ""
    separator: str = DEFAULT_SEPARATOR
    adapter: str = ""
    pin: str = field(default="", repr=False)


def take_registry(parameters: Fields) -> RegistryParameters:
    """Read section Registry of start parameters, and remove its secrets from them (E-227).

    Raises `EveryplaceError` SYNTAX for a value that is none, NOT_SUPPORTED for IBM's own secrets, which names what to
    use; the PIN is removed then too.
    """
    if SECTION not in parameters:
        return RegistryParameters()
    section: Fields = parameters.get(SECTION, FieldType.FIELDS) or Fields()
    given = section.copy()
    for name in (_PIN, *_REFUSED):
        if name in section:
            section.delete(name)
    parameters.put(SECTION, section, FieldType.FIELDS)
    for name, instead in _REFUSED.items():
        if name in given:
            raise EveryplaceError(Code.NOT_SUPPORTED, f"start parameter {name} is not supported: {instead}")
    kind = _KINDS.get(_text(given, _KIND, RegistryKind.FILE.value))
    if kind is None:
        raise EveryplaceError(Code.SYNTAX, f"{_KIND} is {' or '.join(each.value for each in RegistryKind)}")
    separator = _text(given, _SEPARATOR, DEFAULT_SEPARATOR)
    if len(separator) != 1:
        raise EveryplaceError(Code.SYNTAX, f"{_SEPARATOR} is one character")
    pin = _text(given, _PIN)
    if kind is RegistryKind.PRIVATE and not pin:
        raise EveryplaceError(Code.SYNTAX, f"a private registry needs a {_PIN}")
    return RegistryParameters(kind, _text(given, _FOLDER), separator, _text(given, _ADAPTER), pin)


def check_file(parameters: Fields) -> None:
    """Check that parameters from a file hold no secrets (E-228). Raises `EveryplaceError` NOT_ALLOWED."""
    section = parameters.get(SECTION, FieldType.FIELDS) if SECTION in parameters else None
    for name in (_PIN, *_REFUSED):
        if section is not None and name in section:
            raise EveryplaceError(Code.NOT_ALLOWED, f"{name} does not belong in a file; the program gives it")


def _text(fields: Fields, name: str, default: str = "") -> str:
    found: str | None = fields.get(name, *_TEXT) if name in fields else None
    return found or default
