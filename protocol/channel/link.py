"""A connection as its driver sees it: bytes in, events out, deadlines, one way to end.

The machine on the link (a sender, a receiver, a client connection) handles what the connection carries. The link cuts
bytes into segments and hands each to the part of the machine that the machine's table names for the segment type. It
holds the state and the events, and turns a ``ProtocolError`` raised by a part into the corresponding error segment and
:class:`Closed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCHS, MQMODE, ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.errors import ConversionError, LocalProtocolError, ProtocolError, StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.records import Buffer
from mqbridge.protocol.structures import parse_status_data, status_data

from .events import Closed
from .states import State, Table, Trigger
from .status import ChannelError
from .wire import Wire

EventT = TypeVar("EventT")
"""Events of a kind of machine, apart from :class:`Closed`."""

Timer: TypeAlias = tuple[float, Callable[[float], None]]
"""A deadline in seconds since the epoch, and the function to call then."""

Route: TypeAlias = tuple[int, Callable[[Any, Segment, float], None]]
"""Destination of a segment type: index of a part within its machine, and a method of that part."""

Routes: TypeAlias = Mapping[int, Route]
"""Routes by segment type, for the types that a machine understands."""

Check: TypeAlias = Callable[[Segment], None]
"""Checks the header of a segment. Raises ``ChannelError``."""

_WHEN: Final = itemgetter(0)
_CLOSED: Final = State.CLOSED  # members of an enum are looked up slowly
_SINGLE_HEADERS: Final = (b"TSH ", b"\xe3\xe2\xc8\x40")
_PLAIN_HEADERS: Final = frozenset({b"TSH "})
_COMPRESSED: Final = 0x07  # HDRCOMP, MSGCOMP, CSH


class Machine(Protocol):
    """What a link requires of the machine on it."""

    def timers(self) -> Iterable[Timer]:
        """Return the current deadlines."""

    def quiesce(self, status: StatusCode, now: float) -> None:
        """Begin an orderly end by command; ``status`` is the reason to tell the partner."""

    def force(self, status: StatusCode) -> None:
        """End at once by command."""

    def abandon(self, ending: Closed) -> bool:
        """Release what is open because the machine ends; return whether a batch is in doubt.

        ``ending`` is emitted afterwards, with the returned value as ``in_doubt``.
        """


class Link(Generic[EventT]):
    """One connection with one partner.

    ``table``: transitions of ``state``. ``machine``: the machine on this link, which calls :meth:`serve`.
    """

    __slots__ = (
        "_check", "_parts", "_routes", "answered", "closing", "drops_unsent", "events", "headers", "last_heard",
        "machine", "paused", "shared", "silent_since", "started_at", "state", "table", "take", "wire",
    )  # fmt: skip

    def __init__(self, machine: Machine, wire: Wire, table: Table, state: State, now: float) -> None:
        self.machine = machine
        self.wire = wire
        self.table = table
        self.state = state
        self.events: list[EventT | Closed] = []
        """Events not yet returned to the driver."""
        self.started_at = now
        self.last_heard = now
        """Time at which bytes last arrived."""
        self.silent_since = now
        """Time from which the partner's silence counts."""
        self.closing = False
        """An orderly end has begun."""
        self.paused = False
        """Reading is stopped at our end."""
        self.headers = _PLAIN_HEADERS
        """First four bytes of segments whose header needs no check."""
        self.shared = False
        """Conversations share the connection: segments about the whole of it are sent with a TSHC."""
        self.answered: State | None = None
        """State that any bytes from the partner end, as the answer to a heartbeat."""
        self.drops_unsent = False
        """Unsent segments are dropped before the error segment for a violation by the partner."""
        self.take: Callable[[bytes, float], None] | None = None
        """Processes the bytes in place of the parts: of a machine that leaves later segments to another."""
        self._routes: Routes = {}
        self._parts: tuple[Any, ...] = ()
        self._check: Check = check_single_header

    def serve(self, routes: Routes, parts: tuple[Any, ...], check: Check | None = None) -> None:
        """Set the parts that take the segments, by type.

        ``check`` is called for each segment whose first four bytes are not in ``headers``, or whose second flag byte is
        not 0; without it such a segment is refused if it has no TSH, or is compressed.
        """
        self._routes, self._parts = routes, parts
        if check is not None:
            self._check = check

    @property
    def closed(self) -> bool:
        """Whether the machine has ended; no further event follows."""
        return self.state is _CLOSED

    # Bytes in.

    def receive_data(self, data: bytes, now: float) -> list[EventT | Closed]:
        """Process bytes from the partner, each segment by its part, and return events.

        Never raises because of their content.
        """
        state, counters = self.state, self.wire.counters
        if state is _CLOSED:
            return self.drain()
        self.last_heard = self.silent_since = now
        counters.bytes_received += len(data)
        try:
            if state is self.answered:
                self.go(Trigger.HEARTBEAT_ANSWERED)
            if self.take is not None:
                self.take(data, now)
                return self.drain()
            routes, parts = self._routes, self._parts
            for segment in self.wire.reader.feed(data):
                counters.buffers_received += 1
                if segment.flags2 or segment.struc_id not in self.headers:
                    self._check(segment)
                route = routes.get(segment.type)
                if route is None:
                    what = f"segment type {SegmentType(segment.type)} on a message channel"
                    raise ChannelError(what, StatusCode.PROTOCOL_SEGMENT_TYPE)
                part, method = route
                method(parts[part], segment, now)
                if self.state is _CLOSED:
                    break
        except (ProtocolError, ConversionError) as error:
            if self.drops_unsent:
                self.wire.drop()
            self.fail(error)
        return self.drain()

    def guard(self, action: Callable[..., None], *arguments: object) -> None:
        """Call ``action`` for something the partner sent; a ``ProtocolError`` ends the machine."""
        try:
            action(*arguments)
        except (ProtocolError, ConversionError) as error:
            self.fail(error)

    def receive_eof(self, now: float, reason: str = "the partner closed the connection") -> list[EventT | Closed]:
        """Note that the connection is lost; ``reason`` says how, for the log."""
        self.finish(reason, "AMQ9209", retryable=True, by_partner=True)
        return self.drain()

    # Time.

    def next_timeout(self) -> float | None:
        """Return when :meth:`timeout` must be called at the latest, in seconds since the epoch; None for never."""
        due = min(self.machine.timers(), key=_WHEN, default=None)
        return None if due is None else due[0]

    def timeout(self, now: float) -> list[EventT | Closed]:
        """Perform the actions that are due. A call before :meth:`next_timeout` changes nothing."""
        while self.state is not _CLOSED:
            due = min(self.machine.timers(), key=_WHEN, default=None)
            if due is None or due[0] > now:
                break
            due[1](now)
        return self.drain()

    def pause(self) -> None:
        """Note that reading is stopped at our end: the partner's silence does not count until :meth:`resume`."""
        self.paused = True

    def resume(self, now: float) -> None:
        """Note that reading continues."""
        self.paused = False
        self.silent_since = now

    # States and events, for the parts of the machine.

    def go(self, trigger: Trigger) -> None:
        """Make a transition of our own. Raises ``LocalProtocolError`` if the table has none."""
        following = self.table[self.state].get(trigger)
        if following is None:
            raise LocalProtocolError(f"{trigger.value!r} is not possible in state {self.state.value}")
        self.state = following

    def step(self, trigger: Trigger) -> None:
        """Make a transition that the partner caused. Raises ``ChannelError`` if the table has none."""
        following = self.table[self.state].get(trigger)
        if following is None:
            raise ChannelError(
                f"{trigger.value!r} is not possible in state {self.state.value}", StatusCode.PROTOCOL_SEGMENT_ERROR
            )
        self.state = following

    def emit(self, event: EventT | Closed) -> None:
        """Report an event to the driver."""
        self.events.append(event)

    def drain(self) -> list[EventT | Closed]:
        """Return the events since the last call."""
        events = self.events
        if events:
            self.events = []
            return events
        return []

    # The end.

    def close(self, mode: MQMODE, now: float, status: StatusCode = StatusCode.USER_CLOSED) -> list[EventT | Closed]:
        """End by command: QUIESCE after the open batch, FORCE (or TERMINATE) at once.

        ``status`` is sent to the partner: USER_CLOSED for STOP CHANNEL, QM_TERMINATING when the queue manager ends.
        After QUIESCE, :class:`Closed` may come at once or from a later call.
        """
        if self.state is not _CLOSED:
            if mode == MQMODE.QUIESCE:
                self.machine.quiesce(status, now)
            else:
                self.machine.force(status)
        return self.drain()

    def send(self, kind: SegmentType, body: bytes = b"", *, flags: int = 0) -> None:
        """Send a segment about the connection as a whole: with a TSHC if conversations share it."""
        writer = self.wire.writer
        build = writer.build_common if self.shared else writer.build
        segment = build(kind, body, flags1=flags)
        self.wire.queue((segment,), len(segment))

    def send_error(self, status: int, value: int | None = None) -> None:
        """Send an error status. On a shared connection it has a TSHC: clients treat a TSH as a fault (O-034)."""
        body = status_data(self.wire.writer.order, status, value).build()
        self.send(SegmentType.STATUS_DATA, body, flags=int(inferred.ERROR_FLAGS))

    def stop(self, status: StatusCode) -> None:
        """End at once by command, and send ``status`` to the partner."""
        self.send_error(status)
        self.finish("stopped by command", stop_message(status), status=status, normal=True)

    def fail(self, error: ProtocolError | ConversionError) -> None:
        """End because the partner violated the protocol, or uses a character set that lacks a character of our
        names."""
        if isinstance(error, ConversionError):
            error = ChannelError(str(error), StatusCode.CCSID_NOT_SUPPORTED, amq="AMQ9541", retryable=False)
        status = None if error.status is None else StatusCode(error.status)
        value = error.value if isinstance(error, ChannelError) else None
        if status is not None:
            self.send_error(status, value)
        retryable = error.retryable if isinstance(error, ChannelError) else True
        self.finish(str(error), error.amq or "AMQ9504", status=status, retryable=retryable, value=value)

    def finish(
        self,
        reason: str,
        amq: str,
        *,
        status: StatusCode | None = None,
        normal: bool = False,
        retryable: bool = False,
        by_partner: bool = False,
        call_back: bool = False,
        value: int | None = None,
    ) -> None:
        """End the machine, once; the arguments are those of :class:`Closed`."""
        if self.state is _CLOSED:
            return
        closed = Closed(
            reason=reason,
            amq=amq,
            status=status,
            normal=normal,
            retryable=retryable,
            by_partner=by_partner,
            in_doubt=False,
            call_back=call_back,
            value=value,
        )
        if self.machine.abandon(closed):
            closed = replace(closed, in_doubt=True)
        self.go(Trigger.END)
        self.emit(closed)


