"""Messages got in advance by a sender: the next batch, while the partner commits the previous one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.agents.message_channel.sender.outgoing import Outgoing
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import GetMany
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Settle
from mqbridge.mappings.message import Message

PREFETCH_BYTES: Final = 1 << 18
"""Bytes of messages after which no more are prefetched."""
PREFETCH_AGE: Final = 1.0
"""Seconds after which prefetched messages go back to the queue: their expiry was written earlier, and messages of
higher priority may have arrived."""


PrefetchedMessage: TypeAlias = tuple[Message, bytes, bool, Outgoing | None]
"""A prefetched message, its token, whether it is in the store, and its wire form.

The wire form is None if there is none, or if the message is not in memory; it is then built when it is sent."""


class Prefetch:
    """Messages of the next batch, held by the session and ready to be sent.

    ``make``: returns the wire form of a message or raises `MQError`.
    """

    __slots__ = ("_make", "_program", "_taken_at", "messages")

    def __init__(self, program: ChannelProgram, make: Callable[[Message], Outgoing]) -> None:
        self._program = program
        self._make = make
        self._taken_at = 0.0
        self.messages: deque[PrefetchedMessage] = deque()

    def gather(self, hobj: int, most: int, room: int, uncommitted: int, now: float, get_at: float) -> Failed | None:
        """Get up to ``most`` messages as of the time ``get_at``, and none once ``room`` bytes are reached. Returns why
        they cannot be got, or None. Does nothing while there are some."""
        if self.messages:
            return None
        self._taken_at = now
        found = self._program.session.submit(GetMany(0, hobj, most, room, uncommitted), get_at)
        if type(found) is Failed:
            return found
        assert isinstance(found, RetrievedMany)
        make, append = self._make, self.messages.append
        for message, token, stored in zip(found.messages, found.tokens, found.stored, strict=True):
            ready = None
            if type(message.body) is bytes:
                try:
                    ready = make(message)
                except MQError:
                    ready = None
            append((message, token, stored, ready))
        return None

    def stale(self, now: float) -> bool:
        """Whether the messages were got too long ago."""
        return bool(self.messages) and not 0 <= now - self._taken_at <= PREFETCH_AGE

    def give_back(self, now: float) -> None:
        """Put the remaining messages back in their places."""
        if self.messages:
            back = tuple([token for _, token, _, _ in self.messages])
            self.messages.clear()
            self._program.session.submit(Settle(0, back=back), now)
