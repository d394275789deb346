"""Properties in a message tree, and who wins between them and the MQMD (jms-mapping.md 10.4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, TypeAlias

from mqbridge.mappings.descriptor import Descriptor
from mqbridge.protocol.constants import MQPER

from .descriptor_part import DescriptorPart
from .element import Element, Value
from .errors import ContentError
from .finding import values_at
from .fixed_fields import check_number, field_key
from .paths import Step

EnteredBy: TypeAlias = Literal["queue", "other", "user"]
"""How a message came: from a queue, by an input of another transport, or made by a program."""

_KEYS: Final = {
    "ReplyIdentifier": "correl_id",
    "Encoding": "encoding",
    "CodedCharSetId": "coded_char_set_id",
    "Persistence": "persistence",
    "Expiry": "expiry",
    "Priority": "priority",
}
"""Key of the MQMD field with the same meaning, by name."""

_ID_LENGTH: Final = 24


class PropertiesPart:
    """Properties of a message, in front of its headers.

    From a queue they show the MQMD, which wins. Of another input they are what its transport said, and win over an
    MQMD. A program's own message has none until they are given; those then win.
    """

    __slots__ = ("_descriptor", "_given", "_original", "entered_by")

    def __init__(self, entered_by: EnteredBy, original: Descriptor, descriptor: DescriptorPart) -> None:
        self.entered_by: EnteredBy = entered_by
        self._original = original
        self._descriptor = descriptor
        self._given: dict[str, Value] = {}

    @property
    def present(self) -> bool:
        """Whether the tree shows them."""
        return self.entered_by != "user" or bool(self._given)

    @property
    def changed(self) -> bool:
        """Whether any was set."""
        return bool(self._given)

    def element(self) -> Element:
        """Return all of them as an element."""
        return Element("Properties", children=[Element(name, value) for name, value in self._all().items()])

    def values(self, steps: Sequence[Step]) -> list[Value | Element]:
        """Return what steps lead to."""
        return values_at(self.element(), steps)

    def _all(self) -> dict[str, Value]:
        if self.entered_by == "user":
            return self._given
        found: dict[str, Value] = {}
        for name, key in _KEYS.items():
            if name in self._given:
                found[name] = self._given[name]
            elif self.entered_by == "queue":
                found[name] = _shown(key, self._descriptor.field(key))
            else:
                found[name] = _shown(key, getattr(self._original, key))
        return found

    def assign(self, steps: Sequence[Step], value: object) -> None:
        """Set one. Raises `ContentError`."""
        key = field_key(_KEYS, steps)
        name = str(steps[0].name)
        if key == "persistence":
            if not isinstance(value, bool):
                raise ContentError("True or False is needed")
            self._given[name] = value
        elif key == "expiry" and isinstance(value, datetime):
            if value.tzinfo is None:
                raise ContentError("a time needs its time zone")
            self._given[name] = value
        elif key == "correl_id":
            self._given[name] = _identifier(value)
        else:
            self._given[name] = check_number(value)

    def remove(self, steps: Sequence[Step]) -> bool:
        """Take one back that was given, or all; return whether there was any."""
        names = [steps[0].name] if steps and steps[0].name is not None else list(self._given)
        found = [self._given.pop(name, None) for name in names if name in self._given]
        return bool(found)

    def follow(self, steps: Sequence[Step]) -> None:
        """Note a change of an MQMD field: from a queue, it is copied to Properties."""
        if self.entered_by == "queue":
            name = "ReplyIdentifier" if steps[0].name == "CorrelId" else steps[0].name
            self._given.pop(str(name), None)

    @property
    def overrule(self) -> bool:
        """Whether they say something else than the MQMD, and win."""
        return self.entered_by != "queue" and any(
            _shown(_KEYS[name], self._descriptor.field(_KEYS[name])) != value for name, value in self._all().items()
        )

    def settle(self) -> None:
        """Bring both to agreement, as the winner has it."""
        if self.entered_by == "queue":
            self._given.clear()
            return
        descriptor = self._descriptor
        for name, value in self._all().items():
            key = _KEYS[name]
            if _shown(key, descriptor.field(key)) == value:
                continue
            if isinstance(value, datetime):
                descriptor.set_deadline(value)
            elif key == "persistence":
                descriptor.put(key, int(MQPER.PERSISTENT if value else MQPER.NOT_PERSISTENT))
            else:
                descriptor.put(key, value)


def _identifier(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise ContentError(f"bytes are needed, not {type(value).__name__}")
    if len(value) > _ID_LENGTH:
        raise ContentError(f"{len(value)} bytes given, the field has {_ID_LENGTH}")
    return value.ljust(_ID_LENGTH, b"\0")


def _shown(key: str, value: Value) -> Value:
    return value == MQPER.PERSISTENT if key == "persistence" else value
