"""Where a put goes and what a get takes from: names that have been resolved (`resolution`)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.constants import MQRC

from .errors import MQError
from .objects import Definition, expiry_cap
from .programs import NO_PROGRAM, ProgramId
from .queues.local_queue import LocalQueue


class Route:
    """The run-time side of an alias or remote queue: what it adds to the puts and gets that pass it."""

    __slots__ = ("cap_expiry", "def_persistence", "def_priority", "get_inhibited", "name", "put_inhibited")

    def __init__(self, definition: Definition) -> None:
        self.name = definition.name
        self.refresh(definition)

    def refresh(self, definition: Definition) -> None:
        """Takes over the attributes of the definition."""
        self.put_inhibited = definition.text("PUT") == "DISABLED"
        self.get_inhibited = definition.text("GET") == "DISABLED"
        self.def_priority = definition.integer("DEFPRTY")
        self.def_persistence = int(definition.text("DEFPSIST") == "YES")
        self.cap_expiry = expiry_cap(definition)


@dataclass(slots=True, eq=False)
class Target:
    """Where a put goes, or what a get takes from.

    ``queue``: the local queue that gets the message; for a remote destination its transmission queue; None for a
    model queue. ``path``: every definition passed on the way, the one named first (its DEFPRTY and DEFPSIST count);
    put and get inhibition anywhere on it counts. ``remote``: the message is wrapped for ``queue_name`` at
    ``queue_manager_name``; for a local destination these are the resolved names. ``superseded``: a definition on the
    path was altered with FORCE in a way that would resolve the names differently. ``topic``: a put is a publication to
    this topic string, and there is no queue; ``owner``: the handle's, of a topic that is open.
    """

    queue: LocalQueue | None
    path: tuple[Route | LocalQueue, ...]
    queue_name: str
    queue_manager_name: str
    remote: bool = False
    model: Definition | None = None
    cap_expiry: bool = False
    superseded: bool = False
    topic: str | None = None
    owner: ProgramId = NO_PROGRAM

    def require_puttable(self) -> LocalQueue:
        """The queue to put to; raises `MQError` 2041 (superseded), 2052 (gone) or 2051 (inhibited on the path)."""
        queue = self.queue
        if queue is None or queue.deleted:
            raise MQError(MQRC.Q_DELETED, self.queue_name)
        if self.superseded:
            raise MQError(MQRC.OBJECT_CHANGED, self.queue_name)
        for part in self.path:
            if part.put_inhibited:
                raise MQError(MQRC.PUT_INHIBITED, part.name)
        return queue

    def resolved(self, here: str = "") -> tuple[str, str]:
        """ResolvedQName and ResolvedQMgrName (mqi.md 2.4, 5.5), blank for a topic: where a message goes.

        ``here``: the queue manager's name, where RESOLVE_LOCAL_Q asks for the queue on which it is put on its way.
        """
        if self.topic is not None:
            return "", ""
        if here and self.remote and self.queue is not None:
            return self.queue.name, here
        return self.queue_name, self.queue_manager_name

    @property
    def ready_made(self) -> bool:
        """Whether messages are put on a transmission queue as they are, with a header that they bring."""
        queue = self.queue
        return queue is not None and queue.is_transmission_queue and not self.remote

    @property
    def get_inhibited(self) -> bool:
        """Whether gets are inhibited anywhere on the path."""
        return any(part.get_inhibited for part in self.path)

    def require_gettable(self) -> LocalQueue:
        """The queue to get from; raises `MQError` 2045 (not local), 2041 (superseded), 2052 or 2016."""
        queue = self.queue
        if self.remote or queue is None:
            raise MQError(MQRC.OPTION_NOT_VALID_FOR_TYPE, self.queue_name)
        if queue.deleted:
            raise MQError(MQRC.Q_DELETED, self.queue_name)
        if self.superseded:
            raise MQError(MQRC.OBJECT_CHANGED, self.queue_name)
        for part in self.path:
            if part.get_inhibited:
                raise MQError(MQRC.GET_INHIBITED, part.name)
        return queue
