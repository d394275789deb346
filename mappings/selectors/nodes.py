"""A selector taken apart: the nodes of its tree (mqi.md 18.1).

Conditions (`Comparison`, `Between`, `In`, `Like`, `IsNull`, `And`, `Or`, `Not`) are true, false or unknown; the others
are values. A `Name` and the boolean literals are both. ``depth`` counts the nodes from here to the farthest leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mqbridge.mappings.properties import Value


def _below(*nodes: Node) -> int:
    return 1 + max(node.depth for node in nodes)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value written in the selector: ``str``, ``int`` within 64 bits, ``float``, ``bool`` or ``bytes``."""

    value: Value
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Name:
    """A property, a descriptor field or a synonym."""

    name: str
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``first`` and then (operator, operand) from left to right; all operators of one precedence."""

    first: Node
    rest: tuple[tuple[str, Node], ...]
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", _below(self.first, *(operand for _, operand in self.rest)))


@dataclass(frozen=True, slots=True)
class Negative:
    """A negated value."""

    operand: Node
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", _below(self.operand))


@dataclass(frozen=True, slots=True)
class Comparison:
    """``operator``: ``=``, ``<>``, ``<``, ``<=``, ``>`` or ``>=``."""

    operator: str
    left: Node
    right: Node
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", _below(self.left, self.right))


@dataclass(frozen=True, slots=True)
class Between:
    """Inclusive of both bounds."""

    subject: Node
    low: Node
    high: Node
    negated: bool
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", _below(self.subject, self.low, self.high))


@dataclass(frozen=True, slots=True)
class In:
    """Membership in a list of strings; for ``JMSDeliveryMode``, of the numbers that the strings stand for."""

    subject: Name
    values: frozenset[Value]
    negated: bool
    depth: int = 2


@dataclass(frozen=True, slots=True)
class Like:
    """``pattern`` as written; ``escape``: one character or empty."""

    subject: Name
    pattern: str
    escape: str
    negated: bool
    depth: int = 2


@dataclass(frozen=True, slots=True)
class IsNull:
    """Test for an absent property."""

    subject: Name
    negated: bool
    depth: int = 2


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of two or more conditions, none of them an `And`."""

    parts: tuple[Node, ...]
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", _below(*self.parts))


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction of two or more conditions, none of them an `Or`."""

    parts: tuple[Node, ...]
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", _below(*self.parts))


@dataclass(frozen=True, slots=True)
class Not:
    """Negation; that of unknown is unknown."""

    part: Node
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", _below(self.part))


Node: TypeAlias = Literal | Name | Arithmetic | Negative | Comparison | Between | In | Like | IsNull | And | Or | Not

CONDITIONS = (Comparison, Between, In, Like, IsNull, And, Or, Not)
"""Types of nodes that are conditions, not values."""


def children(node: Node) -> Sequence[Node]:
    """Return the immediate children of a node."""
    match node:
        case Arithmetic():
            return (node.first, *(operand for _, operand in node.rest))
        case Negative():
            return (node.operand,)
        case Comparison():
            return (node.left, node.right)
        case Between():
            return (node.subject, node.low, node.high)
        case In() | Like() | IsNull():
            return (node.subject,)
        case And() | Or():
            return node.parts
        case Not():
            return (node.part,)
    return ()


def nodes_in(node: Node) -> Iterator[Node]:
    """Yield all nodes of a tree."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += children(each)


def names_in(node: Node) -> frozenset[str]:
    """Return all names of a tree."""
    return frozenset(each.name for each in nodes_in(node) if isinstance(each, Name))
