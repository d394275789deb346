"""What came of the messages: the figures of the table, out of what the programs at both ends read in each message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

COLUMNS: Final = ("type", "direction", "sent", "received", "equal", "lost", "doubled")
TYPES: Final = ("text", "bytes", "map", "stream", "object", "plain", "request", "reply")
REQUEST, REPLY = TYPES[-2:]
TO_ARTEMIS, TO_MQ = DIRECTIONS = "MQ → Artemis", "Artemis → MQ"
_GIVEN_ON_THE_WAY: Final = frozenset({"JMSMessageID", "._AMQ_DUPL_ID"})
"""MQ and Artemis have ids of different kinds; the link adds the other to what Artemis keeps."""
_OF_AN_END: Final = (".JMS_IBM_", ".JMS_AMQP_", ".JMSX")
"""Properties that a client library adds to each message that it receives."""
_CARRIED: Final = frozenset({".JMSXGroupID", ".JMSXGroupSeq"})
ABSENT: Final = "absent"

Facts: TypeAlias = dict[str, str]
"""Fields of a message by name, each as ``type:value``."""


class Identity(NamedTuple):
    """Which message it is; a reply has the number of its request."""

    type: str
    number: str


class Difference(NamedTuple):
    """A field of a message that has arrived as another one."""

    direction: str
    message: Identity
    field: str
    sent: str
    received: str


def read_facts(line: str) -> Facts:
    """The facts in a line of a program."""
    return dict(each.split("=", 1) for each in line.split("\t"))


def _identity(facts: Facts) -> Identity:
    kind, number = (facts.get(name, ABSENT).partition(":")[2] for name in (".type", ".number"))
    return Identity(kind if kind in TYPES else ABSENT, number)


def _compared(facts: Facts) -> Facts:
    """The fields that both ends must read alike."""
    return {
        name: value
        for name, value in facts.items()
        if name in _CARRIED or not (name in _GIVEN_ON_THE_WAY or name.startswith(_OF_AN_END))
    }


@dataclass(slots=True)
class Row:
    """What came of the messages of one type in one direction. ``equal``: how many arrived and were read alike, field by
    field, each time that they arrived."""

    type: str
    direction: str
    sent: int = 0
    received: int = 0
    equal: int = 0
    lost: int = 0
    doubled: int = 0

    @property
    def figures(self) -> tuple[str | int, ...]:
        """In the order of `COLUMNS`."""
        return self.type, self.direction, self.sent, self.received, self.equal, self.lost, self.doubled

    @property
    def exact(self) -> bool:
        """Every message has arrived once, as it was sent."""
        return self.sent == self.received == self.equal and not (self.lost or self.doubled)


@dataclass(slots=True)
class Way:
    """The messages of one direction; each of the two dictionaries is written by one thread alone."""

    sent: dict[Identity, Facts] = field(default_factory=dict)
    received: defaultdict[Identity, list[Facts]] = field(default_factory=lambda: defaultdict(list))

    def send(self, facts: Facts) -> None:
        """A program has committed that it sent a message."""
        self.sent[_identity(facts)] = facts

    def receive(self, facts: Facts) -> None:
        """A program has committed that it took a message."""
        self.received[_identity(facts)].append(facts)

    @property
    def messages_sent(self) -> int:
        """Number of messages that are no replies."""
        return sum(identity.type != REPLY for identity in list(self.sent))

    @property
    def messages_received(self) -> int:
        """The same of those that have arrived, each counted once."""
        return sum(identity.type != REPLY for identity in list(self.received))

    @property
    def replies_received(self) -> int:
        """Number of replies that have arrived, each counted once."""
        return len(list(self.received)) - self.messages_received


class Judge:
    """Both directions."""

    def __init__(self) -> None:
        self.ways = {direction: Way() for direction in DIRECTIONS}

    def rows(self) -> list[Row]:
        """The table; with rows for messages that cannot be told, if there are any."""
        rows = []
        for kind in (*TYPES, ABSENT):
            for direction, way in self.ways.items():
                sent = [identity for identity in way.sent if identity.type == kind]
                arrivals = [len(found) for identity, found in way.received.items() if identity.type == kind]
                row = Row(kind, direction, len(sent), sum(arrivals))
                row.doubled = row.received - len(arrivals)
                row.lost = sum(identity not in way.received for identity in sent)
                row.equal = sum(
                    identity in way.received and not self._differs(direction, identity) for identity in sent
                )
                rows.append(row)
        return [row for row in rows if row.type != ABSENT or row.received]

    def differences(self) -> Iterator[Difference]:
        """Every field that was read otherwise than it was sent."""
        for direction, way in self.ways.items():
            for identity in way.received:
                yield from self._differences(direction, identity)

    def _differs(self, direction: str, identity: Identity) -> bool:
        return next(self._differences(direction, identity), None) is not None

    def _differences(self, direction: str, identity: Identity) -> Iterator[Difference]:
        way = self.ways[direction]
        sent = way.sent.get(identity)
        for received in way.received[identity]:
            if sent is None:
                yield Difference(direction, identity, "the message", ABSENT, "received")
                continue
            there, here = self._expected(direction, identity, sent), _compared(received)
            for name in sorted(there.keys() | here.keys()):
                values = there.get(name, ABSENT), here.get(name, ABSENT)
                if values[0] != values[1]:
                    yield Difference(direction, identity, name, *values)

    def _expected(self, direction: str, identity: Identity, sent: Facts) -> Facts:
        """What is to arrive: of a reply, with the id that its request had when it was sent as its correlation id."""
        expected = _compared(sent)
        if identity.type == REPLY:
            (back,) = (way for name, way in self.ways.items() if name != direction)
            request = back.sent.get(Identity(REQUEST, identity.number), {})
            expected["JMSCorrelationID"] = request.get("JMSMessageID", ABSENT)
        return expected
