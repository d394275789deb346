"""What a sending end takes from its queue ahead: the next batch, while the partner commits the one before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from mqbridge.bridge.agents.message_channel.program import ChannelProgram
from mqbridge.bridge.agents.message_channel.sender.outgoing import Outgoing
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import GetMany
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Settle
from mqbridge.mappings.message import Message

PREFETCH_BYTES: Final = 1 << 18
"""Bytes of messages after which no more are taken ahead."""
PREFETCH_AGE: Final = 1.0
"""Seconds after which messages that were taken ahead go back to the queue: their expiry is that of another time, and
others of a higher priority may have come."""


PrefetchedMessage: TypeAlias = tuple[Message, bytes, bool, Outgoing | None]
"""A message that was taken ahead: its token, whether the store holds it, and its wire form.

A message that has no wire form, or that is not in memory, has None; its wire form is made when it is sent.
"""


class Prefetch:
    """Messages of the next batch, held by the session and ready to be sent.

    ``make``: the wire form of a message, or `MQError`.
    """

    __slots__ = ("_make", "_program", "_taken_at", "messages")

    def __init__(self, program: ChannelProgram, make: Callable[[Message], Outgoing]) -> None:
        self._program = program
        self._make = make
        self._taken_at = 0.0
        self.messages: deque[PrefetchedMessage] = deque()

    def gather(self, hobj: int, most: int, room: int, uncommitted: int, now: float, get_at: float) -> Failed | None:
        """Takes up to ``most`` messages as of the time ``get_at``, and none once ``room`` bytes are reached: why they
        cannot be got, or None. Nothing is taken while there are some."""
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
        """Whether the messages were taken too long ago."""
        return bool(self.messages) and not 0 <= now - self._taken_at <= PREFETCH_AGE

    def give_back(self, now: float) -> None:
        """Puts what is left back to its places as if it had never been taken."""
        if self.messages:
            back = tuple([token for _, token, _, _ in self.messages])
            self.messages.clear()
            self._program.session.submit(Settle(0, back=back), now)
