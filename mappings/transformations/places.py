"""Values of a message by path, as steps read, set and remove them.

``usr.seen``, ``seen``: a property; ``MQMD.Priority``: a field of the descriptor; ``MQRFH2.…``, ``XMLNSC.…`` and other
parts: a place in the message tree.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias

from mqbridge.mappings.message import Message

from .step import Surroundings

PlaceValue: TypeAlias = str | int | float | bool | bytes
"""A value of the configuration or of a message."""


class Place(Protocol):
    """A place in messages."""

    @property
    def path(self) -> str:
        """Its path."""
        ...

    def constant(self, value: object, kind: str | None) -> PlaceValue:
        """Return a value of the configuration as it is set here; ``kind``: its type, as the attribute ``dt`` has it.

        Raises `StepError` or another ``MQBridgeError`` for a value that cannot be here.
        """
        ...

    def read(self, message: Message, surroundings: Surroundings) -> PlaceValue | None:
        """Return the value of a message; None if there is none. Raises an ``MQBridgeError``."""
        ...

    def write(self, message: Message, value: PlaceValue, surroundings: Surroundings) -> Message:
        """Return the message with a value set. Raises an ``MQBridgeError``."""
        ...

    def remove(self, message: Message, surroundings: Surroundings) -> Message:
        """Return the message without the value; the message itself if it has none. Raises an ``MQBridgeError``."""
        ...
