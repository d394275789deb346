"""Bodies in formats of plug-ins: mappings of names to values (``protocol.formats``)."""

from __future__ import annotations

from mqbridge.mappings.conversion.text import DataEncoding
from mqbridge.protocol.formats import Format

from .element import Element, Kind, Value
from .errors import ContentError
from .finding import fill
from .rules import Rules


class PlugInRules:
    """Names and values are the plug-in's, with lists as arrays; see `rules.Rules`."""

    __slots__ = ("arrays", "depth")

    def __init__(self) -> None:
        self.arrays = True
        self.depth = 0

    def leaf(self, element: Element, value: object) -> None:
        """See `Rules.leaf`."""
        if not isinstance(value, str | int | float | bool | bytes | None):
            raise ContentError(f"a format of a plug-in holds no {type(value).__name__}")
        element.value, element.literal = value, None

    def name(self, name: str) -> str:
        """See `Rules.name`."""
        return name

    def attribute(self, element: Element, name: str, value: object) -> None:
        """See `Rules.attribute`."""
        raise ContentError("there are no attributes")


class PlugInContent:
    """See `content.Content`."""

    __slots__ = ("_format", "in_form", "name", "rules")

    def __init__(self, format: Format) -> None:
        self._format = format
        self.name = format.name
        self.in_form = True
        self.rules: Rules = PlugInRules()

    def read(self, data: bytes, form: DataEncoding) -> Element:
        """See `Content.read`."""
        root = Element(self.name)
        fill(root, self._format.values(data, form.encoding, form.ccsid), self.rules)
        return root

    def write(self, root: Element, form: DataEncoding) -> bytes:
        """See `Content.write`."""
        values = plain_values(root)
        if not isinstance(values, dict):
            raise ContentError("a body of a plug-in's format has names")
        return self._format.build(values, form.encoding, form.ccsid)

    def empty(self) -> Element:
        """See `Content.empty`."""
        return Element(self.name, children=[])


def plain_values(element: Element) -> Value | dict[str, object] | list[object]:
    """Return an element as plain values: mappings by name, lists for arrays."""
    if element.children is None:
        return element.value
    if element.kind is Kind.ARRAY:
        return [plain_values(child) for child in element]
    return {child.name: plain_values(child) for child in element}
