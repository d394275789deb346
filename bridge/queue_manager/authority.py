"""Authority checks by resolved target: the profile that is checked (mqi.md 2), and cached checks of puts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mqbridge.bridge.security import Denial, OpenedObject, Security, check_open, check_topic
from mqbridge.protocol.constants import MQOO, MQRC

from .errors import MQError
from .objects import Kind, Objects
from .target import Target

MAX_PERMITS: Final = 10_000
"""Granted puts, and logged refusals, that are cached; names come from programs and partners, who may send any."""
_OUTPUT: Final = int(MQOO.OUTPUT)


def opened_of(objects: Objects, target: Target, object_name: str, object_q_mgr_name: str = "") -> OpenedObject:
    """The object whose authority records apply to a target: the first definition that is not a queue manager alias.

    A queue at another queue manager, opened by both names, is checked as its transmission queue or by RQMNAME records.
    """
    away = object_q_mgr_name not in ("", objects.name)
    for part in target.path:
        definition = objects.queue(part.name)
        if definition is None:
            continue
        if definition.kind is Kind.QREMOTE and not definition.text("RNAME"):
            continue
        through = definition.text("USAGE") == "XMITQ" and away and target.remote
        return OpenedObject(
            part.name,
            queue_manager=object_q_mgr_name if through else "",
            transmission=target.ready_made,
        )
    return OpenedObject(target.model.name if target.model is not None else target.queue_name or object_name)


class PutAuthorities:
    """Cached authority checks of puts, valid until a record, a user or an object changes.

    ``log``: adds a line to the operator's log. ``topic_objects``: the topic objects at and above a topic string.
    """

    __slots__ = ("_generation", "_granted", "_log", "_objects", "_reported", "_security", "_topic_objects")

    def __init__(
        self,
        objects: Objects,
        security: Security,
        log: Callable[..., None],
        topic_objects: Callable[[str], Sequence[str]],
    ) -> None:
        self._objects = objects
        self._log = log
        self._security = security
        self._topic_objects = topic_objects
        self._generation = -1
        self._granted: dict[tuple[str, str, str, int], Target] = {}
        self._reported: set[Denial] = set()

    def require(
        self, user: str, target: Target, queue_name: str, queue_manager_name: str, options: int = _OUTPUT
    ) -> None:
        """Raise `MQError` 2035, with one line in the log, unless a user may put to the target of two names.

        ``options``: MQOO bits; with ALTERNATE_USER_AUTHORITY the user needs that authority as well.
        """
        authorities = self._security.authorities
        if authorities.generation != self._generation:
            self._granted.clear()
            self._reported.clear()
            self._generation = authorities.generation
        key = (user, queue_name, queue_manager_name, options)
        if self._granted.get(key) is target:
            return
        queue = target.queue
        if queue is not None and queue.reserved and options & _OUTPUT:
            self.refuse(Denial(user, "QUEUE", queue.name, ("PUT",)))
        denial: Denial | None = None
        if target.path or target.topic is None:
            opened = opened_of(self._objects, target, queue_name, queue_manager_name)
            denial = check_open(authorities, user, opened, options, user)
        if denial is None and target.topic is not None and options & _OUTPUT:
            denial = check_topic(authorities, user, self._topic_objects(target.topic), "PUB", options, user)
        if denial is not None:
            self.refuse(denial)
        if len(self._granted) >= MAX_PERMITS:
            self._granted.clear()
        self._granted[key] = target

    def refuse(self, denial: Denial) -> None:
        """Raise `MQError` 2035; each refusal is logged once."""
        if denial not in self._reported:
            if len(self._reported) >= MAX_PERMITS:
                self._reported.clear()
            self._reported.add(denial)
            amq, inserts = denial.log
            self._log(amq, *map(str, inserts))
        raise MQError(MQRC.NOT_AUTHORIZED, str(denial))
