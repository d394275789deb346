"""Effective attributes of topic strings, inherited down the tree of topic objects (mqi.md 17 row 5).

A topic object with ASPARENT inherits the value of the next topic object up the tree; SYSTEM.BASE.TOPIC is its root. A
topic string need not have a topic object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.objects import Kind, expiry_cap

from .topic_strings import levels_of

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.objects import Definition, Objects

BASE_TOPIC: Final = "SYSTEM.BASE.TOPIC"
AS_PARENT: Final = "ASPARENT"
AS_PARENT_NUMBER: Final = -1
NO_CAP: Final = -2
MAX_CACHED: Final = 10_000
"""Topic strings whose attributes are cached; the cache is emptied when it is full."""

_WORDS: Final = {
    "PUB": "ENABLED", "SUB": "ENABLED", "DURSUB": "YES", "DEFPSIST": "NO", "DEFPRESP": "SYNC", "PMSGDLV": "ALLDUR",
    "NPMSGDLV": "ALLAVAIL", "USEDLQ": "YES", "PUBSCOPE": "ALL", "SUBSCOPE": "ALL", "MCAST": "DISABLED",
}  # fmt: skip
"""Values where SYSTEM.BASE.TOPIC has none."""
_MODELS: Final = {"MDURMDL": "SYSTEM.DURABLE.MODEL.QUEUE", "MNDURMDL": "SYSTEM.NDURABLE.MODEL.QUEUE"}


@dataclass(slots=True)
class TopicAttributes:
    """Effective attributes of one topic string.

    ``objects``: names of the topic objects at and above it, the nearest first. ``words``: the effective values of the
    attributes that are words or names, by MQSC keyword. ``cap_expiry``: tenths of a second, or ``NO_CAP``.
    ``blocked``: the topic string of the nearest object with WILDCARD(BLOCK), blank if there is none.
    """

    objects: tuple[str, ...]
    words: dict[str, str]
    def_priority: int
    cap_expiry: int
    blocked: str

    @property
    def publish_enabled(self) -> bool:
        """PUB."""
        return self.words["PUB"] == "ENABLED"

    @property
    def subscribe_enabled(self) -> bool:
        """SUB."""
        return self.words["SUB"] == "ENABLED"

    @property
    def durable_allowed(self) -> bool:
        """DURSUB."""
        return self.words["DURSUB"] == "YES"

    @property
    def def_persistence(self) -> int:
        """DEFPSIST as an MQPER value."""
        return int(self.words["DEFPSIST"] == "YES")

    @property
    def asynchronous_put(self) -> bool:
        """DEFPRESP: whether MQPMO_RESPONSE_AS_TOPIC_DEF means an asynchronous put."""
        return self.words["DEFPRESP"] == "ASYNC"

    @property
    def uses_dead_letter_queue(self) -> bool:
        """USEDLQ."""
        return self.words["USEDLQ"] == "YES"

    def delivery(self, persistent: bool) -> str:
        """PMSGDLV or NPMSGDLV: ALL, ALLDUR or ALLAVAIL."""
        return self.words["PMSGDLV" if persistent else "NPMSGDLV"]

    def model(self, durable: bool) -> str:
        """MDURMDL or MNDURMDL: the model of managed queues."""
        return self.words["MDURMDL" if durable else "MNDURMDL"]


class _Node:
    __slots__ = ("children", "definition")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.definition: Definition | None = None


class TopicObjects:
    """The tree of topic objects, rebuilt at the next query after one of them has changed."""

    __slots__ = ("_cache", "_objects", "_root", "_stale")

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._root = _Node()
        self._cache: dict[str, TopicAttributes] = {}
        self._stale = True

    def changed(self) -> None:
        """Rebuild at the next query: a topic object was defined, altered or deleted."""
        self._stale = True

    def _refresh(self) -> None:
        self._stale = False
        self._cache.clear()
        self._root = _Node()
        self._root.definition = self._objects.find(Kind.TOPIC, BASE_TOPIC)
        for definition in self._objects.select(Kind.TOPIC):
            if not definition.text("TOPICSTR"):
                continue
            node = self._root
            for level in levels_of(definition.text("TOPICSTR")):
                node = node.children.setdefault(level, _Node())
            node.definition = definition

    def above(self, topic: str) -> list[Definition]:
        """The topic objects at and above a topic string, the nearest first."""
        if self._stale:
            self._refresh()
        found: list[Definition] = []
        node: _Node | None = self._root
        for level in levels_of(topic) if topic else ():
            assert node is not None  # the loop ends where there is none
            if node.definition is not None:
                found.append(node.definition)
            trailing = node.children.get("") if level else None
            if trailing is not None and trailing.definition is not None:
                found.append(trailing.definition)
            node = node.children.get(level)
            if node is None:
                break
        if node is not None and node.definition is not None:
            found.append(node.definition)
        return found[::-1]

    def attributes(self, topic: str) -> TopicAttributes:
        """The effective attributes of a topic string."""
        if self._stale:
            self._refresh()
        found = self._cache.get(topic)
        if found is None:
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            found = self._cache[topic] = _inherit(self.above(topic))
        return found


def _inherit(above: list[Definition]) -> TopicAttributes:
    words = {
        keyword: next((word for each in above if (word := each.text(keyword)) not in ("", AS_PARENT)), default)
        for keyword, default in (*_WORDS.items(), *_MODELS.items())
    }
    priorities = (each.integer("DEFPRTY") for each in above)
    caps = (expiry_cap(each) for each in above)
    return TopicAttributes(
        tuple(each.name for each in above),
        words,
        next((number for number in priorities if number != AS_PARENT_NUMBER), 0),
        next((cap for cap in caps if cap != AS_PARENT_NUMBER), NO_CAP),
        next((each.text("TOPICSTR") for each in above if each.text("WILDCARD") == "BLOCK"), ""),
    )
