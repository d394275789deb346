"""Properties as places, and the step that sets one to a constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyView, check_name, check_value
from mqbridge.mappings.properties.names import SYNONYMS, USER_FOLDER, split_name
from mqbridge.mappings.properties.property import TYPE_OF_DT, folder_value
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQTYPE

from .errors import StepError
from .places import PlaceValue
from .property_editing import plain_value, with_property, without_property
from .quick_property import QuickSetter, quick_setter
from .step import Surroundings

KINDS: Final = tuple(kind for kind in TYPE_OF_DT if kind not in ("int", "char"))
"""Types that can be given, as the attribute ``dt`` has them."""


@dataclass(frozen=True, slots=True)
class PropertyPlace:
    """A property. ``name``: without ``usr.``, but for one in a group of that folder; or a synonym of JMS."""

    name: str

    @property
    def path(self) -> str:
        """See `places.Place`."""
        return self.name if "." in self.name or self.name in SYNONYMS else f"{USER_FOLDER}.{self.name}"

    def constant(self, value: object, kind: str | None) -> PlaceValue:
        """See `places.Place`."""
        return typed_property(self.name, value, kind).value  # type: ignore[return-value]

    def read(self, message: Message, surroundings: Surroundings) -> PlaceValue | None:
        """See `places.Place`."""
        return PropertyView.of(message).get(self.name)

    def write(self, message: Message, value: PlaceValue, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        given = Property.of(self.name, value)
        if self.name in SYNONYMS:
            return with_properties(message, [given])
        return with_property(message, given, surroundings)

    def remove(self, message: Message, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        return without_property(message, self.name, surroundings)


def property_place(path: str, *, removed: bool = False) -> PropertyPlace:
    """Return the property of a path; ``removed``: a whole folder may be named (``usr.*``), and no synonym. Raises
    `StepError`, ``PropertyNameError``."""
    short = path.removeprefix(f"{USER_FOLDER}.")
    name = path if "." in short or short == "*" else short
    if removed and path.endswith(".*"):
        check_name(path.removesuffix(".*"))
    elif removed and name in SYNONYMS:
        raise StepError(0, f"{name} cannot be removed; remove the element of a folder that it is read from, or set it")
    elif name not in SYNONYMS:
        check_name(name)
    return PropertyPlace(name)


def typed_property(name: str, value: object, kind: str | None) -> Property:
    """Return a property of a value of the configuration. Raises `StepError`, ``PropertyValueError``."""
    if not isinstance(value, str | int | float | bool):
        raise StepError(0, f"the value of a property is a string, a number or a boolean, not {value!r}")
    if kind is None:
        return _checked(Property.of(name, value))
    if kind not in KINDS:
        raise StepError(0, f"type {kind!r} is none of {', '.join(KINDS)}")
    wanted = TYPE_OF_DT[kind]
    if wanted is MQTYPE.BYTE_STRING and isinstance(value, str):
        try:
            return Property(name, wanted, bytes.fromhex(value))
        except ValueError:
            raise StepError(0, f"bin.hex is hexadecimal digits, not {value[:60]!r}") from None
    if wanted in (MQTYPE.FLOAT32, MQTYPE.FLOAT64) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    return _checked(Property(name, wanted, value))


def _checked(given: Property) -> Property:
    check_value(given)
    return given


@dataclass(frozen=True, slots=True)
class SetProperty:
    """Sets a property to a constant."""

    place: PropertyPlace
    given: Property
    quick: QuickSetter | None

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"set {self.place.path}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        made = None if self.quick is None else self.quick.apply(message)
        if made is not None:
            return made
        if self.given.name in SYNONYMS:
            return with_properties(message, [self.given])
        return with_property(message, self.given, surroundings)


def set_property(place: PropertyPlace, value: object, kind: str | None) -> SetProperty:
    """Return the step that sets a property. Raises `StepError`, ``PropertyValueError``."""
    given = typed_property(place.name, value, kind)
    folder, name = split_name(given.name)
    quick = None if given.name in SYNONYMS else quick_setter(folder, plain_value(folder, folder_value(name, given)))
    return SetProperty(place, given, quick)
