"""Destinations of JMS and their URIs, ``queue://QM/Q?name=value`` and ``topic://A/B`` (jms-mapping.md 7).

The first slash divides a queue from its queue manager, since names may contain slashes themselves; a name is never
percent-decoded, since ``%`` is valid in it. Topic strings and values of properties are written and read as IBM's client
does it: ``%3F`` in a topic is ``?``, and values are form-encoded (``&`` is ``%26``, a blank is ``+``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import lru_cache
from typing import Final

from mqbridge.protocol.constants.lengths import MQ_Q_MGR_NAME_LENGTH, MQ_Q_NAME_LENGTH

from .destination_texts import (
    APPLICATION,
    FLAGS,
    HOLES,
    QUEUE_DEFAULT,
    RANGES,
    DestinationError,
    check_name,
    check_properties,
    check_topic,
    read_properties,
    read_topic,
    topic_text,
    write_property,
)

__all__ = [
    "APPLICATION",
    "QUEUE_DEFAULT",
    "Destination",
    "DestinationError",
    "DestinationKind",
    "MessageBody",
    "MessageContext",
    "TargetClient",
]

_QUEUE: Final = "queue://"
_TOPIC: Final = "topic://"
_CACHED: Final = 512
"""Longest URI that is remembered after parsing, in characters."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}\Z", re.ASCII)


class DestinationKind(Enum):
    """What messages are sent to."""

    QUEUE = "queue"
    TOPIC = "topic"


class TargetClient(IntEnum):
    """Property ``targetClient``: who reads the message; a JMS program understands MQRFH2."""

    JMS = 0
    MQ = 1


class MessageBody(IntEnum):
    """Property ``messageBody``: whether MQRFH2 is part of the body; unspecified: as ``targetClient`` says."""

    JMS = 0
    MQ = 1
    UNSPECIFIED = 2


class MessageContext(IntEnum):
    """Property ``mdMessageContext``: context fields of the descriptor that the program may set."""

    DEFAULT = 0
    SET_IDENTITY = 1
    SET_ALL = 2


