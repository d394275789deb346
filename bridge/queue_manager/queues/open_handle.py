"""Protocols of the handles that are open on a queue, for rooms below `Handle`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mqbridge.bridge.queue_manager.programs import Application


class PassedDefinition(Protocol):
    """A definition on the resolution path of a name."""

    name: str


class OpenTarget(Protocol):
    """The resolved target of a handle; see `Target`."""

    superseded: bool

    @property
    def path(self) -> Sequence[PassedDefinition]:
        """The definitions on the path, the one that was named first."""
        ...


class OpenHandle(Protocol):
    """A handle that is open on a queue; see `Handle`."""

    options: int
    exclusive: bool
    application: Application | None

    @property
    def target(self) -> OpenTarget:
        """Its resolved target."""
        ...

    @property
    def locked(self) -> Sequence[bytes]:
        """Rows of the messages that it has locked."""
        ...
