"""Selectors of MQINQ and the values of attributes (mqi.md 4.1 and 16.2).

Only queues, processes, namelists and the queue manager can be inquired.
"""

from __future__ import annotations

from collections.abc import Mapping

from .attributes import Attribute
from .definition import Definition
from .kinds import KINDS, QUEUE_KINDS, Kind

NAME = "name"
TYPE = "type"
"""In place of a keyword: the name of the object, and the type of a queue."""


def _selectors(*kinds: Kind) -> dict[str, int]:
    info = KINDS[kinds[0]]
    found = {NAME: info.key.identifier}
    if info.type is not None:
        found[TYPE] = info.type.identifier
    rows = [row for kind in kinds for row in KINDS[kind].tables[""].values()]
    return found | {row.name: row.identifier for row in rows if row.identifier and row.inquired}


_SELECTORS: dict[Kind, dict[str, int]] = {
    **dict.fromkeys(QUEUE_KINDS, _selectors(*QUEUE_KINDS)),
    **{kind: _selectors(kind) for kind in (Kind.QMGR, Kind.PROCESS, Kind.NAMELIST)},
}
_KEYWORDS: dict[Kind, dict[int, str]] = {
    kind: {selector: keyword for keyword, selector in selectors.items()} for kind, selectors in _SELECTORS.items()
}


def selectors_of(kind: Kind) -> Mapping[str, int]:
    """Selectors by keyword of a kind of object; empty if it cannot be inquired."""
    return _SELECTORS.get(kind, {})


def attribute_of(definition: Definition, selector: int) -> Attribute | None:
    """The attribute of a selector; None if the object does not have it."""
    keyword = _KEYWORDS.get(definition.kind, {}).get(selector)
    return definition.table.get(keyword) if keyword is not None else None


def inquire(definition: Definition, selector: int) -> int | str | None:
    """The value of a selector: a number, or a text without padding; None if the object has no such attribute.

    Names of a namelist are joined by commas.
    """
    if definition.kind not in _KEYWORDS:
        return None
    info = KINDS[definition.kind]
    if selector == info.key.identifier:
        return definition.name
    if info.type is not None and selector == info.type.identifier:
        return int(info.type.numbers[definition.kind])
    attribute = attribute_of(definition, selector)
    return None if attribute is None else attribute.number_of(definition[attribute.name])
