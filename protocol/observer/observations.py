"""Observations: facts about a captured connection, each with the place that shows it.

An observation states what was seen and, where the tables of the live machines define it, what was expected. It makes no
judgement: whether a fact is a fault, and how severe, is for rules that read the observations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple, Self

from mqbridge.protocol.chain import HeaderChain, walk_descriptor
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.states import Member
from mqbridge.protocol.structures import MD1

_PERSISTENCE_AT: Final = next(slot.offset for slot in MD1.slots if slot.field.name == "Persistence")


def persistence_of(descriptor: bytes, order: ByteOrder) -> int:
    """Return Persistence of a raw MQMD; 0 without one."""
    return int.from_bytes(descriptor[_PERSISTENCE_AT : _PERSISTENCE_AT + 4], order.endian)


class Place(NamedTuple):
    """A place in a capture: ``time`` in seconds since the epoch, ``packet`` number as tshark counts (0: unknown),
    ``offset`` of the segment's first byte in its direction of the flow."""

    time: float
    packet: int
    offset: int


class ConnectionKind(Member):
    """Kind of a connection; the values are the words in reports."""

    UNKNOWN = "unknown"
    MESSAGE_CHANNEL = "message-channel"
    CLIENT_CONNECTION = "client-connection"


class Ending(Member):
    """How the TCP connection ended, as far as the capture shows."""

    CLOSED = "both ends closed"
    RESET = "reset"
    OPEN = "the capture stops first"


@dataclass(slots=True, eq=False)
class Observation:
    """A fact. ``direction``: of the segment that shows it. ``place``: of that segment."""

    direction: Direction
    place: Place

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), tuple(values_of(self).values())


def values_of(record: Any) -> dict[str, Any]:
    """Return the values of an observation, or of any dataclass, by field name, in the order of its constructor."""
    return {each.name: getattr(record, each.name) for each in fields(record)}


@dataclass(slots=True, eq=False)
class SegmentSeen(Observation):
    """A segment whose header differs, apart from length and ids, from all earlier ones in its direction.

    Headers repeat for thousands of segments; it suffices to judge each variety once. ``usual``: byte order (1 or 2) and
    CCSID of the last reported segment of the direction, None for the first. ``new_code``: the first segment of the
    direction with this byte order, Encoding and CCSID.
    """

    segment: Segment
    usual: tuple[int, int] | None = None
    new_code: bool = True


@dataclass(slots=True, eq=False)
class SegmentTooLong(Observation):
    """A segment of ``length`` bytes, longer than the negotiated maximum, ``agreed``."""

    length: int
    agreed: int


class MessageRoute(Member):
    """The way a message was sent; the values are the words in tables."""

    CHANNEL = "channel"
    PUT = "put"
    GET = "get"
    BROWSE = "browse"


@dataclass(slots=True, eq=False)
class ObservedMessage:
    """A message, complete or in part.

    ``descriptor``: the raw MQMD (324 or 364 bytes), with integers in ``order`` and text in ``ccsid``; on message
    channels that of the message itself, not of its carrier. ``data``: headers and body behind the descriptor
    (``length`` bytes on the wire; fewer here if not ``whole``, or if they are too many to be kept). ``digest``: SHA-256
    of what is behind the headers, if fewer bytes than ``length`` were kept only because of their number; else empty,
    also if the headers cannot be parsed. ``queue``, ``queue_manager``: destination on the wire; the ``reply`` fields
    are in the descriptor. ``sequence_number``, ``luwid``: of message channels, else 0 and empty. ``handle``,
    ``conversation``: of clients. ``first``, ``last``: places of its first and last segment.
    """

    course: MessageRoute
    direction: Direction
    descriptor: bytes
    order: ByteOrder
    ccsid: int
    data: bytes
    length: int
    whole: bool
    first: Place
    last: Place
    queue: str = ""
    queue_manager: str = ""
    sequence_number: int = 0
    luwid: bytes = b""
    batch: int = 0
    handle: int = 0
    conversation: int = 0
    digest: bytes = b""
    _chain: HeaderChain | None = field(default=None, init=False, repr=False)

    @property
    def chain(self) -> HeaderChain | None:
        """Return the headers in front of the message's own data, parsed once; None without a whole descriptor.

        If data are missing the chain may end early, with ``stopped``.
        """
        if self._chain is None and len(self.descriptor) >= MD1.size:
            descriptor = MD1.codec(self.order).parse(self.descriptor)
            self._chain = walk_descriptor(descriptor, self.data, default_ccsid=self.ccsid)
        return self._chain


@dataclass(slots=True, eq=False)
class UnreadMessage(ObservedMessage):
    """A compressed message: never ``whole``, without data, and without a descriptor unless that is uncompressed.

    ``length``: bytes on the wire that may belong to the message: behind the API header for clients; on message channels
    behind the segment header and uncompressed structures.
    """


@dataclass(slots=True, eq=False)
class MessageSeen(Observation):
    """A message, as far as it is in the capture."""

    message: ObservedMessage


@dataclass(slots=True, eq=False)
class UnreadMessageSeen(Observation):
    """A compressed message."""

    message: UnreadMessage


@dataclass(slots=True, eq=False)
class DescriptorSeen(Observation):
    """A message whose descriptor differs in a checked field from all earlier ones in its direction; follows its
    MessageSeen.

    Checked fields: version, report, type, feedback, encoding, CCSID, format, priority, persistence, presence of a reply
    queue, kind of application, flags.
    """

    message: ObservedMessage


@dataclass(slots=True, eq=False)
class HeadersSeen(Observation):
    """A message whose Format names a header, with all its headers; follows its MessageSeen."""

    message: ObservedMessage
    chain: HeaderChain


class MessageOutcome(Member):
    """Outcome of a message; the values are the words in tables."""

    CONFIRMED = "confirmed"
    BACKED_OUT = "backed out"
    REFUSED = "refused"
    IN_DOUBT = "in doubt"
    UNKNOWN = "unknown"


@dataclass(slots=True, eq=False)
class MessageSettled(Observation):
    """The outcome of a message is known: its batch was confirmed, its unit of work ended, or its put was answered.

    Emitted once for each :class:`MessageSeen` and :class:`UnreadMessageSeen`, at the latest at the end of the
    connection.
    """

    message: ObservedMessage
    fate: MessageOutcome
    reason: int = 0


@dataclass(slots=True, eq=False)
class BytesLost(Observation):
    """``length`` bytes could not be read; later observations may rest on incomplete knowledge.

    ``reason``: why they form no segments; empty if they are not in the capture.
    """

    length: int
    reason: str = ""


@dataclass(slots=True, eq=False)
class ConnectionEnded(Observation):
    """The connection has ended. ``direction``: of the end that closed first, INITIATOR if none did."""

    ending: Ending
