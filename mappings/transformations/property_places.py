"""Properties as places, and the step that sets one to a constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyLookUp, check_name, check_value
from mqbridge.mappings.properties.names import SYNONYMS, USER_FOLDER
from mqbridge.mappings.properties.property import TYPE_OF_DT
from mqbridge.mappings.properties.quick_property import QuickProperty, quick_property
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.mappings.rfh2.writing import write_element
from mqbridge.protocol.constants import MQTYPE

from .errors import StepError
from .places import PlaceValue
from .property_editing import element_of, with_property, without_property
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
        return PropertyLookUp(message).get(self.name)

    def write(self, message: Message, value: PlaceValue, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        given = Property.of(self.name, value)
        return set_property(self, given).apply(message, surroundings)

    def remove(self, message: Message, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        quick = quick_property(self.name)
        made = None if quick is None else quick.remove(message, surroundings.formats)
        return without_property(message, self.name, surroundings) if made is None else made


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
    """Sets a property. ``quick``, ``element``: its quick way, and its element there; None where there is none."""

    place: PropertyPlace
    given: Property
    quick: QuickProperty | None
    element: bytes

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"set {self.place.path}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`. Raises as `with_property`."""
        if self.quick is not None:
            made = self.quick.set(message, self.element, surroundings.formats)
            if made is not None:
                return made
        if self.given.name in SYNONYMS:
            return with_properties(message, [self.given])
        return with_property(message, self.given, surroundings)


def set_property(place: PropertyPlace, given: Property) -> SetProperty:
    """Return what sets a property to a value."""
    quick = quick_property(given.name)
    element = b""
    if quick is not None:
        try:
            element = write_element(element_of(given)).encode()
        except UnicodeEncodeError:
            quick = None
    return SetProperty(place, given, quick, element)
