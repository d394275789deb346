"""Messages got in advance by a sender: the next batch, while the partner commits the previous one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import GetMany
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Settle
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import Outgoing

PREFETCH_BYTES: Final = 1 << 18
"""Bytes of messages after which no more are prefetched."""
PREFETCH_AGE: Final = 1.0
"""Seconds after which prefetched messages go back to the queue: their expiry was written earlier, and messages of
higher priority may have arrived."""


class Prefetch:
    """Messages of the next batch, held by the session and ready to be sent, and how many of them were taken.

    ``messages``, their ``tokens``, whether they are ``stored``, and their wire forms (``ready``): None if there is
    none, or if the message is not in memory; it is then built when it is sent. ``make``: returns the wire form of a
    message or raises `MQError`.
    """

    __slots__ = ("_make", "_program", "_taken_at", "messages", "next", "ready", "stored", "tokens")

    def __init__(self, program: ChannelProgram, make: Callable[[Message], Outgoing]) -> None:
        self._program = program
        self._make = make
        self._taken_at = 0.0
        self.messages: tuple[Message, ...] = ()
        self.tokens: tuple[bytes, ...] = ()
        self.stored: tuple[bool, ...] = ()
        self.ready: list[Outgoing | None] = []
        self.next = 0
        """Index of the first one that was not taken."""

    @property
    def left(self) -> int:
        """How many were not taken."""
        return len(self.tokens) - self.next

    def gather(self, hobj: int, most: int, room: int, uncommitted: int, now: Time, get_at: float) -> Failed | None:
        """Get up to ``most`` messages as of the time ``get_at``, and none once ``room`` bytes are reached. Returns why
        they cannot be got, or None. Does nothing while there are some."""
        if self.left:
            return None
        self._taken_at = now
        found = self._program.session.submit(GetMany(0, hobj, most, room, uncommitted), get_at)
        if type(found) is Failed:
            return found
        assert isinstance(found, RetrievedMany)
        make = self._make
        ready: list[Outgoing | None] = []
        for message in found.messages:
            form = None
            if type(message.body) is bytes:
                try:
                    form = make(message)
                except MQError:
                    form = None
            ready.append(form)
        self.messages, self.tokens, self.stored, self.ready = found.messages, found.tokens, found.stored, ready
        self.next = 0
        return None

    def stale(self, now: Time) -> bool:
        """Whether the messages were got too long ago."""
        return self.left > 0 and not 0 <= now - self._taken_at <= PREFETCH_AGE

    def give_back(self, now: Time) -> None:
        """Put the remaining messages back in their places."""
        if self.left:
            back = self.tokens[self.next :]
            self.next = len(self.tokens)
            self._program.session.submit(Settle(0, back=back), now)
