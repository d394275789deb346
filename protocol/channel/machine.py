"""What every channel machine has: bytes in, events out, bytes out, timers, and one way to end.

A machine is a table of states (``states.py``), a handler for each type of segment, and timers. The contract is in
the package's docstring. Handlers raise ``ProtocolError`` for what the partner does wrong; here that becomes the
error segment that the error names, and :class:`Closed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, Generic, TypeAlias, TypeVar, cast

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCHS, MQCHSSTATE, MQMODE, SegmentType, StatusCode
from mqbridge.protocol.errors import ConversionError, LocalProtocolError, ProtocolError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import status_data

from .events import Closed
from .link import Link, Timer, read_status, stop_message
from .parameters import Counters
from .states import State, Table, Trigger
from .status import ChannelError
from .wire import SEND_AT_ONCE, Wire

__all__ = ["Handler", "Machine", "Timer", "read_status", "stop_message"]

EventT = TypeVar("EventT")
"""What a kind of machine tells, besides :class:`Closed`."""

Handler: TypeAlias = Callable[[Any, Segment, float], None]

_CLOSED: Final = State.CLOSED  # for what is done with every segment: members of an enum are looked up slowly
_SINGLE_HEADERS: Final = (b"TSH ", b"\xe3\xe2\xc8\x40")
_COMPRESSED: Final = 0x07  # HDRCOMP, MSGCOMP, CSH


class Machine(Generic[EventT]):
    """Base of the machines: one connection, one state, one partner."""

    __slots__ = (
        "_closing",
        "_events",
        "_last_heard",
        "_paused",
        "_silent_since",
        "_started_at",
        "state",
        "wire",
    )

    TABLE: ClassVar[Table]
    HANDLERS: ClassVar[Mapping[int, Handler]]
    STATUS: ClassVar[Mapping[State, MQCHS]]
    SUBSTATE: ClassVar[Mapping[State, MQCHSSTATE]]

    def __init__(self, wire: Wire, state: State, now: float) -> None:
        self.wire = wire
        self.state = state
        """Where the machine stands in its table."""
        self._events: list[EventT | Closed] = []
        self._started_at = now
        self._last_heard = self._silent_since = now
        self._closing = False
        self._paused = False

    # What the outside sees.

    @property
    def link(self) -> Link[Any]:
        """The verbs of a driver: those of :class:`~.link.Link` on machines made of parts."""
        return cast("Link[Any]", self)

    @property
    def closed(self) -> bool:
        """Whether the machine has ended; nothing more comes of it."""
        return self.state is State.CLOSED

    @property
    def status(self) -> MQCHS:
        """Channel status for DISPLAY CHSTATUS, as far as this connection knows it (channels.md 2)."""
        status = self.STATUS[self.state]
        return MQCHS.STOPPING if self._closing and status is not MQCHS.INACTIVE else status

    @property
    def substate(self) -> MQCHSSTATE:
        """SUBSTATE for DISPLAY CHSTATUS."""
        return self.SUBSTATE.get(self.state, MQCHSSTATE.OTHER)

    @property
    def counters(self) -> Counters:
        """Figures for DISPLAY CHSTATUS, as of now: ask again for later ones."""
        return self.wire.counters

    @property
    def wants_to_send(self) -> bool:
        """Whether :meth:`data_to_send` would give something."""
        return self.wire.wants_to_send

    @property
    def unsent(self) -> int:
        """Bytes that wait to be sent; a long message counts whole."""
        return self.wire.unsent

    @property
    def buffered(self) -> int:
        """Bytes that wait to be sent and are in memory."""
        return self.wire.buffered

    # Bytes.

    def receive_data(self, data: bytes, now: float) -> list[EventT | Closed]:
        """Take bytes of the partner; what they mean for the agent comes back. Never raises for what they hold."""
        if self.closed:
            return self._drain()
        self._last_heard = self._silent_since = now
        self.wire.counters.bytes_received += len(data)
        self._guard(self._take_segments, data, now)
        return self._drain()

    def _take_segments(self, data: bytes, now: float) -> None:
        counters, handlers = self.wire.counters, self.HANDLERS
        for segment in self.wire.reader.feed(data):
            counters.buffers_received += 1
            if segment.flags2 or segment.struc_id != b"TSH ":
                self._check_header(segment)
            handler = handlers.get(segment.type)
            if handler is None:
                raise ChannelError(
                    f"segment type {SegmentType(segment.type)} on a message channel", StatusCode.PROTOCOL_SEGMENT_TYPE
                )
            handler(self, segment, now)
            if self.state is _CLOSED:
                break

    def _guard(self, action: Callable[..., None], *arguments: object) -> None:
        """Do what the partner's bytes lead to; what is wrong with them ends the machine."""
        try:
            action(*arguments)
        except ProtocolError as error:
            self._fail(error)
        except ConversionError as error:
            # A name of ours cannot be written in the partner's character set.
            self._fail(ChannelError(str(error), StatusCode.CCSID_NOT_SUPPORTED, amq="AMQ9541", retryable=False))

    def receive_eof(self, now: float, reason: str = "the partner closed the connection") -> list[EventT | Closed]:
        """The connection is gone; ``reason`` says how, for the log."""
        del now
        self._finish(reason, "AMQ9209", retryable=True, by_partner=True)
        return self._drain()

    def data_to_send(self, limit: int = SEND_AT_ONCE) -> list[bytes]:
        """Whole segments, in pieces to be written in this order: about ``limit`` bytes, at least one segment.

        Call again until it gives nothing. Raises ``LocalProtocolError`` when the pieces of a long message do not have
        the length told; then only ``close(FORCE)`` is left.
        """
        return self.wire.take(limit)

    # Time.

    def next_timeout(self) -> float | None:
        """When :meth:`timeout` must be called at the latest; None for never."""
        return min((when for when, _ in self._timers()), default=None)

    def timeout(self, now: float) -> list[EventT | Closed]:
        """Do what is due. Too early does no harm."""
        while not self.closed:
            when, action = min(self._timers(), key=lambda timer: timer[0], default=(now + 1.0, self._idle))
            if when > now:
                break
            action(now)
        return self._drain()

    def pause(self) -> None:
        """Reading has been stopped at our end: the partner's silence does not count until :meth:`resume`."""
        self._paused = True

    def resume(self, now: float) -> None:
        """Reading goes on."""
        self._paused = False
        self._silent_since = now

    # The end.

    def close(self, mode: MQMODE, now: float, status: StatusCode = StatusCode.USER_CLOSED) -> list[EventT | Closed]:
        """End the channel: QUIESCE when the open batch is through, FORCE (or TERMINATE) at once.

        ``status`` is what the partner is told: USER_CLOSED for STOP CHANNEL, QM_TERMINATING at the end of the queue
        manager. After QUIESCE :class:`Closed` may come at once or with a later call.
        """
        if self.closed:
            return self._drain()
        if mode == MQMODE.QUIESCE:
            self._quiesce(now)
        else:
            self._force(status)
        return self._drain()

    # For the machines.

    def _timers(self) -> Iterator[Timer]:
        raise NotImplementedError

    def _quiesce(self, now: float) -> None:
        raise NotImplementedError

    def _force(self, status: StatusCode) -> None:
        """End at once, by command."""
        self._send_error(status)
        self._finish("stopped by command", stop_message(status), status=status, normal=True, retryable=False)

    def _abandon(self) -> bool:
        """Tell of an open batch that comes to nothing; whether a batch is in doubt."""
        return False

    def _idle(self, now: float) -> None:
        """Nothing is due."""

    def _go(self, trigger: Trigger) -> None:
        """Take a step of our own. Raises ``LocalProtocolError`` where the table has none."""
        try:
            self.state = self.TABLE[self.state][trigger]
        except KeyError:
            raise LocalProtocolError(f"{trigger.value!r} is not possible in state {self.state.value}") from None

    def _step(self, trigger: Trigger) -> None:
        """Take a step that the partner asks for. Raises ``ChannelError`` where the table has none."""
        following = self.TABLE[self.state].get(trigger)
        if following is None:
            raise ChannelError(
                f"{trigger.value!r} is not possible in state {self.state.value}", StatusCode.PROTOCOL_SEGMENT_ERROR
            )
        self.state = following

    def _emit(self, event: EventT | Closed) -> None:
        self._events.append(event)

    def _drain(self) -> list[EventT | Closed]:
        events = self._events
        if events:
            self._events = []
            return events
        return []

    def _check_header(self, segment: Segment) -> None:
        if segment.struc_id not in _SINGLE_HEADERS:
            raise ChannelError(f"{segment.header.name} on a message channel", StatusCode.PROTOCOL_ID_ERROR)
        if segment.flags2 & _COMPRESSED:
            raise ChannelError("a compressed segment, not agreed", StatusCode.PROTOCOL_SEGMENT_ERROR)

    def _send_error(self, status: int, value: int | None = None) -> None:
        body = status_data(self.wire.writer.order, status, value).build()
        self.wire.send(SegmentType.STATUS_DATA, body, flags=int(inferred.ERROR_FLAGS))

    def _fail(self, error: ProtocolError) -> None:
        """The partner broke the protocol: say so and end."""
        status = None if error.status is None else StatusCode(error.status)
        value = error.value if isinstance(error, ChannelError) else None
        if status is not None:
            self._send_error(status, value)
        retryable = error.retryable if isinstance(error, ChannelError) else True
        self._finish(str(error), error.amq or "AMQ9504", status=status, retryable=retryable, value=value)

    def _finish(
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
        """The one way to end."""
        if self.closed:
            return
        in_doubt = self._abandon()
        self._go(Trigger.END)
        self._emit(
            Closed(
                reason=reason,
                amq=amq,
                status=status,
                normal=normal,
                retryable=retryable,
                by_partner=by_partner,
                in_doubt=in_doubt,
                call_back=call_back,
                value=value,
            )
        )
