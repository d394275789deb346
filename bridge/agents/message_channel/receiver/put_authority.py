"""Whose authority a receiving channel puts with (PUTAUT, channels.md 7.4)."""

from __future__ import annotations

from mqbridge.bridge.queue_manager import QueueManager, Target
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.descriptor import place
from mqbridge.protocol.channel import MessageReceived
from mqbridge.protocol.constants import MQOO
from mqbridge.protocol.text import decode_field

_OPTIONS = int(MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT)
_STANDING_IN = int(MQOO.SET_ALL_CONTEXT | MQOO.ALTERNATE_USER_AUTHORITY)
_USER = place("user_identifier")
_MAX_GRANTED = 1000
"""Destinations that are remembered to be allowed: a partner may name any."""


class PutAuthority:
    """Checks the puts of one channel that runs as ``user``.

    With PUTAUT(CTX) the user in each message must be allowed to put, and that of the channel to stand in for it.
    """

    __slots__ = ("_authorities", "_generation", "_granted", "_permits", "by_context", "user")

    def __init__(self, manager: QueueManager, definition: Definition, user: str) -> None:
        self.user = user
        """Who the channel runs as."""
        self._permits = manager.connections.core.permits
        self._authorities = manager.security.authorities
        self.by_context = definition.get("PUTAUT") == "CTX"
        """Whether each message is put with the authority of the user in it."""
        self._granted: dict[tuple[str, str], Target] = {}
        self._generation = -1

    def user_of(self, event: MessageReceived) -> str:
        """With whose authority a message is put."""
        if not self.by_context:
            return self.user
        return decode_field(event.descriptor[_USER], event.ccsid) or EVERYBODY_ELSE

    def require(self, event: MessageReceived, target: Target, names: tuple[str, str]) -> None:
        """Raises `MQError` 2035, with a line for the operator, where a message may not be put where its names lead.

        What was allowed is remembered until an authority record, a user or an object changes.
        """
        if self._granted.get(names) is target and self._generation == self._authorities.generation:
            return
        if self.by_context:
            self._permits.require(self.user_of(event), target, *names)
            also = int(MQOO.OUTPUT) if target.ready_made else 0
            self._permits.require(self.user, target, *names, _STANDING_IN | also)
            return
        self._permits.require(self.user, target, *names, _OPTIONS)
        if self._generation != self._authorities.generation or len(self._granted) >= _MAX_GRANTED:
            self._granted.clear()
            self._generation = self._authorities.generation
        self._granted[names] = target
