"""Compiled selectors (mqi.md 18)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mqbridge.mappings.properties import Value
from mqbridge.protocol.constants import MQRC

from .building import parse_selector
from .errors import SelectorError
from .evaluation import LookUp, condition
from .like import search_length
from .nodes import And, Comparison, Like, Literal, Name, Node, names_in, nodes_in

KEPT: Final = 512
"""Number of compiled selectors that are cached."""


class Selector:
    """A compiled selector. ``text``: as given. ``tree``: its syntax tree. ``names``: names that it uses. ``size``:
    number of nodes, the cost of evaluating it.

    Created by `compile_selector`. It has no state: any number of consumers may share it.
    """

    __slots__ = ("_decide", "names", "size", "text", "tree")

    def __init__(self, text: str, tree: Node) -> None:
        self.text = text
        self.tree = tree
        self.names = names_in(tree)
        nodes = list(nodes_in(tree))
        self.size = len(nodes)
        self._decide = condition(
            tree, sum(search_length(each.pattern, each.escape) for each in nodes if isinstance(each, Like))
        )

    def decide(self, look_up: LookUp) -> bool | None:
        """Return True, False, or None for unknown; ``look_up`` returns the value of a name, such as
        `PropertyView.get`."""
        return self._decide(look_up)

    def selects(self, look_up: LookUp) -> bool:
        """Return whether a message is selected: only if the condition is true."""
        return self._decide(look_up) is True

    def required(self) -> dict[str, Value]:
        """Return names and the literals that they must equal in every selected message."""
        parts = self.tree.parts if isinstance(self.tree, And) else (self.tree,)
        found: dict[str, Value] = {}
        for part in parts:
            if isinstance(part, Comparison) and part.operator == "=":
                for one, other in ((part.left, part.right), (part.right, part.left)):
                    if isinstance(one, Name) and isinstance(other, Literal):
                        found.setdefault(one.name, other.value)
        return found

    def __repr__(self) -> str:
        return f"<Selector {self.text[:60]!r}>"


def _nothing(_name: str) -> Value:
    return None


@lru_cache(maxsize=KEPT)
def compile_selector(text: str) -> Selector:
    """Compile a non-empty selection string.

    Raises `SelectorError`: 2551 for wrong syntax or an impossible name, 2519 if it is too long, 2504 if it uses no
    property and is not true.
    """
    selector = Selector(text, parse_selector(text))
    if not selector.names and not selector.selects(_nothing):
        raise SelectorError("it selects nothing, whatever the message", MQRC.SELECTOR_ALWAYS_FALSE)
    return selector
