"""State of an observed conversation: calls, handles, unit of work."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.layouts.async_message import Async
from mqbridge.protocol.mqi.states import CONVERSATION, ConversationState, ConversationTrigger, DeliveryState
from mqbridge.protocol.observer.kept_data import MAX_KEPT_DATA, KeptData, Source
from mqbridge.protocol.observer.observations import ObservedMessage, Place
from mqbridge.protocol.segment import Segment

MAX_CONVERSATIONS: Final = 4096
"""Concurrent conversations of one connection that are tracked."""
MAX_OVER: Final = 1000
"""Ended conversations that are kept, the latest."""
MAX_HANDLES: Final = 10_000
"""Open handles of one conversation whose names are kept."""
MAX_CLOSED_HANDLES: Final = 1000
"""Closed handles of one conversation that are kept, the latest."""
MAX_WAITING: Final = 64
"""Pending calls of one conversation; the tables allow one."""
MAX_UNSETTLED: Final = 10_000
"""Messages of one connection with a pending outcome; more are not tracked."""
MAX_BRANCHES: Final = 1000
"""Transaction branches of one connection that are tracked."""
MAX_PARTIALS: Final = 64
"""Incomplete calls, and messages, of one connection; more are not tracked."""
MAX_CALL: Final = 1 << 20
"""Bytes of a call or reply in several segments that are kept, excluding message data."""


NOWHERE: Final = Place(0.0, 0, 0)


@dataclass(slots=True, eq=False)
class ObservedHandle:
    """An open object. ``calls``: number of calls that used it."""

    object_name: str
    queue_manager: str
    opened: Place
    calls: int = 0


@dataclass(slots=True, eq=False)
class Waiting:
    """A pending call. ``type``: of the segment. ``verb``: of an SPI call. ``size``: total bytes of its segments.
    ``misused``: 0 for a valid handle, 1 closed, 2 never given. ``options``: of an open or get. ``key``: of a branch.
    ``before``: state of the conversation before an MQCONN."""

    type: int
    name: str
    request: int
    handle: int
    asked: Place
    size: int
    room: int
    object_name: str = ""
    queue_manager: str = ""
    options: int = 0
    verb: int = 0
    wait: int = 0
    misused: int = 0
    last_index: int = 0
    message: ObservedMessage | None = None
    in_unit: bool = False
    key: tuple[int, bytes, bytes] | None = None
    answered: Place = NOWHERE
    before: ConversationState = ConversationState.STARTED


class ObservedUnit:
    """A unit of work. ``prepared``: a prepared branch. ``asked``: a commit is pending."""

    __slots__ = ("asked", "messages", "prepared")

    def __init__(self) -> None:
        self.messages: list[ObservedMessage] = []
        self.prepared = False
        self.asked = False


class PartialCallBody:
    """A call or reply that spans several segments. ``length``: total bytes of the bodies. ``kept``: its message data,
    None for calls without; of other bodies `MAX_CALL` bytes are kept."""

    __slots__ = (
        "_left",
        "body",
        "bytes",
        "ccsid",
        "first",
        "flags2",
        "kept",
        "length",
        "more",
        "order",
        "request",
        "type",
    )

    def __init__(self, segment: Segment, first: Place) -> None:
        self.type = segment.type
        self.request = segment.request_id
        self.order = segment.order
        self.ccsid = segment.ccsid
        self.flags2 = segment.flags2
        self.first = first
        self.bytes = segment.length
        self.body = segment.body
        self.length = len(self.body)
        self.more: list[bytes] = []
        self.kept: KeptData | None = None
        self._left = 0

    def keep_data(self, descriptor: bytes, at: int, length: int) -> None:
        """Note where its message data begin in the first body."""
        self.kept = KeptData(source=(descriptor, self.order, self.ccsid))
        self._left = length
        self._keep(self.body[at:])

    def add(self, segment: Segment) -> None:
        """Add a later segment."""
        self.bytes += segment.length
        if self.kept is not None:
            self._keep(segment.body)
        elif self.length < MAX_CALL:
            self.more.append(segment.body)
        self.length += segment.body_length

    def _keep(self, data: bytes) -> None:
        assert self.kept is not None
        data = data[: self._left]  # padding follows
        self._left -= len(data)
        self.kept.add(data)


class ObservedStream:
    """The delivery of messages for one handle of a shared connection (``protocol.mqi.states.DELIVERY``).

    ``asked``: place of the request of a waiting program, or None. ``found``: MQCC and MQRC of the message received for
    a check, None before. ``single``: any message uses up the credit of the request. ``pending``: messages outside
    syncpoint that the client has not confirmed yet, with their indexes on the conversation and on the handle.
    """

    __slots__ = (
        "asked", "asked_bytes", "flags", "found", "got_bytes", "max_length", "options", "partial", "pending", "single",
        "state", "wait",
    )  # fmt: skip

    def __init__(self) -> None:
        self.state = DeliveryState.IDLE
        self.flags = 0
        self.options = 0
        self.max_length = -1
        self.single = False
        self.wait = 0
        self.asked: Place | None = None
        self.asked_bytes = 0
        self.got_bytes = 0
        self.found: tuple[int, int] | None = None
        self.partial: StreamedMessage | None = None
        self.pending: deque[tuple[int, int, ObservedMessage]] = deque()


class StreamedMessage:
    """A streamed message, possibly incomplete. ``source``: its descriptor, empty if there is none. ``head``: ASYNC.
    ``queue``: raw name. ``length``: bytes of data so far."""

    __slots__ = (
        "_kept", "_only", "actual", "bytes", "first", "index", "length", "message_index", "queue", "reason", "source",
    )  # fmt: skip

    def __init__(self, first: Place, source: Source, head: Async, queue: bytes) -> None:
        self.first = first
        self.source = source
        self.reason: int = head.reason_code
        self.index: int = head.global_message_index
        self.message_index: int = head.message_index
        self.actual: int = head.actual_msg_length
        self.queue = queue
        self.bytes = 0
        self.length = 0
        self._only: memoryview | None = None  # most messages have one segment
        self._kept: KeptData | None = None

    def add(self, data: memoryview) -> None:
        """Add the data of the next segment."""
        self.length += len(data)
        if self._kept is not None:
            self._kept.add(data)
        elif self._only is None and len(data) <= MAX_KEPT_DATA:
            self._only = data
        else:
            self._kept = KeptData(source=self.source)
            if self._only is not None:
                self._kept.add(self._only)
                self._only = None
            self._kept.add(data)

    def kept(self) -> tuple[bytes, bytes]:
        """Return the data that are kept, and a digest if they are not all."""
        if self._kept is not None:
            return self._kept.data(), self._kept.digest()
        return b"" if self._only is None else bytes(self._only), b""


class ConversationTrack:
    """One conversation.

    ``unsure``: its state may be wrong, because the capture lacks bytes. ``handles_unsure``: objects may have been
    opened or closed outside the capture.
    """

    __slots__ = (
        "branch", "calls", "closed", "handles", "handles_unsure", "id", "partials", "state", "streams",
        "unit", "unsure", "waiting",
    )  # fmt: skip

    def __init__(self, number: int, *, unsure: bool) -> None:
        self.id = number
        self.unsure = unsure
        self.handles_unsure = unsure
        self.state = ConversationState.STARTED
        self.waiting: deque[Waiting] = deque()
        self.partials: dict[bool, PartialCallBody] = {}
        self.handles: dict[int, ObservedHandle] = {}
        self.closed: dict[int, str] = {}
        self.streams: dict[int, ObservedStream] = {}
        self.unit = ObservedUnit()
        self.branch: ObservedUnit | None = None
        self.calls = 0

    def step(self, trigger: ConversationTrigger) -> bool:
        """Make a transition of ``CONVERSATION``; return False if the table has none."""
        following = CONVERSATION[self.state].get(trigger)
        if following is None:
            return False
        self.state = following
        return True

    def open(self, handle: int, opened: ObservedHandle) -> None:
        """Add a handle."""
        if len(self.handles) >= MAX_HANDLES:
            self.handles_unsure = True
            return
        self.handles[handle] = opened
        self.closed.pop(handle, None)

    def close(self, handle: int) -> ObservedHandle | None:
        """Remove a handle; return its object, None if unknown."""
        found = self.handles.pop(handle, None)
        if found is not None:
            self.closed.pop(handle, None)
            self.closed[handle] = found.object_name
            if len(self.closed) > MAX_CLOSED_HANDLES:
                del self.closed[next(iter(self.closed))]
        return found

    def misuse(self, handle: int) -> int:
        """Return 0 for a valid or possibly valid handle, 1 for a closed one, 2 for one that was never given."""
        if handle in self.handles:
            return 0
        if handle in self.closed:
            return 1
        return 0 if self.handles_unsure else 2

    def lose(self) -> None:
        """Forget what bytes missing in the capture may have changed."""
        self.unsure = self.handles_unsure = True
        self.closed.clear()
        self.partials.clear()
        self.streams.clear()
        self.branch = None
