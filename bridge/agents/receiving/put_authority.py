"""Whose authority a receiving channel puts with (PUTAUT, channels.md 7.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.queue_manager import MQError, Target
from bridge.queue_manager.authority import opened_of
from bridge.security import EVERYBODY_ELSE, Denial, check_open
from mappings.descriptor import place
from protocol.channel import MessageReceived
from protocol.constants import MQOO, MQRC
from protocol.text import decode_field

if TYPE_CHECKING:
    from bridge.agents.supervisor import Supervisor
    from bridge.queue_manager.objects import Definition

_OPTIONS = int(MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT)
_USER = place("user_identifier")


class PutAuthority:
    """Checks the puts of one channel that runs as ``user``; blank: as the queue manager itself, which may everything.

    With PUTAUT(CTX) the user in each message must be allowed to put as well.
    """

    __slots__ = ("_by_context", "_supervisor", "_user", "needed")

    def __init__(self, supervisor: Supervisor, definition: Definition, user: str) -> None:
        self._supervisor = supervisor
        self._user = user
        self._by_context = definition.get("PUTAUT") == "CTX"
        self.needed = bool(user) or self._by_context
        """Whether there is anything to check."""

    def require(self, event: MessageReceived, target: Target, queue: str, manager_name: str) -> None:
        """Raises `MQError` 2035, with a line for the operator, where a message may not be put."""
        manager = self._supervisor.manager
        authorities = manager.security.authorities
        opened = opened_of(manager.objects, target, queue, manager_name)
        denial: Denial | None = None
        if self._by_context:
            other = decode_field(event.descriptor[_USER], event.ccsid) or EVERYBODY_ELSE
            denial = check_open(authorities, other, opened, MQOO.OUTPUT)
            if denial is None and self._user:
                options = _OPTIONS | MQOO.ALTERNATE_USER_AUTHORITY
                denial = check_open(authorities, self._user, opened, options & ~MQOO.OUTPUT, self._user)
        elif self._user:
            denial = check_open(authorities, self._user, opened, _OPTIONS)
        if denial is not None:
            self._supervisor.log(*_flat(denial))
            raise MQError(MQRC.NOT_AUTHORIZED, str(denial))


def _flat(denial: Denial) -> tuple[str, ...]:
    amq, inserts = denial.log
    return (amq, *map(str, inserts))
