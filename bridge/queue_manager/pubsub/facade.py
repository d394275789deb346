"""The interface of publish/subscribe: for the calls of programs, for commands, and for the queue manager's timer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager.opening import check_open_options, open_topic
from mqbridge.bridge.queue_manager.programs import Application, ProgramId
from mqbridge.bridge.queue_manager.target import Target
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQOO

from .administration import Administration
from .destinations import delete_orphans
from .publishing import Publisher
from .removing import SubscriptionRemoval, request_retained
from .retained import RetainedPublications
from .state import PubSubState
from .status import Status
from .subscribing import Subscriber, Subscribing
from .topic_strings import full_topic
from .wildcards import make_pattern

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.units_of_work import PendingCommit

    from .requests import SubscriptionRequest
    from .subscription import Subscription, SubscriptionHandle
    from .topic_attributes import TopicAttributes


class PubSub:
    """The publish/subscribe engine of one queue manager.

    Publications are put to the target of a handle from `open_topic`, or of an alias queue with TARGTYPE(TOPIC).
    ``administration``: commands on subscriptions. ``status``: rows for displays.
    """

    def __init__(self, core: Core, now: Time) -> None:
        self._core = core
        self._state = state = PubSubState(core)
        core.objects.add_listener(state.definition_changed)
        delete_orphans(core, state.subscriptions.values())
        self._retained = RetainedPublications(core, now)
        self._remover = SubscriptionRemoval(state)
        self._subscriber = Subscriber(state, self._retained, self._remover, self._end)
        core.publish = Publisher(state, self._retained).publish
        core.also_expires.append(self)
        self.administration = Administration(state, self._retained, self._remover)
        self.status = Status(state, self._retained)

    # --- topics --------------------------------------------------------------------------------------------------

    def open_topic(
        self,
        object_name: str,
        object_string: str = "",
        *,
        options: int,
        owner: ProgramId,
        now: Time,
        application: Application | None = None,
    ) -> Handle:
        """MQOPEN of a topic, by the name of a topic object, a topic string, or both: MQOO_OUTPUT to publish.

        ``owner``: the program, for MQPMO_NOT_OWN_SUBS. The handle is closed as that of a queue. Raises `MQError` 2046,
        2045, 2161, 2085, 2425, 2441. PUB(DISABLED) is checked by each put.
        """
        check_open_options(options)
        if options & MQOO.FAIL_IF_QUIESCING:
            self._core.require_not_quiescing()
        topic = full_topic(self._core.objects, object_name, object_string)
        return open_topic(
            self._core, Target(None, (), "", self._core.name, topic=topic), options, owner, application=application
        )

    def full_topic(self, object_name: str, object_string: str) -> str:
        """The topic string of an object name and string (ResObjectString). Raises `MQError` 2085, 2425, 2441."""
        return full_topic(self._core.objects, object_name, object_string)

    def attributes(self, topic: str) -> TopicAttributes:
        """The effective attributes of a topic string, and the topic objects at and above it for authority checks."""
        return self._state.topics.attributes(topic)

    # --- subscriptions -------------------------------------------------------------------------------------------

    def subscribe(
        self,
        request: SubscriptionRequest,
        *,
        owner: ProgramId,
        now: Time,
        handle: SubscriptionHandle | None = None,
    ) -> Subscribing:
        """MQSUB (mqi.md 17): create, resume or alter a subscription and open it.

        The handle holds the subscription (its CorrelId, topic string, user data …) and, with MQSO_MANAGED, the handle
        of its queue. ``handle``: with MQSO_ALTER, the open subscription to alter. If the transaction fails, or retained
        publications cannot be delivered, the subscription is as it was before and the handle is closed.

        Raises `MQError`: 2046, 2440, 2431, 2424, 2013, 2050, 2519, 2551, 2459, 2504, 2161, 2531, 2441, 2425, 2085,
        2503, 2436, 2019, 2522, 2432, 2428, 2429, 2434, 2435, 2509, 2510, 2512, 2514, 2515, 2524, 2533, 2525, 2526.
        """
        return self._subscriber.subscribe(request, owner, now, handle)

    def close(self, handle: SubscriptionHandle, options: int, now: Time) -> PendingCommit | None:
        """MQCLOSE of an Hsub with MQCO_NONE, KEEP_SUB or REMOVE_SUB (mqi.md 3). Returns the transaction, if any.

        A non-durable subscription ends with its last handle. A managed queue is deleted with its subscription, or when
        the last handle open on it is closed. Raises `MQError` 2019, 2045, 2046, 2429.
        """
        return self._remover.close(handle, options, now)

    def _end(self, handle: SubscriptionHandle, now: Time) -> None:
        self._remover.close(handle, 0, now)

    def request(
        self,
        handle: SubscriptionHandle,
        action: int,
        options: int,
        now: Time,
    ) -> tuple[int | None, PendingCommit | None]:
        """MQSUBRQ: put retained publications to the subscription's destination. Returns NumPubs and the transaction.

        NumPubs is None while many are delivered in turns: the transaction's ``found`` has it then. Raises `MQError`
        2437 (nothing is retained), 2019, 2428, 2535, 2046, 2161, 2531, 2525, 2526.
        """
        return request_retained(self._state, self._retained, handle, action, options, now)

    def subscription(self, name: str) -> Subscription | None:
        """The subscription with this name."""
        return self._state.named(name)

    def asked_for(self, request: SubscriptionRequest) -> Subscription | None:
        """The existing subscription with the name or SubId of a request."""
        return self._state.asked_for(request)

    # --- commands ------------------------------------------------------------------------------------------------

    def clear_retained(self, topic: str, now: Time) -> tuple[int, PendingCommit | None]:
        """CLEAR TOPICSTR: remove retained publications. Returns how many, and the transaction.

        ``topic``: a topic string, or one with wildcards of the topic scheme.
        """
        return self._retained.clear(make_pattern(topic, characters=False), now)

    # --- time ----------------------------------------------------------------------------------------------------

    def next_timeout(self) -> float | None:
        """When the next subscription expires."""
        return self._state.next_expiry()

    def timeout(self, now: Time) -> None:
        """Remove subscriptions that have expired."""
        self._remover.expire(now)
