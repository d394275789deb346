"""Streams cut by a rule: whether it reaches every end, and where it cuts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import log10
from typing import NamedTuple

from mqbridge.captures.learning.messages import SideBytes

from .rules import IMPOSSIBLE, FramingRule


class Cut(NamedTuple):
    """How a rule cuts: for each side the ends of its messages; ``left``: bytes of the last, incomplete one."""

    ends: list[Sequence[int]]
    left: int

    @property
    def messages(self) -> int:
        """How many messages there are."""
        return sum(map(len, self.ends))


def ends_of(rule: FramingRule, data: bytes, most: int | None = None) -> tuple[list[int], int] | None:
    """Return the ends of the messages in ``data``, of the first ``most`` of them, and the bytes left of an incomplete
    one; None where none can be."""
    at, ends, total = 0, [], len(data)
    size_of = rule.size
    while at < total:
        size = size_of(data, at)
        if size is None:
            break
        if size == IMPOSSIBLE:
            return None
        if at + size > total:
            break
        at += size
        ends.append(at)
        if len(ends) == most:
            return ends, 0
    return ends, total - at


def cut(rule: FramingRule, sides: Iterable[SideBytes], most: int | None = None) -> Cut | None:
    """Cut every side, or the first ``most`` messages of each; None where one does not come to its end.

    The last message of a stream may be incomplete only where its end was not seen, and others came before it.
    """
    found: list[Sequence[int]] = []
    left = 0
    for side in sides:
        ended = ends_of(rule, side.data, most)
        if ended is None or (ended[1] and (side.stream.whole or not ended[0])):
            return None
        found.append(ended[0])
        left += ended[1]
    return Cut(found, left)


def agreement(ends: Sequence[int], sizes: Sequence[int]) -> tuple[int, int]:
    """Return how many pieces of a side, of these ``sizes``, end before the last message does or with it, and how many
    of them where a message ends. A last piece that is longer counts too."""
    edges = set(ends)
    last = ends[-1] if ends else 0
    within = met = 0
    for end in accumulate(sizes):
        within += 1
        met += end in edges
        if end >= last:
            break
    return within, met


def chance_of(cut_: Cut, sides: Sequence[SideBytes]) -> float:
    """Return log10 of the probability that a length made by chance had reached every end that was reached.

    A walk of steps of mean length m meets a given byte with probability 1 / m; each side is one such byte, and each end
    of a piece that is met another, of half the weight, since programs write several messages at once.
    """
    if not cut_.messages:
        return 0.0
    mean = max(sum(len(side.data) for side in sides) / cut_.messages, 1.0)
    ends = sum(1 for each in cut_.ends if len(each) > 1)
    return -log10(max(mean, 1.0)) * ends
