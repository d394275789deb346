"""Finding, setting and deleting of elements by the steps of a path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mqbridge.mappings.jms.typed import Typed

from .element import MAX_DEPTH, Element, Kind, Value, content, is_named
from .errors import ContentError
from .paths import ALL, LAST, Step, step_text
from .rules import Rules

ITEM: Final = "Item"
"""Name of each element of an array."""


def fitting(parent: Element, step: Step) -> list[Element]:
    """Return the elements in a parent to which one step leads, in order."""
    if parent.children is None:
        return []
    name = step.name
    if name is None:
        found = [child for child in parent.children if is_named(child)]
    elif name.startswith("*:"):
        local = name[2:]
        found = [child for child in parent.children if is_named(child) and local_name(child.name) == local]
    else:
        found = [child for child in parent.children if child.name == name and is_named(child)]
    if step.is_pattern:
        return found
    index = step.occurrence
    if index == LAST:
        return found[-1:]
    return found[(index or 1) - 1 : index or 1]


def local_name(name: str) -> str:
    """Return a name without its namespace or prefix."""
    return name.rpartition("}")[2] if name.startswith("{") else name.rpartition(":")[2]


def elements_at(root: Element, steps: Sequence[Step]) -> list[Element]:
    """Return the elements to which steps lead; attributes have none."""
    found = [root]
    for step in steps:
        found = [child for parent in found for child in fitting(parent, step)]
        if not found:
            break
    return found


def values_at(root: Element, steps: Sequence[Step]) -> list[Value | Element]:
    """Return the values to which steps lead, or elements that have others in them."""
    if steps and steps[-1].attribute:
        last = steps[-1]
        holders = elements_at(root, steps[:-1])
        return [
            text
            for holder in holders
            for name, text in (holder.attributes or {}).items()
            if last.name is None or name == last.name
        ]
    return [content(element) for element in elements_at(root, steps)]


def leaves(element: Element, path: str) -> Iterator[tuple[str, Value]]:
    """Yield the exact path and the value of each attribute and each element without others in it, in order."""
    open_elements = [(element, path)]
    while open_elements:
        here, place = open_elements.pop()
        for name, text in (here.attributes or {}).items():
            yield f"{place}.{step_text(name, attribute=True)}", text
        if here.is_leaf:
            found = content(here)
            if not isinstance(found, Element):
                yield place, found
            continue
        open_elements += reversed([(child, f"{place}.{step}") for step, child in named_children(here)])


def named_children(element: Element) -> Iterator[tuple[str, Element]]:
    """Yield the elements in one, each with the step that leads to it alone."""
    counts: dict[str, int] = {}
    for child in element:
        occurrence = counts[child.name] = counts.get(child.name, 0) + 1
        yield step_text(child.name, occurrence), child


def assign(root: Element, steps: Sequence[Step], value: object, rules: Rules) -> None:
    """Set what steps lead to; elements that are missing on the way are made. Raises `ContentError`; nothing is changed
    then.

    Steps with ``*`` set everything that they fit and make nothing.
    """
    way, attribute = (steps[:-1], steps[-1]) if steps[-1].attribute else (steps, None)
    if not any(step.is_pattern for step in steps):
        _assign_one(root, way, attribute, value, rules)
        return
    found = elements_at(root, way)
    if attribute is not None:
        found = [each for each in found if attribute.name is None or attribute.name in (each.attributes or {})]
    if not found:
        raise ContentError("there is nothing to set")
    for elements in ([each.copy() for each in found], found):  # first on copies, so that all are set or none
        for element in elements:
            _give(element, attribute, value, rules, len(way))


def _assign_one(root: Element, way: Sequence[Step], attribute: Step | None, value: object, rules: Rules) -> None:
    """Set one element or attribute, made with the elements above it where they are missing."""
    _check_depth(len(way), rules)
    here = root
    for number, step in enumerate(way):
        found = fitting(here, step)
        if found:
            here = found[0]
            continue
        made = last = _missing(here, way[number:], rules)
        while last.children:
            last = last.children[0]
        if attribute is not None:
            rules.leaf(last, "")
        _give(last, attribute, value, rules, len(way))
        _attach(here, made, rules)
        return
    _give(here, attribute, value, rules, len(way))


def _attach(parent: Element, made: Element, rules: Rules) -> None:
    if parent.children is None:
        parent.children = []
        if parent.value not in (None, "") and not rules.arrays:
            parent.children.append(Element("", parent.value, kind=Kind.TEXT))
        parent.value, parent.literal = None, None
    parent.children.append(made)


def _give(element: Element, attribute: Step | None, value: object, rules: Rules, depth: int) -> None:
    if attribute is None:
        fill(element, value, rules, depth)
        return
    for name in [attribute.name] if attribute.name is not None else list(element.attributes or {}):
        rules.attribute(element, name, value)


def _check_depth(depth: int, rules: Rules) -> None:
    limit = rules.depth or MAX_DEPTH
    if depth > limit:
        raise ContentError(f"elements are nested deeper than {limit}")


def _missing(parent: Element, way: Sequence[Step], rules: Rules) -> Element:
    """Return the elements of a way, one in the other, that ``parent`` lacks."""
    there = len(fitting(parent, Step(way[0].name, ALL))) if way[0].name is not None else 0
    if parent.kind is Kind.ARRAY and way[0].name != ITEM:
        raise ContentError(f"elements of an array are called {ITEM}")
    made: Element | None = None
    for number, step in enumerate(reversed(way)):
        if step.name is None or step.name.startswith("*:"):
            raise ContentError(f"{step.name or '*'} names no element that could be made")
        before = there if number == len(way) - 1 else 0
        if step.occurrence not in (None, before + 1):
            raise ContentError(f"there are {before} of {step.name}")
        made = Element(rules.name(step.name), children=None if made is None else [made])
    assert made is not None
    return made


def fill(element: Element, value: object, rules: Rules, depth: int = 0) -> None:
    """Give an element a value, or with a mapping, a list or an element what is in them. Raises `ContentError`."""
    _check_depth(depth, rules)
    if isinstance(value, Typed):
        rules.leaf(element, value)
        element.children, element.kind = None, Kind.ELEMENT
    elif isinstance(value, Element):
        _adopt(element, value, rules, depth)
    elif isinstance(value, Mapping):
        _fill_from(element, value, rules, depth)
    elif isinstance(value, list | tuple):
        if not rules.arrays:
            raise ContentError("a list stands for elements of one name; set the element around them")
        items = [Element(ITEM) for _ in value]
        for item, given in zip(items, value, strict=True):
            fill(item, given, rules, depth + 1)
        element.kind, element.value, element.literal, element.children = Kind.ARRAY, None, None, items
    else:
        rules.leaf(element, value)
        element.children, element.kind = None, Kind.ELEMENT


def _fill_from(element: Element, values: Mapping[object, object], rules: Rules, depth: int) -> None:
    """Fill an element from a mapping: names, names of attributes behind ``@``, and ``""`` for its own text."""
    made = Element(element.name)
    children: list[Element] = []
    text: object = None
    for name, given in values.items():
        if not isinstance(name, str):
            raise ContentError(f"a name is text, not {type(name).__name__}")
        if name.startswith("@") and not rules.arrays:
            rules.attribute(made, name[1:], given)
        elif name == "" and not rules.arrays:
            text = given
        else:
            children += _children(name, given, rules, depth)
    if children or rules.arrays:
        made.children = children
    else:
        rules.leaf(made, "" if text is None else text)
    element.kind, element.attributes, element.literal = Kind.ELEMENT, made.attributes, None
    element.children, element.value = made.children, made.value


def _children(name: str, given: object, rules: Rules, depth: int) -> Iterator[Element]:
    several = (
        list(given)
        if isinstance(given, list | tuple) and not isinstance(given, Typed) and not rules.arrays
        else [given]
    )
    for each in several:
        child = Element(rules.name(name))
        fill(child, each, rules, depth + 1)
        yield child


def _adopt(element: Element, source: Element, rules: Rules, depth: int) -> None:
    """Make an element like another one, which may be of another part."""
    _check_depth(depth, rules)
    made = Element(element.name, kind=source.kind if rules.arrays else Kind.ELEMENT)
    value = content(source)
    if isinstance(value, Element):
        made.children = []
        for child in value:
            inner = Element(rules.name(child.name))
            _adopt(inner, child, rules, depth + 1)
            made.children.append(inner)
    else:
        rules.leaf(made, value)
    if not rules.arrays:
        for name, text in (source.attributes or {}).items():
            rules.attribute(made, name, text)
    element.attributes, element.children, element.kind = made.attributes, made.children, made.kind
    element.value, element.literal = made.value, None


def remove(root: Element, steps: Sequence[Step], rules: Rules) -> bool:
    """Delete what steps lead to; return whether there was anything."""
    if steps[-1].attribute:
        return _remove_attributes(elements_at(root, steps[:-1]), steps[-1].name)
    removed = False
    for parent in elements_at(root, steps[:-1]):
        gone = {id(child) for child in fitting(parent, steps[-1])}
        if not gone:
            continue
        removed = True
        kept = [child for child in parent.children or () if id(child) not in gone]
        parent.children = kept if kept or rules.arrays else None
        if parent.children is None:
            rules.leaf(parent, "")
    return removed


def _remove_attributes(holders: list[Element], name: str | None) -> bool:
    removed = False
    for holder in holders:
        names = [each for each in holder.attributes or {} if name is None or each == name]
        removed |= bool(names)
        holder.attributes = {key: text for key, text in (holder.attributes or {}).items() if key not in names} or None
    return removed
