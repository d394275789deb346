"""The registry: definitions and marks of a queue manager in the store (mqe.md 12, E-224)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeVar

from mqbridge.bridge.store.interface import PutRecord, RemoveRecord, Store
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address, check_name

from .definitions.bridge_definition import BridgeDefinition, BridgePath
from .definitions.connection_definition import ConnectionDefinition
from .definitions.listener_definition import ListenerDefinition
from .definitions.manager_properties import ManagerProperties
from .definitions.properties import MAX_TEXT
from .definitions.queue_definition import QueueDefinition
from .transfer.lane_records import INCARNATION

Row = TypeVar("Row")
TABLE: Final = "everyplace-registry"
PRIVATE_TABLE: Final = "everyplace-private"
"""Of the private registry (`security.private_registry`)."""
FIRST_QUEUE_NUMBER: Final = 2**31
"""Of the queues' messages in the store; MQ's queues have lower numbers."""
VERSION: Final = 1
_MANAGER, _PROPERTIES, _CLOCK = b"manager", b"properties", b"clock"
_QUEUE, _CONNECTION, _LISTENER, _USER = b"queue\0", b"connection\0", b"listener\0", b"user\0"
_BRIDGE: Final = b"bridge\0"
_U64: Final = struct.Struct(">Q")


class Registry:
    """The registry of one queue manager. What is defined returns the operation for the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def manager(self) -> Fields | None:
        """Return name, incarnation and properties of the queue manager; None where none was created.

        Raises `EveryplaceError` REGISTRY_NEWER, and STORE for one that is damaged.
        """
        data = self._store.record(TABLE, _MANAGER)
        if data is None:
            return None
        found, version = _read("the queue manager", lambda: _manager(data))
        if version > VERSION:
            raise EveryplaceError(
                Code.REGISTRY_NEWER, f"the registry has version {version}; this program knows {VERSION}"
            )
        return found

    @staticmethod
    def create(name: str, incarnation: bytes) -> PutRecord:
        """Create a queue manager with a random mark of `INCARNATION` bytes."""
        assert len(incarnation) == INCARNATION, "an incarnation has 8 bytes"
        fields = Fields()
        fields.put("version", VERSION, FieldType.INT)
        fields.put("name", name, FieldType.ASCII)
        fields.put("incarnation", incarnation, FieldType.UNTYPED)
        return PutRecord(TABLE, _MANAGER, dump(fields))

    def properties(self) -> ManagerProperties:
        """Return the properties of the queue manager."""
        data = self._store.record(TABLE, _PROPERTIES)
        if data is None:
            return ManagerProperties()
        return _read("the properties", lambda: ManagerProperties.read(restore(data)))

    @staticmethod
    def put_properties(properties: ManagerProperties) -> PutRecord:
        """Write the properties of the queue manager."""
        return PutRecord(TABLE, _PROPERTIES, dump(properties.fields()))

    def queues(self) -> Iterator[QueueDefinition]:
        """Return the queues."""
        return self._all(_QUEUE, QueueDefinition.read)

    def last_queue_number(self) -> int:
        """Return the highest number that a queue has, or the one below all."""
        return max((each.number for each in self.queues()), default=FIRST_QUEUE_NUMBER - 1)

    @staticmethod
    def put_queue(queue: QueueDefinition) -> PutRecord:
        """Write a queue."""
        return PutRecord(TABLE, _queue_key(queue.address), dump(queue.fields()))

    @staticmethod
    def remove_queue(address: Address) -> RemoveRecord:
        """Delete a queue."""
        return RemoveRecord(TABLE, _queue_key(address))

    def connections(self) -> Iterator[ConnectionDefinition]:
        """Return the connections."""
        return self._all(_CONNECTION, ConnectionDefinition.read)

    @staticmethod
    def put_connection(connection: ConnectionDefinition) -> PutRecord:
        """Write a connection."""
        return PutRecord(TABLE, _CONNECTION + connection.name.encode("ascii"), dump(connection.fields()))

    @staticmethod
    def remove_connection(name: str) -> RemoveRecord:
        """Delete a connection."""
        return RemoveRecord(TABLE, _CONNECTION + name.encode("ascii"))

    def listeners(self) -> Iterator[ListenerDefinition]:
        """Return the listeners."""
        return self._all(_LISTENER, ListenerDefinition.read)

    @staticmethod
    def put_listener(listener: ListenerDefinition) -> PutRecord:
        """Write a listener."""
        return PutRecord(TABLE, _LISTENER + listener.name.encode("ascii"), dump(listener.fields()))

    @staticmethod
    def remove_listener(name: str) -> RemoveRecord:
        """Delete a listener."""
        return RemoveRecord(TABLE, _LISTENER + name.encode("ascii"))

    def user_data(self, name: str) -> bytes | None:
        """Return what a program keeps here under a name; None for nothing."""
        return self._store.record(TABLE, _user_key(name))

    @staticmethod
    def put_user_data(name: str, value: bytes) -> PutRecord:
        """Keep something for a program. Raises `EveryplaceError` SYNTAX for the name, TOO_LONG."""
        if len(value) > MAX_TEXT:
            raise EveryplaceError(Code.TOO_LONG, f"user data {name}: {len(value)} bytes; {MAX_TEXT} are allowed")
        return PutRecord(TABLE, _user_key(name), value)

    @staticmethod
    def remove_user_data(name: str) -> RemoveRecord:
        """Keep it no longer."""
        return RemoveRecord(TABLE, _user_key(name))

    def bridge_objects(self) -> Iterator[BridgeDefinition]:
        """Yield the bridge objects, in the order of their paths."""
        for key, data in self._store.records(TABLE):
            if key.startswith(_BRIDGE):
                path = tuple(key[len(_BRIDGE) :].decode("ascii", "replace").split("\0"))
                yield _read(
                    "bridge object " + "/".join(path), partial(_row, partial(BridgeDefinition.read, path), data)
                )

    @staticmethod
    def put_bridge_object(definition: BridgeDefinition) -> PutRecord:
        """Write a bridge object."""
        return PutRecord(TABLE, _bridge_key(definition.path), dump(definition.fields()))

    @staticmethod
    def remove_bridge_object(path: BridgePath) -> RemoveRecord:
        """Delete a bridge object."""
        return RemoveRecord(TABLE, _bridge_key(path))

    def last_time(self) -> int:
        """Return a time, in milliseconds since 1970, that is not below that of any UID given before."""
        data = self._store.record(TABLE, _CLOCK)
        if data is None:
            return 0
        return _read("the clock", lambda: int(_U64.unpack(data)[0]))

    @staticmethod
    def put_last_time(time: int) -> PutRecord:
        """Write an upper bound of the times that are given from now on."""
        return PutRecord(TABLE, _CLOCK, _U64.pack(time))

    def _all(self, prefix: bytes, read: Callable[[Fields], Row]) -> Iterator[Row]:
        """Yield what the rows are whose keys begin so."""
        for key, data in self._store.records(TABLE):
            if key.startswith(prefix):
                yield _read(key.decode("ascii", "replace").replace("\0", " "), partial(_row, read, data))


def _read(what: str, read: Callable[[], Row]) -> Row:
    """Return a row of the registry. Raises `EveryplaceError` STORE if it is damaged."""
    try:
        return read()
    except (EveryplaceError, TypeError, ValueError, struct.error) as error:
        raise EveryplaceError(Code.STORE, f"the registry is damaged: {what}: {error}") from None


def _row(read: Callable[[Fields], Row], data: bytes) -> Row:
    return read(restore(data))


def _manager(data: bytes) -> tuple[Fields, int]:
    found = restore(data)
    version: int = found.get("version", FieldType.INT)
    if version <= VERSION:
        check_name(found.get("name", FieldType.ASCII), "queue manager")
        if len(found.get("incarnation", FieldType.UNTYPED)) != INCARNATION:
            raise ValueError("its incarnation is cut")
    return found, version


def _bridge_key(path: BridgePath) -> bytes:
    return _BRIDGE + "\0".join(path).encode("ascii")


def _queue_key(address: Address) -> bytes:
    return _QUEUE + f"{address.queue_manager}\0{address.queue}".encode("ascii")


def _user_key(name: str) -> bytes:
    check_name(name, "user data")
    return _USER + name.encode("ascii")
