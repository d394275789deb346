"""Header fields of JMS messages as places: descriptor and folder ``jms`` together (jms-mapping.md 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mqbridge.mappings import jms_headers
from mqbridge.mappings.destinations import Destination, DestinationError
from mqbridge.mappings.inferred import EXPIRED_TENTHS
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyView
from mqbridge.protocol.constants import MQEI, MQPER, MQRC, MQTYPE

from .errors import StepError, TransformationError
from .places import PlaceValue
from .property_editing import with_property, without_property
from .step import Surroundings

_HIGHEST_PRIORITY: Final = 9
_LONGEST_TENTHS: Final = 2**31 - 1
_LATEST: Final = 2**63 - 1


def _destination(value: PlaceValue) -> str:
    if not isinstance(value, str):
        raise TransformationError(f"a destination is text, such as queue:///ORDERS, not {value!r}")
    return Destination.parse(value).uri


def _number(low: int, high: int) -> Callable[[PlaceValue], int]:
    def checked(value: PlaceValue) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise TransformationError(f"a whole number from {low} to {high} is right, not {value!r}")
        return value

    return checked


def _delivery_mode(message: Message, value: int, _now: float) -> int:
    persistent = value == jms_headers.PERSISTENT
    message.md.persistence = int(MQPER.PERSISTENT if persistent else MQPER.NOT_PERSISTENT)
    return value


def _priority(message: Message, value: int, _now: float) -> int:
    message.md.priority = value
    return value


def _expiration(message: Message, value: int, now: float) -> int | None:
    tenths = max((value - int(now * 1000)) // 100, EXPIRED_TENTHS) if value else _LONGEST_TENTHS + 1
    message.md.expiry = tenths if tenths <= _LONGEST_TENTHS else int(MQEI.UNLIMITED)
    return value or None


_CHECKED: Final[dict[str, Callable[[PlaceValue], PlaceValue]]] = {
    "JMSDestination": _destination,
    "JMSDeliveryMode": _number(jms_headers.NOT_PERSISTENT, jms_headers.PERSISTENT),
    "JMSPriority": _number(0, _HIGHEST_PRIORITY),
    "JMSExpiration": _number(0, _LATEST),
}
_IN_DESCRIPTOR: Final[dict[str, tuple[str, Callable[[Message, int, float], int | None]]]] = {
    "JMSDeliveryMode": ("jms.Dlv", _delivery_mode),
    "JMSPriority": ("jms.Pri", _priority),
    "JMSExpiration": ("jms.Exp", _expiration),
}
"""Element and function that sets the descriptor; it returns the element's value, None for none."""
JMS_FIELDS: Final = frozenset(_CHECKED)
"""Header fields that are set here; JMSCorrelationID, JMSReplyTo, JMSType and the group are set as properties."""


@dataclass(frozen=True, slots=True)
class JmsPlace:
    """A header field. What stands in folder ``jms`` too is set there where it stands; JMSDestination stands there
    alone."""

    path: str

    def constant(self, value: object, kind: str | None) -> PlaceValue:
        """See `places.Place`."""
        if kind is not None:
            raise StepError(0, f"type is for properties, not for {self.path}")
        if not isinstance(value, str | int):
            raise StepError(0, f"{self.path} cannot be {value!r}")
        try:
            return _CHECKED[self.path](value)
        except (DestinationError, TransformationError) as error:
            raise StepError(0, f"{self.path}: {error}") from error

    def read(self, message: Message, surroundings: Surroundings) -> PlaceValue | None:
        """See `places.Place`."""
        return PropertyView.of(message).get(self.path)

    def write(self, message: Message, value: PlaceValue, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        try:
            given = _CHECKED[self.path](value)
        except (DestinationError, TransformationError) as error:
            raise TransformationError(f"{self.path}: {error}", MQRC.PROPERTY_TYPE_ERROR) from error
        if isinstance(given, str):
            return with_property(message, Property("jms.Dst", MQTYPE.STRING, given), surroundings)
        assert isinstance(given, int)
        element, set_field = _IN_DESCRIPTOR[self.path]
        result = message.copy()
        left = set_field(result, given, surroundings.now)
        if element.removeprefix("jms.") not in PropertyView.of(message).folder("jms"):
            return result
        if left is None:
            return without_property(result, element, surroundings)
        return with_property(result, Property(element, MQTYPE.INT64, left), surroundings)

    def remove(self, message: Message, surroundings: Surroundings) -> Message:
        """See `places.Place`. No step removes one: `property_place` refuses it."""
        return message
