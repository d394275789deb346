"""Authority checks of a connection's user: at MQOPEN, MQPUT1, MQSUB and MQCLOSE, not at each put or get.

A refusal raises `MQError` 2035 and logs AMQ8077, once for repeated attempts. Unknown names and conflicting options are
checked first, so that they are reported with their own reason codes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.authority import opened_of
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.opening import check_open_options
from mqbridge.bridge.queue_manager.pubsub.requests import PROVIDED_OPEN_OPTIONS
from mqbridge.bridge.queue_manager.resolution import resolve
from mqbridge.bridge.queue_manager.security_records import grant_all
from mqbridge.bridge.security import Denial, OpenedObject, Security, check_close, check_open, check_topic
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQOO, MQRC, MQSO

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.pubsub import PubSub, SubscriptionRequest
    from mqbridge.bridge.queue_manager.target import Target

MAX_GRANTED: Final = 1000
"""Granted opens, and logged refusals, that a connection caches; programs may open any number of queues."""
_OUTPUT: Final = int(MQOO.OUTPUT)
_SET_IDENTITY: Final = int(MQOO.SET_IDENTITY_CONTEXT)
_ALTERNATE_USER: Final = int(MQOO.ALTERNATE_USER_AUTHORITY)
_OBJECT_TYPES: Final = {Kind.NAMELIST: "NAMELIST", Kind.PROCESS: "PROCESS", Kind.QMGR: "QMGR"}


class Access:
    """The authorities of ``user`` at one queue manager."""

    __slots__ = ("_authorities", "_core", "_generation", "_granted", "_pubsub", "_reported", "user")

    def __init__(self, core: Core, pubsub: PubSub, security: Security, user: str) -> None:
        self.user = user
        self._core = core
        self._pubsub = pubsub
        self._authorities = security.authorities
        self._granted: dict[tuple[str, str, int, str], Target] = {}
        self._reported: set[Denial] = set()
        self._generation = self._authorities.generation

    def require_queue(self, name: str, manager_name: str, options: int, alternate_user: str = "") -> None:
        """Check MQOPEN or MQPUT1 of a queue with MQOO bits; with ALTERNATE_USER_AUTHORITY as ``alternate_user``.

        Granted opens are cached until an authority record, a user or an object changes.
        """
        core = self._core
        if self._authorities.generation != self._generation:
            self._forget()
        target = resolve(core, name, manager_name)
        key = (name, manager_name, options, alternate_user)
        if self._granted.get(key) is target:
            return
        check_open_options(options)
        self._require(
            check_open(
                self._authorities,
                self.user,
                opened_of(core.objects, target, name, manager_name),
                options,
                alternate_user,
            )
        )
        if target.topic is not None:
            self.require_topic(target.topic, options, alternate_user)
        if len(self._granted) >= MAX_GRANTED:
            self._granted.clear()
        self._granted[key] = target

    def require_object(self, kind: Kind, name: str, options: int, alternate_user: str = "") -> None:
        """Check MQOPEN of a namelist, a process or the queue manager."""
        opened = OpenedObject(name, _OBJECT_TYPES[kind])
        self._require(check_open(self._authorities, self.user, opened, options, alternate_user))

    def require_topic(self, topic: str, options: int, alternate_user: str = "") -> None:
        """Check MQOPEN or MQPUT1 of a topic string."""
        if options & _OUTPUT:
            self._topic(topic, "PUB", options, alternate_user)

    def require_close(self, handle: Handle, options: int) -> None:
        """Check MQCLOSE with MQCO bits: deleting a permanent dynamic queue needs authority."""
        queue = handle.target.queue
        if queue is not None and queue.dynamic and not queue.temporary:
            self._require(check_close(self._authorities, self.user, queue.name, options))

    def require_subscription(self, request: SubscriptionRequest, alternate_user: str = "") -> None:
        """Check MQSUB: SUB on the topic to create or alter a subscription, RESUME to resume one.

        Besides, PUT on a provided destination, and GET and BROWSE on one that is resumed with MQSO_MANAGED.
        """
        request.check()
        pubsub, options = self._pubsub, 0
        if request.has(MQSO.SET_IDENTITY_CONTEXT):
            options |= _SET_IDENTITY
        if request.has(MQSO.ALTERNATE_USER_AUTHORITY):
            options |= _ALTERNATE_USER
        known = pubsub.asked_for(request)
        topics = [] if known is None else [known.topic]
        if request.names_topic:
            topic = pubsub.full_topic(request.object_name, request.object_string)
            if topic not in topics:
                topics.append(topic)
        resumes = known is not None and topics == [known.topic] and not request.has(MQSO.ALTER)
        for topic in topics:
            self._topic(topic, "RESUME" if resumes else "SUB", options, alternate_user)
        if resumes and known is not None and request.has(MQSO.MANAGED) and not known.managed:
            asked = PROVIDED_OPEN_OPTIONS | options & _ALTERNATE_USER
            self.require_queue(*known.destination, asked, alternate_user)
        destination = request.destination
        if destination is not None:
            target = destination.target
            away = target.queue_manager_name if target.remote else ""
            opened = opened_of(self._core.objects, target, destination.object_name, away)
            self._require(check_open(self._authorities, self.user, opened, options | _OUTPUT, alternate_user))

    def grant_creator(self, handle: Handle, now: Time, alternate_user: str = "") -> None:
        """Grant all authorities for a new dynamic queue to the user that created it."""
        user = alternate_user if handle.options & MQOO.ALTERNATE_USER_AUTHORITY else self.user
        core, queue = self._core, handle.target.queue
        assert queue is not None  # the one just created
        if queue.temporary:
            self._authorities.own(queue.name, user)
        else:
            core.submit(grant_all(core.objects, queue.name, user, now).operations)

    def _forget(self) -> None:
        """Empty the caches: records or users have changed."""
        self._granted.clear()
        self._reported.clear()
        self._generation = self._authorities.generation

    def _topic(self, topic: str, authority: str, options: int, alternate_user: str) -> None:
        path = self._pubsub.attributes(topic).objects
        self._require(check_topic(self._authorities, self.user, path, authority, options, alternate_user))

    def _require(self, denial: Denial | None) -> None:
        if denial is None:
            return
        if self._authorities.generation != self._generation:
            self._forget()
        if denial not in self._reported:
            if len(self._reported) >= MAX_GRANTED:
                self._reported.clear()
            self._reported.add(denial)
            self._core.log(*_flat(denial))
        raise MQError(MQRC.NOT_AUTHORIZED, str(denial))


def _flat(denial: Denial) -> tuple[str, ...]:
    amq, inserts = denial.log
    return (amq, *map(str, inserts))
