"""Settings of a gateway of Everyplace, ``[everyplace]`` and ``[[everyplace.listener]]``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import place, setting, tables
from mqbridge.bridge.config.errors import TablePlace

ADAPTERS: Final = ("tcp", "tls", "http", "https")
AUTHENTICATORS: Final = ("certificate", "key", "none")
DEFAULT_PATH: Final = "/servlet/MQe"
MAX_CONNECTIONS: Final = 1_000_000
DEFAULT_CONNECTIONS: Final = 10_000
MAX_TIMEOUT: Final = 2_000_000
"""Most seconds that a connection may be silent; definitions keep milliseconds in 31 bits."""


def _path_of_url(value: Any, base: Path) -> str:
    """Read a path of HTTP, which begins with a slash."""
    found = values.text(value, base)
    if not found.startswith("/") or not found.isascii() or any(each <= " " or each in "?#" for each in found):
        raise values.wrong('a path such as "/servlet/MQe"', value)
    return found


def _seconds(value: Any, base: Path) -> float:
    found = values.seconds(0)(value, base)
    if found > MAX_TIMEOUT:
        raise values.wrong(f"at most {MAX_TIMEOUT} seconds", value)
    return found


@dataclass(slots=True, kw_only=True)
class EveryplaceListenerSettings:
    """``[[everyplace.listener]]``: an endpoint for devices and other gateways."""

    name: str = setting(values.object_name)
    """Its name; unique."""
    adapter: str = setting(values.choice(*ADAPTERS), "tls")
    """What is spoken there: ``tcp``, ``tls``, ``http`` or ``https``."""
    endpoint: str = setting(values.endpoint)
    """Twisted endpoint string, such as ``tcp:8081``."""
    path: str = setting(_path_of_url, DEFAULT_PATH)
    """Path of HTTP requests."""
    certificate: str | None = setting(values.text, None)
    """Our certificate: a file in PEM form if ``key`` is given, else a label of the queue manager's key repository;
    None: the queue manager's own."""
    key: Path | None = setting(values.path, None)
    """File of the certificate's private key in PEM form."""
    authorities: Path | None = setting(values.path, None)
    """Certificates of the authorities that devices' certificates must come from: a file, a folder of files, or a key
    repository; None: those that the queue manager's key repository trusts."""
    authenticator: str = setting(values.choice(*AUTHENTICATORS), "key")
    """How devices prove who they are: ``certificate`` by their certificate's name (CN), ``key`` by the key of their
    enrolment, ``none`` not at all."""
    timeout: float = setting(_seconds, 300.0)
    """Seconds after which a silent connection is closed; 0: never."""
    max: int = setting(values.whole_number(0, MAX_CONNECTIONS), DEFAULT_CONNECTIONS)
    """Maximum number of connections; 0: no limit but ``max`` of ``[channels]``."""
    place: TablePlace = place()


@dataclass(slots=True, kw_only=True)
class EveryplaceAccessSettings:
    """``[[everyplace.access]]``: what devices may do with a queue of the gateway beside putting messages on it."""

    queue: str = setting(values.object_name)
    """Name of the queue."""
    devices: list[str] = setting(values.list_of(values.object_name), [])
    """Who may; without names everybody who is enrolled."""
    allow: list[str] = setting(values.list_of(values.choice("get", "browse", "lock", "delete")))
    """What they may: ``get``, ``browse``, ``lock``, ``delete``."""
    place: TablePlace = place()


@dataclass(slots=True, kw_only=True)
class EveryplaceSettings:
    """``[everyplace]``: a queue manager of Everyplace in this one, for devices; without the table there is none."""

    name: str = setting(values.object_name)
    """Its name, under which devices know it."""
    definitions: Path | None = setting(values.path, None)
    """File of definitions, applied at the start once after each change of it."""
    pin_file: Path | None = setting(values.path, None)
    """File with the PIN of its private registry, which queues with a cryptor or an authenticator need."""
    listeners: list[EveryplaceListenerSettings] = tables(EveryplaceListenerSettings, "listener", list)
    """Endpoints for devices."""
    access: list[EveryplaceAccessSettings] = tables(EveryplaceAccessSettings, "access", list)
    """What devices may do with queues of the gateway beside putting messages on them."""
    place: TablePlace = place()
