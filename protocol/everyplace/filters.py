"""Filters: which messages a get, a browse or a listener means, mqe.md 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from .body import Encoded
from .field_types import FieldType
from .fields import Fields
from .reserved import INDEXED, LOCK_ID, SELECTOR

if TYPE_CHECKING:
    from .jms_selector import Selector

_INDEXED: Final = frozenset(INDEXED)


class Filter:
    """A fields object that messages are compared with (E-065).

    ``lock_id``: the lock whose messages are visible too, 0 for none; it is no part of the comparison (E-070).
    ``index``: the fields that the index of a queue decides; ``others``: those for which a message must be read.
    ``selector``: of JMS, in a field of its own, which is no part of the comparison either (E-552).
    Raises `EveryplaceError` TYPE, SYNTAX for a selector.
    """

    __slots__ = ("index", "lock_id", "others", "selector")

    def __init__(self, fields: Fields | None = None) -> None:
        self.lock_id = 0
        self.index: dict[str, Encoded] = {}
        self.others: dict[str, Encoded] = {}
        self.selector: Selector | None = None
        if fields is None:
            return
        if LOCK_ID in fields:
            self.lock_id = fields.get(LOCK_ID, FieldType.LONG)
        if SELECTOR in fields:
            # Few filters have one, and a device starts sooner without its modules.
            from .jms_selector import Selector

            self.selector = Selector(fields.get(SELECTOR, FieldType.UNICODE) or "")
        for name in fields:
            field = fields.encoded(name)
            if name not in (LOCK_ID, SELECTOR) and field is not None:
                (self.index if name in _INDEXED else self.others)[name] = field

    def accepts_index(self, index: Mapping[str, Encoded]) -> bool:
        """Whether the index fields of a message fit."""
        return all(index.get(name) == field for name, field in self.index.items())

    def accepts(self, message: Fields) -> bool:
        """Whether a message whose index fields fit has the other fields too (E-069, E-072)."""
        if any(message.encoded(name) != field for name, field in self.others.items()):
            return False
        return self.selector is None or self.selector.accepts(message)

    @property
    def reads_messages(self) -> bool:
        """Whether the index fields alone do not decide (E-069)."""
        return bool(self.others) or self.selector is not None

    def __bool__(self) -> bool:
        return bool(self.index) or self.reads_messages


def matches(fields: Fields, message: Fields) -> bool:
    """Whether a message has each field of a filter with the same type and value (E-065, E-066)."""
    wanted = Filter(fields)
    return all(message.encoded(name) == field for name, field in wanted.index.items()) and wanted.accepts(message)
