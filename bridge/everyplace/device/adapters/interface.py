"""What an adapter is (E-465 to E-478): a blocking class, with which third parties add ways of their own.

An initiator is made for one connection, opened, read and written, each by one thread at a time (E-476), and closed. A
listening adapter makes a responder for each caller, which from then on is used in the same way. Errors are
`EveryplaceError`: AUTHENTICATE where the other end or a proxy does not accept who calls, STOPPED where a person has
refused to say, ADAPTER_EXCEPTION otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from socket import socket
from typing import Final, Protocol, runtime_checkable

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.endpoints import authority
from mqbridge.protocol.everyplace.http_login import Ask

TIMEOUT: Final = 30.0
"""Seconds that opening, and one exchange over HTTP, may take."""


@dataclass(frozen=True, slots=True)
class Properties:
    """Properties of adapters (E-467, E-472): first values set by the application, those of one connection before those
    of all, then values of the process, ``MQE_PROXY`` in its environment for ``proxy``."""

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    connection: str = ""

    def get(self, name: str) -> str:
        """Return a property, empty if it is nowhere."""
        found = self.values.get(f"{self.connection}.{name}") or self.values.get(name)
        return found or os.environ.get(f"MQE_{name.upper()}", "")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a connection leads. ``adapter``: its name. ``fingerprint``: of the key of the other end's certificate,
    empty if its authorities decide. ``ask``: for credentials, where a person is there."""

    adapter: str
    host: str
    port: int
    path: str = ""
    connection: str = ""
    properties: Properties = field(default_factory=Properties)
    fingerprint: bytes = b""
    ask: Ask | None = None

    def __str__(self) -> str:
        return f"{self.adapter}://{authority(self.host, self.port)}{self.path}"


class Adapter(Protocol):
    """One conversation."""

    @property
    def network(self) -> str:
        """Name of the protocol (E-478)."""
        ...

    @property
    def local_address(self) -> str:
        """Own address, empty while it is not open (E-478)."""
        ...

    @property
    def peer(self) -> Peer:
        """What is known of the other end, once it is open."""
        ...

    def open(self) -> None:
        """Make the connection, within `TIMEOUT`; of a responder, what is left to do of it."""
        ...

    def write(self, data: bytes) -> None:
        """Send whole frames."""
        ...

    def read(self) -> bytes:
        """Return what has come, at least one byte; none at the end. Ends when `close` is called meanwhile (E-471)."""
        ...

    def close(self) -> None:
        """End the conversation; may be called by any thread, and twice."""
        ...


@runtime_checkable
class OverSocket(Protocol):
    """An adapter whose bytes go over one socket, which the thread of a device reads and writes itself."""

    @property
    def socket(self) -> socket:
        """The socket, plain or of `ssl`, once the adapter is open."""
        ...


class ListeningAdapter(Protocol):
    """Waits for callers."""

    def open(self) -> None:
        """Take the place where callers come."""
        ...

    def wait_for_contact(self) -> Adapter:
        """Wait for a caller and return its responder, which is still to be opened (E-470).

        Raises `EveryplaceError` STOPPED when `close` is called.
        """
        ...

    def close(self) -> None:
        """Give up the place; conversations go on."""
        ...


class AdapterKind(Protocol):
    """Makes the adapters of one name."""

    def initiator(self, place: Place) -> Adapter:
        """Return the adapter of a connection."""
        ...

    def listening(self, definition: ListenerDefinition) -> ListeningAdapter:
        """Return the adapter of a listener. Raises `EveryplaceError` NOT_SUPPORTED."""
        ...
