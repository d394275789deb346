"""Index of subscriptions by topic string, which finds those that a publication matches (mqi.md 17).

Subscriptions to one topic string are in a dictionary, those with wildcards of the topic scheme in a tree of their
levels, those with wildcards of the scheme CHAR in a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from .subscription import Subscription
from .topic_strings import levels_of
from .wildcards import MANY_LEVELS, ONE_LEVEL, TopicPattern

_BY_ORDER = attrgetter("order")


class _Node:
    """A node of the tree of patterns. ``many``: its level is ``#``."""

    __slots__ = ("children", "many", "subscriptions")

    def __init__(self, many: bool = False) -> None:
        self.many = many
        self.children: dict[str, _Node] = {}
        self.subscriptions: dict[Subscription, None] = {}


class SubscriptionIndex:
    """Subscriptions by topic string or pattern."""

    __slots__ = ("_characters", "_plain", "_root")

    def __init__(self) -> None:
        self._plain: dict[str, dict[Subscription, None]] = {}
        self._root = _Node()
        self._characters: dict[Subscription, None] = {}

    def add(self, subscription: Subscription) -> None:
        """Add a subscription."""
        pattern = subscription.pattern
        if isinstance(pattern, str):
            self._plain.setdefault(pattern, {})[subscription] = None
        elif isinstance(pattern, TopicPattern):
            node = self._root
            for level in pattern.levels:
                following = node.children.get(level)
                if following is None:
                    following = node.children[level] = _Node(level == MANY_LEVELS)
                node = following
            node.subscriptions[subscription] = None
        else:
            self._characters[subscription] = None

    def remove(self, subscription: Subscription) -> None:
        """Remove a subscription, if it is in the index."""
        pattern = subscription.pattern
        if isinstance(pattern, str):
            found = self._plain.get(pattern)
            if found is not None and found.pop(subscription, True) is None and not found:
                del self._plain[pattern]
        elif isinstance(pattern, TopicPattern):
            self._prune(pattern.levels, subscription)
        else:
            self._characters.pop(subscription, None)

    def _prune(self, levels: list[str], subscription: Subscription) -> None:
        path = [self._root]
        for level in levels:
            following = path[-1].children.get(level)
            if following is None:
                return
            path.append(following)
        path[-1].subscriptions.pop(subscription, None)
        for level, node, parent in zip(reversed(levels), reversed(path), path[-2::-1], strict=False):
            if node.subscriptions or node.children:
                return
            del parent.children[level]

    def match(self, topic: str, blocked: str = "") -> list[Subscription]:
        """The subscriptions that match a topic string, each once, in order of creation.

        ``blocked``: topic string of the nearest topic object with WILDCARD(BLOCK): subscriptions with a wildcard above
        it do not match.
        """
        found = list(self._plain.get(topic, ()))
        wild = list(self._wildcard_matches(levels_of(topic))) if self._root.children else []
        wild += [each for each in self._characters if each.matches_topic(topic)]
        if blocked:
            wild = [each for each in wild if isinstance(each.pattern, str) or each.pattern.reaches_below(blocked)]
        if not wild:
            return found
        return sorted({*found, *wild}, key=_BY_ORDER)

    def _wildcard_matches(self, levels: list[str]) -> Iterator[Subscription]:
        """Subscriptions with topic-scheme wildcards that match; each pair of node and level is visited once."""
        end = len(levels)
        pending = [(self._root, 0)]
        seen: set[tuple[int, int]] = set()
        while pending:
            node, at = pending.pop()
            if (id(node), at) in seen:
                continue
            seen.add((id(node), at))
            if at == end or (node.many and not node.children):
                yield from node.subscriptions
            elif node.many:
                pending.append((node, at + 1))
            many = node.children.get(MANY_LEVELS)
            if many is not None:
                pending.append((many, at))
            if at < end:
                for wanted in (levels[at], ONE_LEVEL):
                    following = node.children.get(wanted)
                    if following is not None and not (following.many and wanted == MANY_LEVELS):
                        pending.append((following, at + 1))
