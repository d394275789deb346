"""What a part allows: names and values of its elements. Each kind of content has one such set of rules."""

from __future__ import annotations

from typing import Protocol

from .element import Element


class Rules(Protocol):
    """How values become elements of a part. Its functions raise `ContentError`."""

    arrays: bool
    """Whether a list is an element of its own (JSON) or a name that occurs several times."""

    depth: int
    """How deep elements may stand in each other below the root; 0 for no limit but `MAX_DEPTH`."""

    def leaf(self, element: Element, value: object) -> None:
        """Give an element a value that a program gave, with whatever says of which type it is."""
        ...

    def name(self, name: str) -> str:
        """Return a name that an element can have."""
        ...

    def attribute(self, element: Element, name: str, value: object) -> None:
        """Set an attribute."""
        ...
