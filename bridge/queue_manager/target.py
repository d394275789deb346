"""Resolved names: the target of puts and gets (see `resolution`)."""

from __future__ import annotations

from mqbridge.protocol.constants import MQRC

from .errors import MQError
from .objects import Definition, expiry_cap
from .programs import NO_PROGRAM, ProgramId
from .queues.local_queue import LocalQueue


class Route:
    """An alias or remote queue at run time: its effect on puts and gets through it."""

    __slots__ = ("cap_expiry", "def_persistence", "def_priority", "get_inhibited", "name", "put_inhibited")

    def __init__(self, definition: Definition) -> None:
        self.name = definition.name
        self.refresh(definition)

    def refresh(self, definition: Definition) -> None:
        """Read the attributes of the definition."""
        self.put_inhibited = definition.text("PUT") == "DISABLED"
        self.get_inhibited = definition.text("GET") == "DISABLED"
        self.def_priority = definition.integer("DEFPRTY")
        self.def_persistence = int(definition.text("DEFPSIST") == "YES")
        self.cap_expiry = expiry_cap(definition)


class Target:
    """The target of puts and gets.

    ``queue``: the local queue, for a remote destination the transmission queue, None for a model queue or a topic.
    ``path``: the definitions passed, the one that was named first; its DEFPRTY and DEFPSIST apply, and PUT(DISABLED)
    and GET(DISABLED) of each. ``remote``: messages get an MQXQH for ``queue_name`` at ``queue_manager_name``; for a
    local queue these are the resolved names. ``superseded``: a definition on the path was altered with FORCE, so that
    the names resolve differently. ``topic``: topic string to which puts publish. ``owner``: program of an open topic.
    """

    __slots__ = (
        "cap_expiry", "model", "owner", "path", "queue", "queue_manager_name", "queue_name", "remote", "superseded",
        "topic",
    )  # fmt: skip

    def __init__(
        self,
        queue: LocalQueue | None,
        path: tuple[Route | LocalQueue, ...],
        queue_name: str,
        queue_manager_name: str,
        *,
        remote: bool = False,
        model: Definition | None = None,
        cap_expiry: bool = False,
        topic: str | None = None,
        owner: ProgramId = NO_PROGRAM,
    ) -> None:
        self.queue = queue
        self.path = path
        self.queue_name = queue_name
        self.queue_manager_name = queue_manager_name
        self.remote = remote
        self.model = model
        self.cap_expiry = cap_expiry
        self.superseded = False
        self.topic = topic
        self.owner = owner

    def require_puttable(self) -> LocalQueue:
        """The queue to put to. Raises `MQError` 2041 (superseded), 2052 (deleted) or 2051 (inhibited on the path)."""
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
        """ResolvedQName and ResolvedQMgrName (mqi.md 2.4, 5.5), blank for a topic.

        ``here``: the queue manager's name if RESOLVE_LOCAL_Q asks for the transmission queue of a remote destination.
        """
        if self.topic is not None:
            return "", ""
        if here and self.remote and self.queue is not None:
            return self.queue.name, here
        return self.queue_name, self.queue_manager_name

    @property
    def ready_made(self) -> bool:
        """Whether messages are put directly on a transmission queue and bring their own MQXQH."""
        queue = self.queue
        return queue is not None and queue.is_transmission_queue and not self.remote

    @property
    def get_inhibited(self) -> bool:
        """Whether any definition on the path has GET(DISABLED)."""
        return any(part.get_inhibited for part in self.path)

    def require_gettable(self) -> LocalQueue:
        """The queue to get from. Raises `MQError` 2045 (remote), 2041 (superseded), 2052 (deleted) or 2016."""
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
