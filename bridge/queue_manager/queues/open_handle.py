"""Handles as the queue that they are open on knows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mqbridge.bridge.queue_manager.programs import Application


class PassedDefinition(Protocol):
    """A definition that was passed on the way to a queue."""

    name: str


class OpenTarget(Protocol):
    """What a handle is open on: the definitions passed when its names were resolved; see `Target`."""

    superseded: bool

    @property
    def path(self) -> Sequence[PassedDefinition]:
        """The definitions passed, the one named first."""
        ...


class OpenHandle(Protocol):
    """A handle that is open on a queue; see `Handle`."""

    options: int
    exclusive: bool
    application: Application | None

    @property
    def target(self) -> OpenTarget:
        """What it is open on."""
        ...

    @property
    def locked(self) -> Sequence[bytes]:
        """Rows of the messages that it has locked."""
        ...
