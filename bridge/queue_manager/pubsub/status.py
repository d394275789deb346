"""Rows of DISPLAY TPSTATUS, SBSTATUS and PUBSUB (channels.md 17.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.objects import Kind, date_and_time

from .topic_strings import SEPARATOR
from .wildcards import make_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqbridge.bridge.queue_manager.control import StatusRow

    from .retained import RetainedPublications
    from .state import PubSubState

_ATTRIBUTES: Final = (
    "DEFPRESP", "DEFPSIST", "DURSUB", "MCAST", "MDURMDL", "MNDURMDL", "NPMSGDLV", "PMSGDLV", "PUB", "PUBSCOPE", "SUB",
    "SUBSCOPE", "USEDLQ",
)  # fmt: skip
NEVER: Final = ("", "")


class Status:
    """Status rows of publish/subscribe."""

    __slots__ = ("_retained", "_state")

    def __init__(self, state: PubSubState, retained: RetainedPublications) -> None:
        self._state = state
        self._retained = retained

    def _nodes(self) -> set[str]:
        """Every topic string in use, by topic objects, subscriptions, open topics or retained publications, and its
        ancestors."""
        state = self._state
        strings = {each.topic for each in state.subscriptions.values()}
        strings.update(each.text("TOPICSTR") for each in state.core.objects.select(Kind.TOPIC))
        strings.update(self._retained.topics())
        strings.update(each.target.topic or "" for each in state.publishers)
        found = {""}
        for string in strings:
            while string and string not in found:
                found.add(string)
                string = string.rpartition(SEPARATOR)[0]
        return found

    def topics(self, wanted: str) -> Iterator[StatusRow]:
        """TPSTATUS TYPE(TOPIC): a row for each topic string that matches, with wildcards of the topic scheme."""
        state = self._state
        pattern = make_pattern(wanted, characters=False)
        nodes = self._nodes()
        chosen = sorted(nodes & {pattern} if isinstance(pattern, str) else filter(pattern.matches, nodes))
        subscribers: dict[str, int] = {}
        for subscription in state.subscriptions.values():
            subscribers[subscription.topic] = subscribers.get(subscription.topic, 0) + 1
        publishers: dict[str, int] = {}
        for handle in state.publishers:
            topic = handle.target.topic or ""
            publishers[topic] = publishers.get(topic, 0) + 1
        administrative = {each.text("TOPICSTR"): each.name for each in state.core.objects.select(Kind.TOPIC)}
        for topic in chosen:
            attributes = state.topics.attributes(topic)
            row: StatusRow = {
                "TOPICSTR": topic,
                "TYPE": "TOPIC",
                "ADMIN": administrative.get(topic, "") if topic else "SYSTEM.BASE.TOPIC",
                "DEFPRTY": attributes.def_priority,
                "PUBCOUNT": publishers.get(topic, 0),
                "RETAINED": "YES" if self._retained.has(topic) else "NO",
                "SUBCOUNT": subscribers.get(topic, 0),
            }
            yield {**row, **{word: attributes.words[word] for word in _ATTRIBUTES}}

    def topic_subscribers(self, wanted: str) -> Iterator[StatusRow]:
        """TPSTATUS TYPE(SUB): a row for each subscription whose topic string matches."""
        pattern = make_pattern(wanted, characters=False)
        return (
            {**row, "TOPICSTR": each.topic, "TYPE": "SUB"}
            for each in list(self._state.subscriptions.values())
            if (each.topic == pattern if isinstance(pattern, str) else pattern.matches(each.topic))
            for row in self.subscriptions(each.definition.identity)
        )

    def topic_publishers(self, wanted: str) -> list[StatusRow]:
        """TPSTATUS TYPE(PUB): a row for each topic that is open for output."""
        pattern = make_pattern(wanted, characters=False)
        found = (each.target.topic or "" for each in self._state.publishers)
        return [
            {"TOPICSTR": topic, "TYPE": "PUB"}
            for topic in sorted(found)
            if (topic == pattern if isinstance(pattern, str) else pattern.matches(topic))
        ]

    def subscriptions(self, identity: str | None = None) -> list[StatusRow]:
        """SBSTATUS of all subscriptions, or of one."""
        rows: list[StatusRow] = []
        known = self._state.subscriptions
        found = known.values() if identity is None else filter(None, (known.get(identity),))
        for each in found:
            last = date_and_time(each.last_message) if each.last_message else NEVER
            resumed = date_and_time(each.resumed) if each.resumed else NEVER
            rows.append(
                {
                    "SUB": each.name,
                    "SUBID": each.definition.text("SUBID"),
                    "SUBUSER": each.user,
                    "SUBTYPE": each.definition.text("SUBTYPE"),
                    "DURABLE": each.definition.text("DURABLE"),
                    "NUMMSGS": each.messages,
                    "LMSGDATE": last[0],
                    "LMSGTIME": last[1],
                    "RESMDATE": resumed[0],
                    "RESMTIME": resumed[1],
                }
            )
        return rows

    def engine(self) -> StatusRow:
        """PUBSUB: this queue manager, its subscriptions and topic strings."""
        mode = self._state.core.objects.manager.text("PSMODE")
        return {
            "QMNAME": self._state.core.name,
            "TYPE": "LOCAL",
            "STATUS": {"DISABLED": "INACTIVE", "COMPAT": "COMPAT"}.get(mode, "ACTIVE"),
            "SUBCOUNT": len(self._state.subscriptions),
            "TPCOUNT": len(self._nodes()),
        }