def check_single_header(segment: Segment) -> None:
    """Check the header of a message channel's segment. Raises ``ChannelError`` if it is not a TSH, or is compressed."""
    if segment.struc_id not in _SINGLE_HEADERS:
        raise ChannelError(f"{segment.header.name} on a message channel", StatusCode.PROTOCOL_ID_ERROR)
    check_uncompressed(segment)


def check_uncompressed(segment: Segment) -> None:
    """Raise ``ChannelError`` for a compressed segment; compression is never negotiated."""
    if segment.flags2 & _COMPRESSED:
        raise ChannelError("a compressed segment, not agreed", StatusCode.PROTOCOL_SEGMENT_ERROR)


def status_while(closing: bool, status: MQCHS) -> MQCHS:
    """Return the channel status for DISPLAY CHSTATUS: STOPPING during an orderly end (channels.md 2)."""
    return MQCHS.STOPPING if closing and status is not MQCHS.INACTIVE else status


def stop_message(status: StatusCode) -> str:
    """Return the id of the log message for a channel ended by command."""
    return "AMQ9525" if status == StatusCode.QM_TERMINATING else "AMQ9528"


def read_body(read: Callable[[Buffer, ByteOrder], Any], segment: Segment) -> Any:
    """Parse the body of a segment with ``read``. Raises ``ChannelError`` if it is malformed."""
    try:
        return read(segment.body_view, segment.order)
    except StructureError as error:
        raise ChannelError(str(error), StatusCode.PROTOCOL_LENGTH_ERROR) from error


def read_status(segment: Segment) -> tuple[StatusCode, int | None]:
    """Return code and value of a STATUS_DATA segment; (NONE, None) without body. Raises ``ChannelError`` if cut
    short."""
    body = read_body(parse_status_data, segment)
    if body is None:
        return StatusCode.NONE, None
    return StatusCode(body.record.code), body.record.value if body.has("value") else None
