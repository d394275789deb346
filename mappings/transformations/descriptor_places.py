"""Fields of the descriptor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.mappings.descriptor import new_descriptor
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import MD

from .errors import StepError, TransformationError
from .field_values import identifier
from .places import PlaceValue
from .step import Surroundings

PREFIX: Final = "MQMD."
FIELDS: Final = {slot.field.name: slot for slot in MD.slots if slot.field.name not in ("StrucId", "Version")}
"""Fields by IBM's names."""


@dataclass(frozen=True, slots=True)
class DescriptorPlace:
    """A field. ``field``: IBM's name; removing it sets its default (MQMD_DEFAULT)."""

    field: str

    @property
    def path(self) -> str:
        """See `places.Place`."""
        return PREFIX + self.field

    def constant(self, value: object, kind: str | None) -> PlaceValue:
        """See `places.Place`."""
        if kind is not None:
            raise StepError(0, f"type is for properties; {self.path} has the type of the field")
        made = self._typed(value)
        if made is None:
            kinds = {"char": "a string", "bytes": "a string of hexadecimal digits"}
            raise StepError(0, f"{self.path} is {kinds.get(self._slot_kind, 'a whole number')}, not {value!r}")
        setattr(new_descriptor(ByteOrder.LITTLE, 1208), FIELDS[self.field].field.key, made)
        return made

    def read(self, message: Message, surroundings: Surroundings) -> PlaceValue:
        """See `places.Place`."""
        value: PlaceValue = getattr(message.md, FIELDS[self.field].field.key)
        return value

    def write(self, message: Message, value: PlaceValue, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        key = FIELDS[self.field].field.key
        made = self._typed(value)
        if made is None:
            raise TransformationError(f"{self.path} cannot be {type(value).__name__}")
        if getattr(message.md, key) == made:
            return message
        result = message.copy()
        setattr(result.md, key, made)
        return result

    def remove(self, message: Message, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        default: PlaceValue = getattr(new_descriptor(ByteOrder.LITTLE, 1208), FIELDS[self.field].field.key)
        return self.write(message, default, surroundings)

    @property
    def _slot_kind(self) -> str:
        return FIELDS[self.field].field.kind

    def _typed(self, value: object) -> int | str | bytes | None:
        """Return a value as the field has it, ids from bytes or hexadecimal digits; None if it has none such."""
        kind, size = self._slot_kind, FIELDS[self.field].size
        if kind == "bytes":
            if isinstance(value, str):
                return identifier(self.path, size, value)
            return value.ljust(size, b"\0") if isinstance(value, bytes) and len(value) <= size else None
        if kind == "int":
            return value if isinstance(value, int) and not isinstance(value, bool) else None
        return value if isinstance(value, str) else None


def descriptor_place(path: str) -> DescriptorPlace:
    """Return the field of a path ``MQMD.…``. Raises `StepError`."""
    field = path.removeprefix(PREFIX)
    if field not in FIELDS:
        raise StepError(0, f"MQMD has no field {field!r} that can be set; it has {', '.join(FIELDS)}")
    return DescriptorPlace(field)
