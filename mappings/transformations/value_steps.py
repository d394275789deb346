"""Steps that set, copy and remove values by path."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import without_properties
from mqbridge.protocol.constants import MQRC

from .errors import TransformationError
from .places import Place, PlaceValue
from .step import Surroundings


@dataclass(frozen=True, slots=True)
class SetValue:
    """Sets a place to a constant."""

    place: Place
    value: PlaceValue

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"set {self.place.path}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        return self.place.write(message, self.value, surroundings)


@dataclass(frozen=True, slots=True)
class CopyValue:
    """Sets a place to the value of another one, which the message must have."""

    place: Place
    source: Place

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"set {self.place.path}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        value = self.source.read(message, surroundings)
        if value is None:
            raise TransformationError(f"there is no {self.source.path}", MQRC.PROPERTY_NOT_AVAILABLE)
        return self.place.write(message, value, surroundings)


@dataclass(frozen=True, slots=True)
class RemoveValue:
    """Removes a value, if there is one."""

    place: Place

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"remove {self.place.path}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        return self.place.remove(message, surroundings)


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
