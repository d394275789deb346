"""Topics and subscriptions of a session: MQOPEN of a topic, MQSUB, MQSUBRQ (mqi.md 17)."""

from __future__ import annotations

from dataclasses import replace

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.opening import Handle
from mqbridge.bridge.queue_manager.pubsub import SubscriptionHandle, SubscriptionRequest
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.protocol.constants import MQCA, MQCO, MQOO, MQRC, MQRQ, MQSO

from .outcomes import OpenDefaults, Opened, Outcome, Published, Subscribed, failed
from .requests import OpenTopic, RequestPublications, Subscribe
from .state import SessionState


def open_topic(state: SessionState, request: OpenTopic, now: float) -> Opened:
    """MQOPEN of a topic."""
    handle = topic_handle(
        state, request.object_name, request.object_string, request.options, request.alternate_user, now
    )
    assert handle.target.topic is not None
    words = state.manager.pubsub.attributes(handle.target.topic).words
    defaults = OpenDefaults(words["DEFPSIST"] == "YES", str(words["DEFPRESP"]))
    return Opened(state.connection.handles.add(handle), defaults=defaults)


def topic_handle(state: SessionState, name: str, string: str, options: int, alternate_user: str, now: float) -> Handle:
    """A topic that is open with MQOO bits, if the program may publish to it. Raises `MQError`."""
    connection, manager = state.connection, state.manager
    handle = manager.pubsub.open_topic(name, string, options=options, owner=connection, now=now)
    if connection.access is not None:
        assert handle.target.topic is not None
        try:
            connection.access.require_topic(handle.target.topic, options, alternate_user)
        except MQError:
            manager.close(handle, MQCO.NONE, now)
            raise
        if options & MQOO.ALTERNATE_USER_AUTHORITY:
            handle.user = alternate_user or EVERYBODY_ELSE
    return handle


def subscribe(state: SessionState, call: Subscribe, now: float) -> Outcome | None:
    """MQSUB."""
    connection, manager = state.connection, state.manager
    request = replace(call.request, application=connection.application)
    if not request.has(MQSO.MANAGED) and call.hobj in connection.handles:
        opened = connection.handles.get(call.hobj)
        request.destination = opened if isinstance(opened, Handle) else None
    try:
        _authorize(state, request, call.alternate_user)
    except MQError as error:
        if error.reason == MQRC.NOT_AUTHORIZED:
            about = [(MQCA.TOPIC_STRING, request.object_string or request.object_name)]
            application = connection.application
            manager.events.denied(MQRQ.SUB_NOT_AUTHORIZED, application.user, now, about, application)
        raise
    connection.handles.require_room(2 if request.has(MQSO.MANAGED) else 1)
    opening = _Opening(state, call, now)
    return opening.given(manager.pubsub.subscribe(request, owner=connection, now=now, then=opening.stored))


def _authorize(state: SessionState, request: SubscriptionRequest, alternate_user: str) -> None:
    """Raises `MQError` 2035. With an alternate user the subscription is that user's."""
    access = state.connection.access
    if access is not None:
        access.require_subscription(request, alternate_user)
    if request.has(MQSO.ALTERNATE_USER_AUTHORITY):
        request.application = replace(request.application, user=alternate_user)


class _Opening:
    """A subscription that gets its handles when it is on disk."""

    __slots__ = ("_call", "_error", "_handle", "_now", "_state", "_stored")

    def __init__(self, state: SessionState, call: Subscribe, now: float) -> None:
        self._state = state
        self._call = call
        self._now = now
        self._stored = False
        self._error: MQError | None = None
        self._handle: SubscriptionHandle | None = None

    def stored(self, error: MQError | None) -> None:
        """The store has answered."""
        self._stored, self._error = True, error
        if self._handle is not None:
            self._state.complete(self._call.tag, self._outcome(self._handle))

    def given(self, handle: SubscriptionHandle) -> Outcome | None:
        """It is open; the outcome, None where it comes."""
        if self._stored:
            return self._outcome(handle)
        self._handle = handle
        return None

    def _outcome(self, handle: SubscriptionHandle) -> Outcome:
        if self._error is not None:
            return failed(self._error)
        connection, subscription = self._state.connection, handle.subscription
        try:
            connection.handles.require_room(1 if handle.queue_handle is None else 2)
            hsub = connection.add(handle)
        except MQError as error:  # while it was stored the program has gone, was stopped, or MAXHANDS was altered
            self._give_up(handle)
            return failed(error)
        if handle.queue_handle is None:
            return Subscribed(hsub, self._call.hobj, subscription.correl_id, subscription.id)
        hobj = connection.handles.add(handle.queue_handle)
        return Subscribed(hsub, hobj, subscription.correl_id, subscription.id, subscription.destination[0])

    def _give_up(self, handle: SubscriptionHandle) -> None:
        """Closes a subscription that the program has no handle of, and its managed queue."""
        if handle.queue_handle is not None:
            self._state.manager.close(handle.queue_handle, MQCO.NONE, self._now)
        handle.close_at_end(self._now)


def request_publications(state: SessionState, request: RequestPublications, now: float) -> Outcome | None:
    """MQSUBRQ."""
    opened = state.connection.handles.get(request.hsub)
    if not isinstance(opened, SubscriptionHandle):
        raise MQError(MQRC.HOBJ_ERROR, str(request.hsub))
    sending = _Sending(state, request.tag)
    state.manager.pubsub.request(opened, request.action, request.options, now, sending.stored, sending.counted)
    return sending.or_later()


class _Sending:
    """Retained publications that are on their way."""

    __slots__ = ("_count", "_late", "_outcome", "_state", "_tag")

    def __init__(self, state: SessionState, tag: int) -> None:
        self._state = state
        self._tag = tag
        self._count = 0
        self._late = False
        self._outcome: Outcome | None = None

    def counted(self, count: int) -> None:
        """So many there are."""
        self._count = count

    def stored(self, error: MQError | None) -> None:
        """The store has answered."""
        outcome = Published(self._count) if error is None else failed(error)
        if self._late:
            self._state.complete(self._tag, outcome)
        else:
            self._outcome = outcome

    def or_later(self) -> Outcome | None:
        """The outcome, None where it comes."""
        self._late = True
        return self._outcome