@dataclass(frozen=True, slots=True)
class Destination:
    """A queue or topic to which messages are sent, with the properties of its URI.

    ``name`` is the name of a queue or a topic string; ``queue_manager`` is blank if the URI does not name one.
    ``properties`` are names and values in the order given, unknown ones included. `parse`, `queue` and `topic` make
    destinations and check what they are given.
    """

    kind: DestinationKind
    name: str
    queue_manager: str = ""
    properties: tuple[tuple[str, str], ...] = ()
    written: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The properties as their URI has them, which keeps how others encoded them."""

    def __post_init__(self) -> None:
        if len(self.written) != len(self.properties):
            object.__setattr__(self, "written", tuple(write_property(*each) for each in self.properties))

    @classmethod
    def parse(cls, text: str, *, conforming: bool = True) -> Destination:
        """Return the destination of a URI; text without a scheme is the name of a queue.

        ``conforming=False`` accepts names of queues and queue managers that are none of MQ's, as those of a service
        integration bus. Raises `DestinationError`.
        """
        if len(text) <= _CACHED:
            return _remembered(text, conforming)
        return _parsed(text, conforming)

    @classmethod
    def queue(cls, name: str, queue_manager: str = "", **properties: str | int | bool) -> Destination:
        """Return a queue; raises `DestinationError` for a name that is none of MQ's, and for property values."""
        check_name("queue", name, MQ_Q_NAME_LENGTH, conforming=True)
        if queue_manager:
            check_name("queue manager", queue_manager, MQ_Q_MGR_NAME_LENGTH, conforming=True)
            if "/" in queue_manager:
                raise DestinationError(f"a URI cannot name the queue manager {queue_manager}: it contains a slash")
        return _with_all(cls(DestinationKind.QUEUE, name, queue_manager), properties)

    @classmethod
    def topic(cls, name: str, **properties: str | int | bool) -> Destination:
        """Return a topic by its topic string; raises `DestinationError`."""
        check_topic(name)
        return _with_all(cls(DestinationKind.TOPIC, name), properties)

    @property
    def uri(self) -> str:
        """The URI; a queue without queue manager has three slashes."""
        if self.kind is DestinationKind.TOPIC:
            text = _TOPIC + topic_text(self.name)
        else:
            text = f"{_QUEUE}{self.queue_manager}/{self.name}"
        return f"{text}?{'&'.join(self.written)}" if self.written else text

    def __str__(self) -> str:
        return self.uri

    def with_property(self, name: str, value: str | int | bool | None) -> Destination:
        """Return the destination with a property set in its place, or appended, or removed for None.

        Raises `DestinationError` for a value that the property cannot have.
        """
        wanted = name.lower()
        pairs = [(*pair, text) for pair, text in zip(self.properties, self.written, strict=True)]
        places = [place for place, pair in enumerate(pairs) if pair[0].lower() == wanted]
        if value is None:
            pairs = [pair for pair in pairs if pair[0].lower() != wanted]
        else:
            given = (
                str(value).lower() if isinstance(value, bool) else str(int(value) if isinstance(value, int) else value)
            )
            changed = (name, given, write_property(name, given))
            if places:
                pairs[places[-1]] = changed
            else:
                pairs.append(changed)
        result = Destination(
            self.kind,
            self.name,
            self.queue_manager,
            tuple((each, text) for each, text, _ in pairs),
            tuple(text for _, _, text in pairs),
        )
        check_properties(result.written)
        if wanted in RANGES:
            result.number(name)
        elif wanted in FLAGS:
            result.flag(name)
        return result

    def get(self, name: str) -> str | None:
        """Return a property as text, None if it is not given; the last of several, and its case does not matter."""
        wanted = name.lower()
        for each, value in reversed(self.properties):
            if each.lower() == wanted:
                return value
        return None

    def number(self, name: str) -> int | None:
        """Return a property that is a number; raises `DestinationError` if it is none, or one out of its range."""
        text = self.get(name)
        if text is None:
            return None
        key = name.lower()
        low, high = RANGES.get(key, (-(2**63), 2**63 - 1))
        value = int(text) if _NUMBER.match(text) else None
        if value is None or not low <= value <= high or (key, value) in HOLES:
            raise DestinationError(f"property {name} of {self.kind.value} {self.name} cannot be {text[:60]!r}")
        return value

    def flag(self, name: str) -> bool | None:
        """Return a property that is ``true`` or ``false``; raises `DestinationError` for anything else."""
        text = self.get(name)
        if text is None:
            return None
        if text.lower() not in ("true", "false"):
            raise DestinationError(f"property {name} of {self.kind.value} {self.name} cannot be {text[:60]!r}")
        return text.lower() == "true"

    @property
    def persistence(self) -> int | None:
        """1 not persistent, 2 persistent, 3 as NPMCLASS of the queue, `QUEUE_DEFAULT` or `APPLICATION`."""
        return self.number("persistence")

    @property
    def priority(self) -> int | None:
        """0 to 9, 9 the highest; `QUEUE_DEFAULT` or `APPLICATION`."""
        return self.number("priority")

    @property
    def expiry(self) -> int | None:
        """Milliseconds that a message lives, 0 without end, or `APPLICATION`."""
        return self.number("expiry")

    @property
    def ccsid(self) -> int | None:
        """CCSID of text."""
        return self.number("CCSID")

    @property
    def encoding(self) -> int | None:
        """Encoding of numbers, as in the descriptor."""
        return self.number("encoding")

    @property
    def target_client(self) -> TargetClient | None:
        """Who reads the message."""
        value = self.number("targetClient")
        return None if value is None else TargetClient(value)

    @property
    def message_body(self) -> MessageBody | None:
        """Whether MQRFH2 is part of the body."""
        value = self.number("messageBody")
        return None if value is None else MessageBody(value)

    @property
    def md_read_enabled(self) -> bool | None:
        """Whether a program sees the descriptor as properties JMS_IBM_MQMD_*."""
        return self.flag("mdReadEnabled")

    @property
    def md_write_enabled(self) -> bool | None:
        """Whether properties JMS_IBM_MQMD_* set the descriptor."""
        return self.flag("mdWriteEnabled")

    @property
    def md_message_context(self) -> MessageContext | None:
        """Context fields that a program may set."""
        value = self.number("mdMessageContext")
        return None if value is None else MessageContext(value)

    @property
    def routing_path(self) -> str | None:
        """Property ``ibmRoutingPath``, the path of a service integration bus, which MQ itself only keeps."""
        return self.get("ibmRoutingPath")


def _with_all(destination: Destination, properties: dict[str, str | int | bool]) -> Destination:
    for name, value in properties.items():
        destination = destination.with_property(name, value)
    return destination


def _parsed(text: str, conforming: bool) -> Destination:
    if text.startswith(_TOPIC):
        address, _, query = text.removeprefix(_TOPIC).partition("?")
        name = read_topic(address)
        check_topic(name)
        properties, written = read_properties(query)
        return Destination(DestinationKind.TOPIC, name, "", properties, written)
    if not text.startswith(_QUEUE):
        check_name("queue", text, MQ_Q_NAME_LENGTH, conforming=True)
        return Destination(DestinationKind.QUEUE, text)
    address, _, query = text.removeprefix(_QUEUE).partition("?")
    manager, slash, name = address.partition("/")
    if not slash:
        manager, name = "", address
    check_name("queue", name, MQ_Q_NAME_LENGTH, conforming=conforming)
    if manager:
        check_name("queue manager", manager, MQ_Q_MGR_NAME_LENGTH, conforming=conforming)
    properties, written = read_properties(query)
    return Destination(DestinationKind.QUEUE, name, manager, properties, written)


@lru_cache(maxsize=1024)
def _remembered(text: str, conforming: bool) -> Destination:
    return _parsed(text, conforming)
