"""The security of a gateway: its private registry, whose PIN is in a file (mqe.md E-225, E-446)."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Final

from mqbridge.bridge.agents.everyplace.enrolments import Enrolments
from mqbridge.bridge.config import EveryplaceSettings
from mqbridge.bridge.everyplace.ciphers import library
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.secrets import Secrets
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import required
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .errors import WRONG_CONFIGURATION, StartError

_MAX_FILE: Final = 4096


class EveryplaceSecurity:
    """What a gateway protects. Raises `StartError` for a file that is missing, or that others may read."""

    def __init__(self, settings: EveryplaceSettings) -> None:
        self._settings = settings
        self._pin = "" if settings.pin_file is None else self._read(settings.pin_file)

    def create(self, store: Store) -> list[Operation]:
        """Return what makes the private registry at the first start with a PIN, and encrypts the secrets that are
        there; nothing at other starts, and without one.

        The queue manager of Everyplace is there. Raises `StartError` for a PIN that is too short.
        """
        if not self._pin or private_registry.exists(store):
            return []
        name, incarnation = _manager(store)
        try:
            found = required(library(), "a private registry")
            source = random.SystemRandom()
            made, row = private_registry.make(store, name, incarnation, self._pin, found, source)
            later = Security(found, made, source)
            return [row, *Secrets(store, Security()).moved_to(later), *Enrolments(store).moved_to(later)]
        except EveryplaceError as error:
            raise self._wrong(error.text) from error

    def open(self, store: Store) -> Security:
        """Return the security; what is encrypted stays so without a PIN. Raises `StartError` for a wrong one."""
        if not self._pin:
            return Security(library())
        name, incarnation = _manager(store)
        try:
            found = required(library(), "a private registry")
            opened = private_registry.open_registry(store, name, incarnation, self._pin, found)
        except EveryplaceError as error:
            raise self._wrong(error.text) from error
        return Security(found, opened, random.SystemRandom())

    def _read(self, path: Path) -> str:
        try:
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_mode & 0o077:
                    raise self._wrong(f"{path} can be read by others; chmod 600 {path}")
                return file.read(_MAX_FILE).decode().strip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise self._wrong(f"{path} cannot be read: {error}") from error

    def _wrong(self, text: str) -> StartError:
        return StartError(str(self._settings.place.error("pin_file", text)), WRONG_CONFIGURATION)


def _manager(store: Store) -> tuple[str, bytes]:
    found = Registry(store).manager()
    assert found is not None, "the gateway has been created"
    return found.get("name"), found.get("incarnation")
