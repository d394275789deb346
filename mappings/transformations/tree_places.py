"""Places in the message tree: fields of headers, elements of XML, JSON and JMS bodies, MIME parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import MessageTree, message_tree
from mqbridge.mappings.tree.paths import parse_path

from .errors import StepError, TransformationError
from .places import PlaceValue
from .step import Surroundings

DOMAINS: Final = ("Properties", "XMLNSC", "XMLNS", "XML", "JSON", "MIME", "JMSMap", "JMSStream")
"""Parts of a tree with which a path begins, beside headers (``MQRFH2``, ``MQDLH`` …)."""


@dataclass(frozen=True, slots=True)
class TreePlace:
    """A place in the tree."""

    path: str

    def constant(self, value: object, kind: str | None) -> PlaceValue:
        """See `places.Place`."""
        if kind is not None:
            raise StepError(0, f"type is for properties, not for {self.path}")
        if not isinstance(value, str | int | float | bool):
            raise StepError(0, f"{self.path} is set to a string, a number or a boolean, not {value!r}")
        return value

    def read(self, message: Message, surroundings: Surroundings) -> PlaceValue | None:
        """See `places.Place`."""
        value = self._tree(message, surroundings).get(self.path)
        if value is None or isinstance(value, str | int | float | bool | bytes):
            return value
        raise TransformationError(f"{self.path} is no single value")

    def write(self, message: Message, value: PlaceValue, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        tree = self._tree(message, surroundings)
        tree[self.path] = value
        return tree.message(surroundings.now)

    def remove(self, message: Message, surroundings: Surroundings) -> Message:
        """See `places.Place`."""
        tree = self._tree(message, surroundings)
        if not tree.get(self.path) and self.path not in tree:
            return message
        del tree[self.path]
        return tree.message(surroundings.now)

    def _tree(self, message: Message, surroundings: Surroundings) -> MessageTree[Message]:
        first = parse_path(self.path)[0].name
        domain = first if first in DOMAINS[1:] and first is not None else ""
        entered_by, formats = surroundings.entered_by, surroundings.formats
        return message_tree(message, domain=domain, entered_by=entered_by, formats=formats)


def is_tree_path(path: str) -> bool:
    """Return whether a path is one of the message tree, by its first part."""
    first = path.partition(".")[0].partition("[")[0]
    return first in DOMAINS or (first.startswith("MQ") and first != "MQMD")


def tree_place(path: str) -> TreePlace:
    """Return the place of a path. Raises ``TreeError``, and `StepError` for a whole part."""
    if len(parse_path(path)) < 2:
        raise StepError(0, f"{path} is a whole part of the message; name a field or element of it")
    return TreePlace(path)
