"""Whose authority a receiving channel puts with (PUTAUT, channels.md 7.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.queue_manager import Target
from bridge.security import EVERYBODY_ELSE
from mappings.descriptor import place
from protocol.channel import MessageReceived
from protocol.constants import MQOO
from protocol.text import decode_field

if TYPE_CHECKING:
    from bridge.agents.supervisor import Supervisor
    from bridge.queue_manager.objects import Definition

_OPTIONS = int(MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT)
_STANDING_IN = int(MQOO.SET_ALL_CONTEXT | MQOO.ALTERNATE_USER_AUTHORITY)
_USER = place("user_identifier")


class PutAuthority:
    """Checks the puts of one channel that runs as ``user``.

    With PUTAUT(CTX) the user in each message must be allowed to put, and that of the channel to stand in for it.
    """

    __slots__ = ("_by_context", "_permits", "_user")

    def __init__(self, supervisor: Supervisor, definition: Definition, user: str) -> None:
        self._permits = supervisor.manager.connections.core.permits
        self._user = user
        self._by_context = definition.get("PUTAUT") == "CTX"

    def user_of(self, event: MessageReceived) -> str:
        """With whose authority a message is put."""
        if not self._by_context:
            return self._user
        return decode_field(event.descriptor[_USER], event.ccsid) or EVERYBODY_ELSE

    def require(self, user: str, target: Target, queue: str, manager_name: str) -> None:
        """Raises `MQError` 2035, with a line for the operator, where a message of this user may not be put."""
        if self._by_context:
            self._permits.require(user, target, queue, manager_name)
            self._permits.require(self._user, target, queue, manager_name, _STANDING_IN)
        else:
            self._permits.require(user, target, queue, manager_name, _OPTIONS)
