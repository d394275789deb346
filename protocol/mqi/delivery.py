"""The messages of one handle of a shared connection: requested, permitted by credit, sent, received.

The transitions are :data:`~protocol.mqi.states.DELIVERY`, the arithmetic of credit is in :mod:`~protocol.mqi.credit`;
indexes follow client-observed.md O-080 to O-105.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQMO, ConnectionState, RequestFlags, StatusCode

from .credit import after_answer, in_transit_after, limit_of, wants_one
from .states import DELIVERY, DeliveryState, DeliveryTrigger

_STREAMING: Final = DeliveryState.STREAMING  # for each message: members of an enum are looked up slowly
_CHECKING: Final = DeliveryState.CHECKING
_STARTED: Final = int(ConnectionState.STARTED)
_NO_ID: Final = bytes(24)
_NO_TOKEN: Final = bytes(16)
_LISTENER: Final = int(RequestFlags.LISTENER)
_CHECK: Final = int(RequestFlags.CHECK)
_WAITING: Final = int(RequestFlags.WAITING)


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Messages that a handle selects; in force until a request replaces it (O-084)."""

    index: int = 0
    """SelectionIndex, repeated in each message."""
    md_version: int = 1
    """Requested version of MQMD, 1 or 2."""
    ccsid: int = 0
    """Target CCSID of MQGMO_CONVERT."""
    encoding: int = 0
    """Target encoding of MQGMO_CONVERT."""
    match_options: int = 0
    """MQMO bits."""
    msg_seq_number: int = 1
    offset: int = 0
    msg_id: bytes = _NO_ID
    correl_id: bytes = _NO_ID
    group_id: bytes = _NO_ID
    msg_token: bytes = _NO_TOKEN


class MessagesWanted:
    """The event that a client requests messages of a handle, or may be sent messages again.

    While ``delivery.ready``: get a message that matches the delivery's selection and ``send`` it; if there is none,
    call ``no_message`` once, and try again when a message arrives.
    """

    __slots__ = ("delivery",)

    def __init__(self, delivery: Delivery) -> None:
        self.delivery = delivery


class ConversationStream:
    """State shared by the deliveries of a conversation. ``conversation``: its id."""

    __slots__ = ("conversation", "global_index", "listening")

    def __init__(self, conversation: int) -> None:
        self.conversation = conversation
        self.global_index = 0
        """Number of messages sent so far, for all handles."""
        self.listening = int(ConnectionState.STOPPED)
        """ConnectionState: whether messages may go to listeners."""


