"""What observers tell: facts about a captured connection, each with the place that showed it.

An observation states what was seen and, where the tables of the live machines say what had to come, what was expected.
It judges nothing: whether a fact is a fault, and how bad, is for the rules of whoever reads the observations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Self

from mqbridge.protocol.chain import Chain, walk_descriptor
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.segment import Segment
from mqbridge.protocol.states import Member
from mqbridge.protocol.structures import MD1


class Place(NamedTuple):
    """Where in a capture: ``time`` in seconds since the epoch, ``packet`` as tshark counts them (0: not known),
    ``offset`` of the segment's first byte in its direction of the flow."""

    time: float
    packet: int
    offset: int


class ConnectionKind(Member):
    """What a connection is; the value is how reports write it."""

    UNKNOWN = "unknown"
    MESSAGE_CHANNEL = "message-channel"
    CLIENT_CONNECTION = "client-connection"


class Ending(Member):
    """How the TCP connection under an observed one ended, as far as the capture shows it."""

    CLOSED = "both ends closed"
    RESET = "reset"
    OPEN = "the capture stops first"


@dataclass(slots=True, eq=False)
class Observation:
    """A fact, compared by identity. ``direction``, ``place``: of the segment that shows it."""

    direction: Direction
    place: Place

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), tuple(values_of(self).values())


def values_of(record: Any) -> dict[str, Any]:
    """The values of an observation, or of any dataclass, by field name, in the order of its constructor."""
    return {each.name: getattr(record, each.name) for each in fields(record)}


@dataclass(slots=True, eq=False)
class SegmentSeen(Observation):
    """A segment whose header differs in more than length and ids from all before it in its direction.

    Headers repeat for thousands of segments; judging each variety once is enough. ``usual``: byte order (1 or 2) and
    CCSID of the segment before it in its direction that was told, None for the first. ``new_code``: no segment of the
    direction had this byte order, Encoding and CCSID before.
    """

    segment: Segment
    usual: tuple[int, int] | None = None
    new_code: bool = True


@dataclass(slots=True, eq=False)
class SegmentTooLong(Observation):
    """A segment of ``length`` bytes where ``agreed`` bytes were agreed on as the longest."""

    length: int
    agreed: int


class MessageCourse(Member):
    """Which way a message passed; the value is how tables write it."""

    CHANNEL = "channel"
    PUT = "put"
    GET = "get"
    BROWSE = "browse"


@dataclass(slots=True, eq=False)
class ObservedMessage:
    """A message that passed, whole or in part.

    ``descriptor``: the raw MQMD as it stood on the wire (324 or 364 bytes), its integers in ``order`` and its text in
    ``ccsid``; for message channels that is the descriptor of the message itself, not of its carrier. ``data``: what
    follows the descriptor, headers and body (``length`` bytes on the wire; fewer are here where ``whole`` is false, not
    all of them passed, and where they are too many to be kept).
    ``digest``: SHA-256 of what stands behind the headers, where fewer bytes than ``length`` were kept only because they
    are many; else empty, and where those headers cannot be read.
    ``queue``, ``queue_manager``: destination as the wire names it; ``reply`` fields stand in the descriptor.
    ``sequence_number`` and ``luwid``: of message channels, else 0 and empty. ``handle``, ``conversation``: of clients.
    ``first``, ``last``: places of its first and last segment.
    """

    course: MessageCourse
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
    _chain: Chain | None = field(default=None, init=False, repr=False)

    @property
    def chain(self) -> Chain | None:
        """The headers in front of the message's own data, taken apart once; None without a whole descriptor.

        Where fewer data are here than passed the chain may end early, with ``stopped``.
        """
        if self._chain is None and len(self.descriptor) >= MD1.size:
            descriptor = MD1.codec(self.order).parse(self.descriptor)
            self._chain = walk_descriptor(descriptor, self.data, default_ccsid=self.ccsid)
        return self._chain


@dataclass(slots=True, eq=False)
class UnreadMessage(ObservedMessage):
    """A compressed message: it has no data, no descriptor unless one stands in clear, and is never ``whole``.

    ``length``: bytes on the wire that may be of the message; behind the header of the call for clients, for message
    channels behind that of the segment and the structures in clear.
    """


@dataclass(slots=True, eq=False)
class MessageSeen(Observation):
    """A message was there as far as the capture has it."""

    message: ObservedMessage


@dataclass(slots=True, eq=False)
class UnreadMessageSeen(Observation):
    """A compressed message was there."""

    message: UnreadMessage


@dataclass(slots=True, eq=False)
class DescriptorSeen(Observation):
    """A message whose descriptor has a head that none before it in its direction had: told after its MessageSeen.

    The head is what is judged without the ids: version, report, type, feedback, encoding, CCSID, format, priority,
    persistence, whether there is a reply queue, kind of application, flags.
    """

    message: ObservedMessage


@dataclass(slots=True, eq=False)
class HeadersSeen(Observation):
    """A message whose Format names a header of the chain, with all its headers: told after its MessageSeen."""

    message: ObservedMessage
    chain: Chain


class MessageFate(Member):
    """What became of a message; the value is how tables write it."""

    CONFIRMED = "confirmed"
    BACKED_OUT = "backed out"
    REFUSED = "refused"
    IN_DOUBT = "in doubt"
    UNKNOWN = "unknown"


@dataclass(slots=True, eq=False)
class MessageSettled(Observation):
    """The fate of a message is known: its batch was confirmed, its unit of work ended, its put answered.

    Comes once for each :class:`MessageSeen` and :class:`UnreadMessageSeen`, at the latest when the connection ends.
    """

    message: ObservedMessage
    fate: MessageFate
    reason: int = 0


@dataclass(slots=True, eq=False)
class BytesLost(Observation):
    """``length`` bytes could not be read; what is told afterwards may rest on incomplete knowledge.

    ``reason``: why they make no segments; empty where the capture has not got them.
    """

    length: int
    reason: str = ""


@dataclass(slots=True, eq=False)
class ConnectionEnded(Observation):
    """The connection is over. ``direction`` is that of the end that closed first, INITIATOR where nobody did."""

    ending: Ending
