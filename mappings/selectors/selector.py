"""Selectors: selection strings ready to be asked whether a message is one of theirs (mqi.md 18)."""

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
"""Selectors that are kept compiled."""


class Selector:
    """A selector. ``text`` as it was given, ``tree`` what it means, ``names`` the names that it asks for, ``size`` how
    many nodes it has: what asking it costs.

    Make one with `compile_selector`. It has no state: one may serve any number of consumers.
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
        """True, False, or None for unknown; ``look_up`` gives the value of a name, `PropertyView.get` for one."""
        return self._decide(look_up)

    def selects(self, look_up: LookUp) -> bool:
        """Whether a message is selected: only where the condition is true."""
        return self._decide(look_up) is True

    def required(self) -> dict[str, Value]:
        """Names and the literals that they must equal in every message that is selected."""
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
    """The selector of a selection string that is not empty.

    Raises `SelectorError`: 2551 wrong syntax or a name that no property has, 2519 too long, 2504 where it asks for no
    property and is not true.
    """
    selector = Selector(text, parse_selector(text))
    if not selector.names and not selector.selects(_nothing):
        raise SelectorError("it selects nothing, whatever the message", MQRC.SELECTOR_ALWAYS_FALSE)
    return selector
