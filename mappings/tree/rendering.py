"""A tree as lines of text and as plain values of JSON, for people and tools."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import zip_longest
from typing import Any, Final

from .blob import Blob
from .element import Element, Kind, Value, content
from .finding import named_children
from .header_part import HeaderPart
from .parts import TreeParts
from .paths import step_text

MASK: Final = "********"
MAX_BYTES: Final = 256
"""Bytes that are shown of a value."""
MAX_CHARACTERS: Final = 4096
"""Characters that are shown of a text."""
MAX_LINES: Final = 10_000
"""Elements that are shown of a part."""


def shown_value(value: Value | Blob) -> str | int | float | bool | None:
    """Return a value of JSON: bytes as hexadecimal digits, long values cut with their length."""
    if isinstance(value, Blob):
        data, length = value[:MAX_BYTES], len(value)
        return data.hex() + ("" if length <= MAX_BYTES else f"... ({length} bytes)")
    if isinstance(value, bytes):
        return shown_value(Blob(value))
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        return f"{value[:MAX_CHARACTERS]}... ({len(value)} characters)"
    return value


def plain(element: Element) -> Any:
    """Return an element as plain values: names with ``@`` for attributes, ``""`` for text beside them, and a list where
    a name occurs several times. What exceeds `MAX_LINES` is left out, and ``"..."`` says so."""
    room = [MAX_LINES]
    return _plain(element, room)


def _plain(element: Element, room: list[int]) -> Any:
    room[0] -= 1
    value = content(element)
    if element.kind is Kind.ARRAY:
        return [_plain(child, room) for child in element if room[0] > 0]
    if not isinstance(value, Element) and not element.attributes:
        return shown_value(value)
    found: dict[str, Any] = {f"@{name}": shown_value(text) for name, text in (element.attributes or {}).items()}
    if not isinstance(value, Element):
        return {**found, "": shown_value(value)}
    several: set[str] = set()
    for child in element:
        if room[0] <= 0:
            found["..."] = f"{len(element)} elements in all"
            break
        inner = _plain(child, room)
        if child.name not in found:
            found[child.name] = inner
        elif child.name in several:
            found[child.name].append(inner)
        else:
            found[child.name] = [found[child.name], inner]
            several.add(child.name)
    return found


def lines_of(element: Element, indent: int = 1) -> Iterator[str]:
    """Yield a line for each attribute and each element in one, without its own name."""
    count = 0
    open_elements = [iter(_inside(element))]
    while open_elements:
        found = next(open_elements[-1], None)
        if found is None:
            open_elements.pop()
            continue
        step, shown, child = found
        count += 1
        if count > MAX_LINES:
            yield f"{'  ' * indent}..."
            return
        yield f"{'  ' * (indent + len(open_elements) - 1)}{step}" + ("" if shown is None else f"  {shown}")
        if child is not None:
            open_elements.append(iter(_inside(child)))


def _inside(element: Element) -> Iterator[tuple[str, str | None, Element | None]]:
    """Yield step, shown value and element of each attribute and element; the element is None if nothing is in it."""
    for name, text in (element.attributes or {}).items():
        yield step_text(name, attribute=True), line_text(text), None
    for step, child in named_children(element):
        value = content(child)
        if isinstance(value, Element):
            yield step, None, child
        else:
            yield step, line_text(value), child if child.attributes else None


def plain_tree(parts: TreeParts) -> dict[str, Any]:
    """Return all parts as plain values of JSON, by name; the error of one that is malformed as ``{"error": …}``."""
    return {
        name: {"error": element} if isinstance(element, str) else plain(element) for name, element in shown_parts(parts)
    }


def lines_of_tree(parts: TreeParts) -> Iterator[str]:
    """Yield all parts as lines of text, the error of one that is malformed beside its name."""
    for name, element in shown_parts(parts):
        if isinstance(element, str):
            yield f"{name}  {element}"
            continue
        yield name
        yield from lines_of(element)
    note = parts.chain.body.domain.note
    if note:
        yield f"({note})"


def shown_parts(parts: TreeParts) -> Iterator[tuple[str, Element | str]]:
    """Yield the step and the element of each part, passwords masked, or its error."""
    counts: dict[str, int] = {}
    secrets = {id(part): part.secret_fields() for _, part in parts.all() if isinstance(part, HeaderPart)}
    for (name, element), (_, part) in zip_longest(parts.compared(), parts.all(), fillvalue=("", None)):
        counts[name] = counts.get(name, 0) + 1
        if isinstance(element, Element):
            for child in element:
                if child.name in secrets.get(id(part), ()):
                    child.value = MASK
        yield step_text(name, counts[name]), element or ""


def line_text(value: Value | Blob) -> str:
    """Return a value on one line."""
    shown = shown_value(value)
    if isinstance(shown, str):
        return shown if shown.isprintable() else repr(shown)
    return str(shown)
