"""Steps that set and remove properties of messages."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, without_properties
from mqbridge.mappings.properties.writing import with_properties

from .step import Surroundings


@dataclass(frozen=True, slots=True)
class SetProperty:
    """Sets a property."""

    given: Property

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"set {self.given.name}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        return with_properties(message, [self.given])


@dataclass(frozen=True, slots=True)
class StripProperties:
    """Takes out the folders of properties, and each MQRFH2 that has no other."""

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return "strip-properties"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        return without_properties(message)
