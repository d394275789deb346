"""The messages of one handle of a shared connection: what is wanted, how much may be sent, what was received.

The table is :data:`~protocol.mqi.states.DELIVERY`; credit and indexes follow client-observed O-080 to O-105.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from attrs import frozen

from mqbridge.protocol.channel.status import ChannelError
from mqbridge.protocol.constants import MQMO, ConnectionState, RequestFlags, StatusCode
from mqbridge.protocol.inferred import OVER_WITH_ITS_ANSWER

from .states import DELIVERY, DeliveryState, DeliveryTrigger

_NO_ID: Final = bytes(24)
_NO_TOKEN: Final = bytes(16)
_LISTENER, _CHECK, _SINGLE, _WAITING = (
    int(RequestFlags.LISTENER), int(RequestFlags.CHECK), int(RequestFlags.SINGLE), int(RequestFlags.WAITING)
)  # fmt: skip


@frozen(kw_only=True)
class Selection:
    """Which messages a handle wants; kept by the client's requests until another one comes (O-084)."""

    index: int = 0
    """SelectionIndex, repeated by each message."""
    md_version: int = 1
    """Version of MQMD wanted, 1 or 2."""
    ccsid: int = 0
    """Wanted by MQGMO_CONVERT."""
    encoding: int = 0
    """Wanted by MQGMO_CONVERT."""
    match_options: int = 0
    """MQMO bits."""
    msg_seq_number: int = 1
    offset: int = 0
    msg_id: bytes = _NO_ID
    correl_id: bytes = _NO_ID
    group_id: bytes = _NO_ID
    msg_token: bytes = _NO_TOKEN


class Delivery:
    """What a client wants of one handle."""

    __slots__ = (
        "_in_flight",
        "_sent",
        "confirmed",
        "conversation",
        "flags",
        "handle",
        "listeners",
        "max_length",
        "message_index",
        "options",
        "owner",
        "read_ahead",
        "request",
        "requested",
        "requests",
        "selection",
        "state",
        "wait_interval",
    )

    def __init__(self, owner: Any, conversation: int, handle: int) -> None:
        self.owner = owner
        """The conversation that it belongs to."""
        self.conversation = conversation
        """Id of it."""
        self.handle = handle
        self.state = DeliveryState.IDLE
        self.selection = Selection()
        self.options = 0
        """MQGMO bits."""
        self.wait_interval = 0
        """Milliseconds that the client waits, -1 for ever; it has the clock."""
        self.max_length = -1
        """Longest data wanted, bytes; -1 for any. Longer ones go cut, with 2079 or 2080."""
        self.flags = 0
        self.request = 0
        self.requested = 0
        self.requests = 0
        """How often the client has asked."""
        self.read_ahead = False
        """The client takes messages ahead of its gets."""
        self.message_index = 0
        self.confirmed = 0
        """Last message of the conversation that the client says to have received, counted as `last_sent` is."""
        self._in_flight = 0
        self._sent: deque[tuple[int, int, Any]] = deque()

    # What the agent looks at

    @property
    def ready(self) -> bool:
        """Whether a message may be delivered now."""
        if self.state is DeliveryState.STREAMING:
            return not self.listener or self.owner.listening == ConnectionState.STARTED
        return self.state is DeliveryState.CHECKING

    @property
    def checking(self) -> bool:
        """Whether the client wants to know that there is no message: ``no_message`` then tells it."""
        return self.state is DeliveryState.CHECKING

    @property
    def listener(self) -> bool:
        """Messages go to a message listener."""
        return self.flags & _LISTENER != 0

    @property
    def waiting(self) -> bool:
        """A program waits in a get."""
        return self.flags & _WAITING != 0 and self.state is DeliveryState.STREAMING

    @property
    def closed(self) -> bool:
        """The handle is closed: nothing may be sent for it."""
        return self.state is DeliveryState.CLOSED

    def matches(self, option: MQMO) -> bool:
        """Whether the selection matches by a value."""
        return bool(self.selection.match_options & option)

    @property
    def last_sent(self) -> int:
        """Number of the last message that was sent on the conversation, for any handle."""
        return int(self.owner.global_index)

    # For the connection

    def ask(self, body: Any, selection: Selection | None, request: int) -> None:
        """Take a REQUEST_MSGS: it replaces the one before. Raises ``ChannelError`` for a handle that is closed."""
        flags = body.request_flags
        self._step(DeliveryTrigger.CHECK if flags & _CHECK else DeliveryTrigger.ASK)
        if selection is not None:
            self.selection = selection
            self._in_flight = 0
        else:
            self._in_flight = max(0, self._in_flight - body.received_bytes)
        self.flags, self.request, self.requested = flags, request, body.requested_bytes
        self.requests += 1
        self.options, self.wait_interval = body.get_msg_options, body.wait_interval
        self.max_length = body.max_msg_length
        self.read_ahead = bool(body.queue_status & 1)
        self._forget(body.global_message_index)

    @property
    def spent(self) -> bool:
        """Whether no message may be sent for lack of credit."""
        return self._in_flight >= self.requested

    def skip(self) -> None:
        """The credit of a request is used up already by messages on their way."""
        if self.state is DeliveryState.STREAMING:
            self._step(DeliveryTrigger.LAST_MESSAGE)

    def sent(self, md_length: int, data_length: int, global_index: int, reference: Any) -> None:
        """A message was sent: count it."""
        self._in_flight += md_length + data_length
        last = self.state is DeliveryState.STREAMING and self._enough  # a check is still to be answered
        self._step(DeliveryTrigger.LAST_MESSAGE if last else DeliveryTrigger.MESSAGE)
        if reference is not None:
            self._sent.append((self.message_index, global_index, reference))

    def exhausted(self) -> bool:
        """After a message of a check: whether the answer is due."""
        return self.checking and self._enough

    @property
    def _enough(self) -> bool:
        return self.flags & _SINGLE != 0 or self.spent

    def answered(self) -> None:
        """The check was answered. One that asked for more than one message stays in force as a request."""
        over = self.flags & OVER_WITH_ITS_ANSWER or self.spent
        self._step(DeliveryTrigger.ANSWERED if over else DeliveryTrigger.ANSWERED_AHEAD)

    def close(self, last_index: int) -> list[Any]:
        """The handle is being closed: what the client had not received up to a message index."""
        if self.state is not DeliveryState.CLOSED:
            self._step(DeliveryTrigger.CLOSE)
        unreceived = [reference for index, _, reference in self._sent if index > last_index]
        self._sent.clear()
        return unreceived

    def _forget(self, global_index: int) -> None:
        self.confirmed = max(self.confirmed, global_index)
        sent = self._sent
        while sent and sent[0][1] <= global_index:
            sent.popleft()

    def _step(self, trigger: DeliveryTrigger) -> None:
        following = DELIVERY[self.state].get(trigger)
        if following is None:
            raise ChannelError(
                f"{trigger.value!r} is not possible for handle {self.handle}, {self.state.value}",
                StatusCode.INVALID_HOBJ,
            )
        self.state = following
