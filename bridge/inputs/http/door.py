"""The endpoint of an HTTP input, as the service opens it: with the users, limits and TLS of the REST interface."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from mqbridge.bridge.admin.routes import FindRoute


@dataclass(frozen=True, slots=True)
class DoorSettings:
    """An endpoint to open. ``hosts``: host names by which it is reached, beside its own; ``certificate``: label of the
    certificate for TLS, blank for the default."""

    endpoint: str
    find_route: FindRoute
    hosts: tuple[str, ...] = ()
    plain: bool = False
    certificate: str = ""


class Door(Protocol):
    """An open endpoint."""

    @property
    def local(self) -> bool:
        """Whether only programs on this machine can reach it."""
        ...

    @property
    def url(self) -> str:
        """Its address."""
        ...


OpenDoor: TypeAlias = Callable[[DoorSettings], Awaitable[Door]]
"""Opens an endpoint. Raises ``MQBridgeError`` if that cannot be."""
