"""The file of a device queue manager: made whole, opened, and what may be wrong with it in words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.registry import FIRST_QUEUE_NUMBER, Registry
from mqbridge.bridge.everyplace.transfer.lane_records import INCARNATION
from mqbridge.bridge.store.errors import StoreError, StoreLocked, StoreNewer
from mqbridge.bridge.store.interface import Operation
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address, check_name

ADMINISTRATION: Final = "AdminQ"
ADMINISTRATION_REPLIES: Final = "AdminReplyQ"
DEAD_LETTERS: Final = "DeadLetterQ"
DEFAULT_LOCAL: Final = "SYSTEM.DEFAULT.LOCAL.QUEUE"
"""The four standard queues (E-220, E-221)."""
OUTGOING: Final = "OutgoingQ"
"""The store-and-forward queue of what goes to or over the gateway."""
HOME_SERVER: Final = "HomeServerQ"
"""The queue that pulls what waits at the gateway."""


def open_file(path: Path) -> SqliteStore:
    """Open the file of a device. Raises `EveryplaceError` NOT_FOUND, STORE, REGISTRY_NEWER."""
    if not path.exists():
        raise EveryplaceError(Code.NOT_FOUND, f"there is no file {path}; make it with: python3 mqe.pyz create {path}")
    return _open(path)


def create_file(path: Path, name: str, operations: Sequence[Operation] = ()) -> None:
    """Make the file of a queue manager with its standard queues, in one transaction with operations of others.

    Raises `EveryplaceError` SYNTAX, ACTIVE if the file exists, STORE.
    """
    check_name(name, "queue manager")
    store = _open(path)
    try:
        if Registry(store).manager() is not None:  # else a create before was killed
            raise EveryplaceError(Code.ACTIVE, f"{path} has a queue manager; name another file, or remove this one")
        (error,) = store.commit([[Registry.create(name, os.urandom(INCARNATION)), *standard_queues(name), *operations]])
        if error is not None:
            raise EveryplaceError(Code.STORE, f"{path}: {error}")
    finally:
        store.close()


def standard_queues(name: str) -> list[Operation]:
    """Return what defines the four standard queues of a new queue manager (E-220)."""
    kinds = {
        ADMINISTRATION: QueueKind.ADMINISTRATION,
        ADMINISTRATION_REPLIES: QueueKind.LOCAL,
        DEAD_LETTERS: QueueKind.LOCAL,
        DEFAULT_LOCAL: QueueKind.LOCAL,
    }
    return [
        Registry.put_queue(QueueDefinition(kind, Address(queue, name), FIRST_QUEUE_NUMBER + place))
        for place, (queue, kind) in enumerate(kinds.items())
    ]


def gateway_queues(name: str, connection: ConnectionDefinition, behind: Sequence[str]) -> list[Operation]:
    """Return what defines the way to a gateway of a new queue manager: its connection, a queue that pulls what waits
    there, and one that takes what goes to it and to queue managers behind it."""
    gateway, first = connection.name, FIRST_QUEUE_NUMBER + len(standard_queues(name))
    others = [each for each in behind if each != gateway]
    outgoing = QueueDefinition(QueueKind.STORE_AND_FORWARD, Address(OUTGOING, name), first)
    outgoing.set(rows.ENTRIES, [gateway, *others])
    home_server = QueueDefinition(QueueKind.HOME_SERVER, Address(HOME_SERVER, gateway), first + 1)
    return [
        Registry.put_connection(connection),
        *(Registry.put_connection(ConnectionDefinition(each, via=gateway)) for each in others),
        Registry.put_queue(outgoing),
        Registry.put_queue(home_server),
    ]


def _open(path: Path) -> SqliteStore:
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
    except sqlite3.Error as error:  # no folder, no permission
        raise EveryplaceError(Code.STORE, f"{path}: {error}") from None