class Delivery:
    """The delivery of messages for one handle: the client's request, its credit, and messages not received yet."""

    __slots__ = (
        "_arrived",
        "_in_transit",
        "_limit",
        "_sent",
        "conversation",
        "flags",
        "handle",
        "max_length",
        "message_index",
        "options",
        "read_ahead",
        "request",
        "requests",
        "selection",
        "single",
        "state",
        "stream",
        "wait_interval",
    )

    def __init__(self, stream: ConversationStream, handle: int) -> None:
        self.stream = stream
        self.conversation = stream.conversation
        """Id of its conversation."""
        self.handle = handle
        self.state = DeliveryState.IDLE
        self.selection = Selection()
        self.options = 0
        """MQGMO bits."""
        self.wait_interval = 0
        """Milliseconds that the client waits, -1 without limit; the client keeps the time."""
        self.max_length = -1
        """Longest data accepted, in bytes; -1 for any. Longer data are cut, with 2079 or 2080."""
        self.flags = 0
        self.request = 0
        self.single = False
        """The client wants a single message."""
        self.requests = 0
        """Number of requests so far."""
        self.read_ahead = False
        """The client reads ahead of its gets."""
        self.message_index = 0
        self._limit = 0
        self._in_transit = 0
        self._sent: list[tuple[int, int, Any, bool]] = []
        self._arrived: list[Any] = []

    # For the agent.

    @property
    def ready(self) -> bool:
        """Whether a message may be sent now."""
        if self.state is _STREAMING:
            return not self.flags & _LISTENER or self.stream.listening == _STARTED
        return self.state is _CHECKING

    @property
    def checking(self) -> bool:
        """Whether the client must be told if there is no message; ``no_message`` does so."""
        return self.state is _CHECKING

    @property
    def listener(self) -> bool:
        """Whether messages go to a message listener."""
        return self.flags & _LISTENER != 0

    @property
    def waiting(self) -> bool:
        """Whether a program waits in a get."""
        return self.flags & _WAITING != 0 and self.state is _STREAMING

    @property
    def closed(self) -> bool:
        """Whether the handle is closed: nothing may be sent for it."""
        return self.state is DeliveryState.CLOSED

    def matches(self, option: MQMO) -> bool:
        """Return whether the selection matches on a value."""
        return bool(self.selection.match_options & option)

    def take_arrived(self) -> tuple[Any, ...]:
        """Return the references of held messages that the client has received, oldest first; each once."""
        arrived = tuple(self._arrived)
        self._arrived.clear()
        return arrived

    # For `Deliveries`.

    def ask(self, body: Any, selection: Selection | None, request: int) -> None:
        """Take a REQUEST_MSGS, which replaces the previous one. Raises ``ChannelError`` for a closed handle."""
        flags = body.request_flags
        self._step(DeliveryTrigger.CHECK if flags & _CHECK else DeliveryTrigger.ASK)
        if selection is not None:
            self.selection = selection
        before = in_transit_after(self._in_transit, body.received_bytes, anew=selection is not None)
        self._in_transit, self._limit = before, limit_of(body.requested_bytes, flags, before)
        self.flags, self.request = flags, request
        self.single = wants_one(body.requested_bytes, flags)
        self.requests += 1
        self.options, self.wait_interval = body.get_msg_options, body.wait_interval
        self.max_length = body.max_msg_length
        self.read_ahead = bool(body.queue_status & 1)
        self._confirm(body.global_message_index)

    @property
    def spent(self) -> bool:
        """Whether the credit is used up."""
        return self._in_transit >= self._limit

    def skip(self) -> None:
        """Wait for another request: messages in transit have used up this one's credit."""
        if self.state is _STREAMING:
            self._step(DeliveryTrigger.LAST_MESSAGE)

    def sent(self, length: int, reference: Any, *, held: bool) -> bool:
        """Count a sent message: ``length`` bytes of MQMD and data. Returns whether a check is to be answered now."""
        self._in_transit += length
        if reference is not None:
            self._sent.append((self.message_index, self.stream.global_index, reference, held))
        enough = self._in_transit >= self._limit
        if self.state is _CHECKING:
            self._step(DeliveryTrigger.MESSAGE)
            return enough
        self._step(DeliveryTrigger.LAST_MESSAGE if enough else DeliveryTrigger.MESSAGE)
        return False

    def answered(self) -> None:
        """Note that the check was answered. One for more than one message stays in force as a request."""
        self._step(after_answer(self.flags, spent=self.spent))

    def close(self, last_index: int) -> list[Any]:
        """Close the handle: the client has received its messages up to ``last_index``. Return the references of those
        behind."""
        unreceived = [reference for index, _, reference, _ in self._sent if index > last_index]
        self._arrived += [reference for index, _, reference, held in self._sent if held and index <= last_index]
        self.end()
        return unreceived

    def end(self) -> None:
        """Close the handle of a client that is gone."""
        if self.state is not DeliveryState.CLOSED:
            self._step(DeliveryTrigger.CLOSE)
        self._sent.clear()

    def _confirm(self, global_index: int) -> None:
        """Note that the client has received the messages up to one, counted for all handles."""
        count = 0
        for _, index, reference, held in self._sent:
            if index > global_index:
                break
            count += 1
            if held:
                self._arrived.append(reference)
        del self._sent[:count]

    def _step(self, trigger: DeliveryTrigger) -> None:
        following = DELIVERY[self.state].get(trigger)
        if following is None:
            raise ChannelError(
                f"{trigger.value!r} is not possible for handle {self.handle}, {self.state.value}",
                StatusCode.INVALID_HOBJ,
            )
        self.state = following
