"""Elements of a part: names with values, attributes and elements in them, as XML and JSON have them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from typing import Final, TypeAlias

Value: TypeAlias = str | int | float | bool | bytes | datetime | None
"""What an element without others in it holds. ``datetime``: only of Expiry."""

MAX_DEPTH: Final = 128
"""Deepest nesting of elements that is read or made."""
MAX_ELEMENTS: Final = 250_000
"""Most elements of a part."""
MAX_TEXT: Final = 16 << 20
"""Longest body in bytes that is parsed; a longer one is read as BLOB only."""


class Kind(Enum):
    """What an element stands for. Paths lead to `ELEMENT` and `ARRAY` alone."""

    ELEMENT = "element"
    ARRAY = "array"
    TEXT = "text"
    COMMENT = "comment"
    INSTRUCTION = "instruction"


class Element:
    """One element. Read it; the tree changes it, by paths.

    ``value``: of an element without others in it. ``children``: None, or what is in it, in order; ``attributes``: None,
    or texts by name. ``literal``: how a number was written, None where that does not matter.
    """

    __slots__ = ("attributes", "children", "kind", "literal", "name", "value")

    def __init__(
        self,
        name: str,
        value: Value = None,
        *,
        kind: Kind = Kind.ELEMENT,
        children: list[Element] | None = None,
        attributes: dict[str, str] | None = None,
        literal: str | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.kind = kind
        self.children = children
        self.attributes = attributes
        self.literal = literal

    @property
    def is_leaf(self) -> bool:
        """Whether there are no elements in it; an empty JSON object or array is no leaf."""
        if self.children is None:
            return True
        return bool(self.children) and self.kind is Kind.ELEMENT and not any(map(is_named, self.children))

    def __iter__(self) -> Iterator[Element]:
        """Yield the elements in it, without texts between them, comments and processing instructions."""
        return filter(is_named, self.children or ())

    def __len__(self) -> int:
        """Return the number of elements in it."""
        return sum(map(is_named, self.children or ()))

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        mine: list[tuple[Element, Element]] = [(self, other)]
        while mine:
            one, two = mine.pop()
            if (one.name, one.kind, one.attributes or {}) != (two.name, two.kind, two.attributes or {}):
                return False
            if type(one.value) is not type(two.value) or one.value != two.value:
                return False
            if len(one.children or ()) != len(two.children or ()) or (one.children is None) != (two.children is None):
                return False
            mine += zip(one.children or (), two.children or (), strict=True)
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = f"{len(self)} elements" if not self.is_leaf else f"{len(str(self.value))} characters"
        return f"<Element {self.name[:60]} of {inside}>"

    def copy(self, name: str | None = None) -> Element:
        """Return a deep copy, under another name if given."""
        top = _alone(self)
        if name is not None:
            top.name = name
        open_pairs = [(self, top)]
        while open_pairs:
            source, target = open_pairs.pop()
            if source.children is not None:
                target.children = [_alone(child) for child in source.children]
                open_pairs += zip(source.children, target.children, strict=True)
        return top


def _alone(element: Element) -> Element:
    attributes = None if element.attributes is None else dict(element.attributes)
    return Element(element.name, element.value, kind=element.kind, attributes=attributes, literal=element.literal)


def is_named(element: Element) -> bool:
    """Whether paths lead to an element."""
    return element.kind is Kind.ELEMENT or element.kind is Kind.ARRAY


def content(element: Element) -> Value | Element:
    """Return the value of an element without others in it, otherwise the element."""
    if not element.is_leaf:
        return element
    if element.children is None:
        return element.value
    return "".join(str(child.value) for child in element.children if child.kind is Kind.TEXT)
