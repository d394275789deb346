"""Domains JMSMap and JMSStream: entries of a map by name, ``JMSStream.elt[n]`` of a stream (jms-mapping.md 6).

The type of a value is its attribute ``dt``, which text goes without.
"""

from __future__ import annotations

from mqbridge.mappings.conversion.text import DataEncoding
from mqbridge.mappings.jms.bodies import read_map, read_stream, write_map, write_stream
from mqbridge.mappings.jms.typed import Typed, typed
from mqbridge.mappings.jms.values import typed_text
from mqbridge.protocol.errors import MQBridgeError

from .content import body_text, required_bytes
from .element import MAX_ELEMENTS, Element, Value
from .errors import ContentError
from .rules import Rules

ENTRY = "elt"


class JmsRules:
    """Values of JMS, with nothing below them; see `rules.Rules`."""

    __slots__ = ("arrays", "depth", "stream")

    def __init__(self, stream: bool) -> None:
        self.arrays = False
        self.depth = 1
        self.stream = stream

    def leaf(self, element: Element, value: object) -> None:
        """See `Rules.leaf`; a value keeps the type that the element had, where it fits."""
        if not isinstance(value, str | int | float | bytes | bool | Typed | None):
            raise ContentError(f"JMS has no {type(value).__name__}")
        before = (element.attributes or {}).get("dt")
        same = typed_like(value, before) if before is not None and not isinstance(value, Typed) else None
        give(element, same or typed(value))

    def name(self, name: str) -> str:
        """See `Rules.name`."""
        if self.stream and name != ENTRY:
            raise ContentError(f"values of a stream are called {ENTRY}")
        if '"' in name:
            raise ContentError("a name in a map has no double quotes")
        return name

    def attribute(self, element: Element, name: str, value: object) -> None:
        """See `Rules.attribute`; there is only ``dt``, which gives the value another type."""
        if name != "dt" or not isinstance(value, str):
            raise ContentError("there is no attribute but dt, which is text")
        held = element.value
        if isinstance(held, str):
            give(element, typed_text(value, held))
        elif isinstance(held, bool | int | float | bytes):
            give(element, typed(Typed(held, value)))


def typed_like(value: Value, dt: str) -> Typed | None:
    """Return a value in a type, None if it does not fit; a boolean is no number."""
    if isinstance(value, str) != (dt in ("string", "char")) or isinstance(value, bool) != (dt == "boolean"):
        return None
    if isinstance(value, float) != (dt in ("r4", "r8")) or isinstance(value, bytes) != (dt == "bin.hex"):
        return None
    found = Typed(value, dt)  # type: ignore[arg-type]
    try:
        return found if typed(found) == found else None
    except MQBridgeError:
        return None


def give(element: Element, value: Typed) -> None:
    """Give an element a typed value."""
    element.value = value.value
    element.attributes = None if value.dt in ("string", "null") else {"dt": value.dt}


class JmsContent:
    """See `content.Content`. ``stream``: of a stream, else of a map."""

    __slots__ = ("in_form", "name", "rules", "stream")

    def __init__(self, stream: bool) -> None:
        self.name = "JMSStream" if stream else "JMSMap"
        self.in_form = True
        self.stream = stream
        self.rules: Rules = JmsRules(stream)

    def read(self, data: bytes, form: DataEncoding) -> Element:
        """See `Content.read`."""
        text = body_text(data, form)
        if text.count("<") > 2 * MAX_ELEMENTS + 2:
            raise ContentError(f"more than {MAX_ELEMENTS} elements")
        entries: list[Element] = []
        pairs = ((ENTRY, value) for value in read_stream(text)) if self.stream else read_map(text).items()
        for name, value in pairs:
            entry = Element(name)
            give(entry, value)
            entries.append(entry)
        return Element(self.name, children=entries)

    def write(self, root: Element, form: DataEncoding) -> bytes:
        """See `Content.write`; a map in the newer form."""
        values = [(entry.name, _typed_value(entry)) for entry in root]
        if self.stream:
            return required_bytes(write_stream(tuple(value for _, value in values)), form)
        entries = dict(values)
        if len(entries) < len(values):
            raise ContentError("a name stands twice in the map")
        return required_bytes(write_map(entries), form)

    def empty(self) -> Element:
        """See `Content.empty`."""
        return Element(self.name, children=[])


def _typed_value(entry: Element) -> Typed:
    value = entry.value
    if not isinstance(value, str | int | float | bytes | bool | None):
        raise ContentError(f"JMS has no {type(value).__name__}")
    dt = (entry.attributes or {}).get("dt") or ("null" if value is None else "string")
    return typed(Typed(value, dt))
