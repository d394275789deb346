"""The file of a device queue manager: made whole, opened, and what may be wrong with it in words."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.everyplace.creation import HOME_SERVER, OUTGOING, StandardQueue, create
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.manager_properties import ManagerProperties
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.registry import FIRST_QUEUE_NUMBER, Registry
from mqbridge.bridge.everyplace.secrets import put_secret
from mqbridge.bridge.everyplace.transfer.lane_records import INCARNATION
from mqbridge.bridge.store.errors import StoreError, StoreLocked, StoreNewer
from mqbridge.bridge.store.interface import Operation
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address, check_name

if TYPE_CHECKING:
    from pathlib import Path

POLL_INTERVAL: Final = 60_000
"""Milliseconds after which it pulls at the latest; while connected, what comes is handed out at once."""


def open_file(path: str | Path) -> SqliteStore:
    """Open the file of a device. Raises `EveryplaceError` NOT_FOUND, STORE, REGISTRY_NEWER."""
    if not os.path.exists(path):
        raise EveryplaceError(Code.NOT_FOUND, f"there is no file {path}; make it with: python3 mqe.pyz create {path}")
    return _open(path)


def create_file(path: str | Path, name: str, gateway: Gateway | None = None) -> None:
    """Make the file of a queue manager with its standard queues and the way to its gateway, in one transaction.

    Raises `EveryplaceError` SYNTAX, NOT_ALLOWED if the file has a queue manager, STORE.
    """
    check_name(name, "queue manager")
    store = _open(path)
    try:
        properties = ManagerProperties(administrators=() if gateway is None else (gateway.connection.name,))
        operations = create(store, name, os.urandom(INCARNATION), properties, int(time.time() * 1000))
        if gateway is not None:
            operations += gateway.operations()
        (error,) = store.commit([operations])
        if error is not None:
            raise EveryplaceError(Code.STORE, f"{path}: {error}")
    except EveryplaceError as error:
        raise EveryplaceError(error.code, f"{path}: {error.text}") from None
    finally:
        store.close()


@dataclass(frozen=True, slots=True)
class Gateway:
    """The way to a gateway. ``connection``: named after it. ``behind``: queue managers that are reached over it, of MQ
    for example. ``secrets``: by name, see `secrets`."""

    connection: ConnectionDefinition
    behind: tuple[str, ...] = ()
    secrets: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def operations(self) -> list[Operation]:
        """Return what defines it at a new queue manager: the connection, a queue that pulls what waits there, and one
        that takes what goes to it and to those behind it."""
        gateway, first = self.connection.name, FIRST_QUEUE_NUMBER + len(StandardQueue)
        others = [each for each in dict.fromkeys(self.behind) if each != gateway]
        outgoing = QueueDefinition(QueueKind.STORE_AND_FORWARD, Address(OUTGOING, gateway), first)
        outgoing.set(rows.ENTRIES, [gateway, *others])
        home_server = QueueDefinition(QueueKind.HOME_SERVER, Address(HOME_SERVER, gateway), first + 1)
        home_server.set(rows.POLL_INTERVAL, POLL_INTERVAL)
        return [
            Registry.put_connection(self.connection),
            *(Registry.put_connection(ConnectionDefinition(each, via=gateway)) for each in others),
            Registry.put_queue(outgoing),
            Registry.put_queue(home_server),
            *(put_secret(gateway, each, value) for each, value in self.secrets.items() if value),
        ]


def _open(path: str | Path) -> SqliteStore:
    try:
        return SqliteStore(path)
    except StoreLocked:
        raise EveryplaceError(
            Code.ACTIVE, f"{path} is in use by another process; end it, or let it do what is to be done"
        ) from None
    except StoreNewer as error:
        raise EveryplaceError(Code.REGISTRY_NEWER, f"{error}; use a newer mqe.pyz") from None
    except StoreError as error:
        raise EveryplaceError(Code.STORE, f"{error}; copy the file away, then create it anew or restore it") from None
