"""Filters: which messages a get, a browse or a listener means, mqe.md 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .body import Encoded
from .field_types import FieldType
from .fields import Fields
from .reserved import INDEXED, LOCK_ID

_INDEXED: Final = frozenset(INDEXED)


class Filter:
    """A fields object that messages are compared with (E-065).

    ``lock_id``: the lock whose messages are visible too, 0 for none; it is no part of the comparison (E-070).
    ``index``: the fields that the index of a queue decides; ``others``: those for which a message must be read.
    """

    __slots__ = ("index", "lock_id", "others")

    def __init__(self, fields: Fields | None = None) -> None:
        self.lock_id = 0
        self.index: dict[str, Encoded] = {}
        self.others: dict[str, Encoded] = {}
        if fields is None:
            return
        if LOCK_ID in fields:
            self.lock_id = fields.get(LOCK_ID, FieldType.LONG)
        for name in fields:
            field = fields.encoded(name)
            if name != LOCK_ID and field is not None:
                (self.index if name in _INDEXED else self.others)[name] = field

    def accepts_index(self, index: Mapping[str, Encoded]) -> bool:
        """Whether the index fields of a message fit."""
        return all(index.get(name) == field for name, field in self.index.items())

    def accepts(self, message: Fields) -> bool:
        """Whether a message whose index fields fit has the other fields too (E-069, E-072)."""
        return all(message.encoded(name) == field for name, field in self.others.items())

    def __bool__(self) -> bool:
        return bool(self.index or self.others)


def matches(fields: Fields, message: Fields) -> bool:
    """Whether a message has each field of a filter with the same type and value (E-065, E-066)."""
    return all(message.encoded(name) == fields.encoded(name) for name in fields if name != LOCK_ID)
