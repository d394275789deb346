"""Name resolution: from ObjectName and ObjectQMgrName to the target queue (channels.md 12.2)."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQRC

from .core import Core
from .errors import MQError
from .objects import NO_LIMIT, Definition, Kind
from .queues.local_queue import LocalQueue
from .target import Route, Target

MAX_CACHED: Final = 10_000
"""Cached names; the cache is emptied when it is full. Names come from partners, who may send any."""


def resolve(core: Core, object_name: str, object_q_mgr_name: str) -> Target:
    """Resolve two names (channels.md 12.2), from the cache if possible.

    Raises `MQError` 2085, 2087, 2082, 2001, 2184, 2196, 2091, 2092, 2197, 2198, 2199. A model queue resolves to a
    target without a queue: `open_queue` creates the dynamic one.
    """
    names = (object_name, object_q_mgr_name)
    target = core.targets.get(names)
    if target is None:
        target = _Resolution(core).target(object_name, object_q_mgr_name)
        if len(core.targets) >= MAX_CACHED:
            core.targets.clear()
        core.targets[names] = target
    return target


def target_of(core: Core, queue: LocalQueue) -> Target:
    """The target of a local queue opened by its own name."""
    return _local(core, queue, (queue,))


def _local(core: Core, queue: LocalQueue, path: tuple[Route | LocalQueue, ...]) -> Target:
    capped = any(part.cap_expiry != NO_LIMIT for part in path)
    return Target(queue, path, queue.name, core.name, cap_expiry=capped)


class _Resolution:
    """One resolution. ``path``: the definitions passed so far."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.path: list[Route | LocalQueue] = []

    def target(self, name: str, queue_manager: str) -> Target:
        if queue_manager in self.core.local_names:
            return self._at_home(name)
        return self._away(name, queue_manager)

    # Blank or local queue manager

    def _at_home(self, name: str, behind_remote: bool = False) -> Target:
        definition = self.core.objects.queue(name)
        if definition is None:
            raise MQError(MQRC.UNKNOWN_OBJECT_NAME, name)
        if definition.kind is Kind.QALIAS:
            return self._alias(definition, behind_remote)
        return self._queue(definition, behind_remote)

    def _queue(self, definition: Definition, behind_remote: bool) -> Target:
        if definition.kind is Kind.QLOCAL:
            queue = self.core.queues[definition.name]
            return _local(self.core, queue, (*self.path, queue))
        if definition.kind is Kind.QMODEL:
            return Target(None, tuple(self.path), definition.name, self.core.name, model=definition)
        if behind_remote:
            raise MQError(MQRC.REMOTE_Q_NAME_ERROR, definition.name)
        return self._remote(definition)

    def _alias(self, definition: Definition, behind_remote: bool) -> Target:
        self._pass(definition)
        if definition.text("TARGTYPE") == "TOPIC":
            return self._topic(definition)
        base = self.core.objects.queue(definition.text("TARGET"))
        if base is None:
            raise MQError(MQRC.UNKNOWN_ALIAS_BASE_Q, definition.name)
        if base.kind not in (Kind.QLOCAL, Kind.QREMOTE):
            raise MQError(MQRC.ALIAS_BASE_Q_TYPE_ERROR, definition.name)
        return self._queue(base, behind_remote)

    def _topic(self, definition: Definition) -> Target:
        """The topic string of the topic object that an alias queue stands for."""
        topic = self.core.objects.find(Kind.TOPIC, definition.text("TARGET"))
        if topic is None or not topic.text("TOPICSTR"):
            raise MQError(MQRC.UNKNOWN_ALIAS_BASE_Q, definition.name)
        return Target(None, tuple(self.path), "", self.core.name, topic=topic.text("TOPICSTR"))

    def _remote(self, definition: Definition) -> Target:
        name, queue_manager = definition.text("RNAME"), definition.text("RQMNAME")
        if not name or not queue_manager:
            raise MQError(MQRC.REMOTE_Q_NAME_ERROR, definition.name)
        self._pass(definition)
        if queue_manager in self.core.local_names:
            return self._at_home(name, behind_remote=True)
        if definition.text("XMITQ"):
            return self._transmit(self._transmission_queue(definition.text("XMITQ")), name, queue_manager)
        return self._away(name, queue_manager)

    # Another queue manager

    def _away(self, name: str, queue_manager: str) -> Target:
        passed: set[str] = set()
        while True:
            definition = self.core.objects.queue(queue_manager)
            if definition is not None and definition.kind is Kind.QLOCAL and definition.text("USAGE") == "XMITQ":
                return self._transmit(self.core.queues[definition.name], name, queue_manager)
            alias = definition is not None and definition.kind is Kind.QREMOTE and not definition.text("RNAME")
            if definition is None or not alias or queue_manager in passed:
                return self._transmit(self._default_transmission_queue(queue_manager), name, queue_manager)
            passed.add(queue_manager)
            queue_manager = definition.text("RQMNAME")
            if not queue_manager:
                raise MQError(MQRC.REMOTE_Q_NAME_ERROR, definition.name)
            self._pass(definition)
            if queue_manager in self.core.local_names:
                return self._at_home(name)
            if definition.text("XMITQ"):
                return self._transmit(self._transmission_queue(definition.text("XMITQ")), name, queue_manager)

    def _transmission_queue(self, name: str) -> LocalQueue:
        definition = self.core.objects.queue(name)
        if definition is None:
            raise MQError(MQRC.UNKNOWN_XMIT_Q, name)
        if definition.kind is not Kind.QLOCAL:
            raise MQError(MQRC.XMIT_Q_TYPE_ERROR, name)
        if definition.text("USAGE") != "XMITQ":
            raise MQError(MQRC.XMIT_Q_USAGE_ERROR, name)
        return self.core.queues[name]

    def _default_transmission_queue(self, queue_manager: str) -> LocalQueue:
        name = self.core.default_transmission_queue
        if not name:
            raise MQError(MQRC.UNKNOWN_REMOTE_Q_MGR, queue_manager)
        definition = self.core.objects.queue(name)
        if definition is None:
            raise MQError(MQRC.UNKNOWN_DEF_XMIT_Q, name)
        if definition.kind is not Kind.QLOCAL:
            raise MQError(MQRC.DEF_XMIT_Q_TYPE_ERROR, name)
        if definition.text("USAGE") != "XMITQ":
            raise MQError(MQRC.DEF_XMIT_Q_USAGE_ERROR, name)
        return self.core.queues[name]

    def _transmit(self, queue: LocalQueue, name: str, queue_manager: str) -> Target:
        path = (*self.path, queue)
        capped = any(part.cap_expiry != NO_LIMIT for part in path)
        return Target(queue, path, name, queue_manager, remote=True, cap_expiry=capped)

    def _pass(self, definition: Definition) -> None:
        route = self.core.routes.get(definition.name)
        if route is None:
            route = self.core.routes[definition.name] = Route(definition)
        self.path.append(route)
