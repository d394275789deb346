"""MQMD in a message tree: the fields of the descriptor by IBM's names (mq-wire.md 5.7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from mqbridge.mappings.descriptor import Descriptor
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQEI
from mqbridge.protocol.structures import MD

from .element import Element, Value
from .errors import ContentError
from .finding import values_at
from .fixed_fields import check_field_value, field_key
from .paths import Step

_KEYS: Final = {slot.field.name: slot.field.key for slot in MD.slots if slot.field.name != "StrucId"}
_KINDS: Final = {slot.field.name: slot.field.kind for slot in MD.slots}
_TENTHS: Final = 10
_LONGEST: Final = 2**31 - 1


class DescriptorPart:
    """The descriptor of a message; copied before it is changed.

    Expiry may also be set to a ``datetime`` with a time zone; it becomes tenths of a second when the message is given.
    ``present``: whether the tree shows it.
    """

    __slots__ = ("_given", "_made", "changed", "deadline", "present")

    def __init__(self, message: Message, *, present: bool) -> None:
        self._given = message
        self._made: Message | None = None
        self.deadline: datetime | None = None
        self.changed = False
        self.present = present

    @property
    def md(self) -> Descriptor:
        """The descriptor as it is now."""
        return (self._given if self._made is None else self._made).md

    def values(self, steps: Sequence[Step]) -> list[Value | Element]:
        """Return what steps lead to."""
        if len(steps) == 1:
            step = steps[0]
            key = _KEYS.get(step.name or "")
            if key is not None and step.occurrence in (None, 1) and not step.attribute:
                return [self.field(key)]
        return values_at(self.element(), steps)

    def field(self, key: str) -> Value:
        """Return one field by its key in the grammar."""
        if key == "expiry" and self.deadline is not None:
            return self.deadline
        value: Value = getattr(self.md, key)
        return value

    def assign(self, steps: Sequence[Step], value: object) -> None:
        """Set a field. Raises `ContentError`, ``ConversionError`` and ``LocalProtocolError``."""
        key = field_key(_KEYS, steps)
        if key == "version":
            raise ContentError("the version follows from the fields")
        if key == "expiry" and isinstance(value, datetime):
            self.set_deadline(value)
        else:
            self.put(key, check_field_value(_KINDS[str(steps[0].name)], value))
        self.present = True

    def set_deadline(self, moment: datetime) -> None:
        """Set an absolute Expiry. Raises `ContentError` without a time zone."""
        if moment.tzinfo is None:
            raise ContentError("a time needs its time zone")
        self.put("expiry", int(MQEI.UNLIMITED))
        self.deadline = moment

    def put(self, key: str, value: Any) -> None:
        """Set a field by its key in the grammar."""
        if self._made is None:
            self._made = self._given.copy()
        if key == "expiry":
            if value < 1 and value != MQEI.UNLIMITED:
                value = 1
            self.deadline = None
        setattr(self._made.md, key, value)
        self.changed = True

    def settle_deadline(self, now: float | None) -> None:
        """Turn an absolute Expiry into tenths of a second from ``now``; a past one becomes 1 (jms-mapping.md 10.4)."""
        if self.deadline is None:
            return
        if now is None:
            raise ContentError("an absolute Expiry needs the time: message(now)")
        left = int((self.deadline.astimezone(UTC).timestamp() - now) * _TENTHS)
        self.put("expiry", min(max(left, 1), _LONGEST))

    def element(self) -> Element:
        """Return all fields as an element."""
        return Element("MQMD", children=[Element(name, self.field(key)) for name, key in _KEYS.items()])

    def finished(self) -> Message:
        """Return a message with the descriptor as it is now, and the data as they were."""
        return self._given if self._made is None else self._made.copy()
