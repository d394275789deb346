"""Routing paths of a bus in property ``ibmRoutingPath`` (jms-mapping.md 7.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

from mqbridge.mappings.inferred import PATH_ELEMENT_SEPARATOR, PATH_SEPARATOR

from .bus import BusDestination

PathElement: TypeAlias = BusDestination | str
"""A destination, or the whole path as one text where its spelling is not ours."""

_PLAIN: Final = "._-/@"


def read_path(text: str | None) -> tuple[PathElement, ...]:
    """Return the elements of a path, a single opaque one if it is spelled differently."""
    if not text:
        return ()
    found: list[PathElement] = []
    for part in text.split(PATH_SEPARATOR):
        bus, _, identifier = part.partition(PATH_ELEMENT_SEPARATOR)
        if not bus or not identifier:
            return (text,)
        found.append(BusDestination(unquote(bus), unquote(identifier)))
    return tuple(found) if write_path(found) == text else (text,)


def write_path(elements: Iterable[PathElement]) -> str:
    """Return a path as text."""
    return PATH_SEPARATOR.join(each if isinstance(each, str) else _element(each) for each in elements)


def _element(element: BusDestination) -> str:
    # quote() leaves "~" as it is, which we encode
    return PATH_ELEMENT_SEPARATOR.join(
        quote(each, safe=_PLAIN, errors="replace").replace("~", "%7E") for each in element
    )
