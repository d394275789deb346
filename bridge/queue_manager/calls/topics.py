"""Topics and subscriptions of a session: MQOPEN of a topic, MQSUB, MQSUBRQ (mqi.md 17)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from mqbridge.bridge.queue_manager.connections.connection import Connection
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.opening import close_queue
from mqbridge.bridge.queue_manager.pubsub import SubscriptionHandle
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
from mqbridge.bridge.security import EVERYBODY_ELSE
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCA, MQCO, MQOO, MQRC, MQRQ, MQSO

from .outcomes import OpenDefaults, Opened, Outcome, Published, Subscribed, failed
from .requests import OpenTopic, RequestPublications, Subscribe


def open_topic(connection: Connection, request: OpenTopic, now: Time) -> Opened:
    """Make an MQOPEN of a topic. Raises `MQError`."""
    handle = topic_handle(
        connection, request.object_name, request.object_string, request.options, request.alternate_user, now
    )
    assert handle.target.topic is not None
    words = connection.services.pubsub.attributes(handle.target.topic).words
    defaults = OpenDefaults(words["DEFPSIST"] == "YES", str(words["DEFPRESP"]))
    return Opened(connection.handles.add(handle), defaults=defaults)


def topic_handle(
    connection: Connection, name: str, string: str, options: int, alternate_user: str, now: Time
) -> Handle:
    """Open a topic with MQOO bits, if the program is authorized to publish to it. Raises `MQError` 2017, 2035 and
    others."""
    connection.handles.require_room()
    pubsub, application = connection.services.pubsub, connection.application
    handle = pubsub.open_topic(name, string, options=options, owner=connection.id, now=now, application=application)
    if connection.access is not None:
        assert handle.target.topic is not None
        try:
            connection.access.require_topic(handle.target.topic, options, alternate_user)
        except MQError:
            close_queue(connection.core, handle, MQCO.NONE, now)
            raise
        if options & MQOO.ALTERNATE_USER_AUTHORITY:
            handle.user = alternate_user or EVERYBODY_ELSE
    return handle


def subscribe(connection: Connection, call: Subscribe, now: Time) -> Outcome | None:
    """Make an MQSUB. Returns None while the store has not answered. Raises `MQError`."""
    application, asked = connection.application, call.request
    destination = asked.destination
    if not asked.has(MQSO.MANAGED) and call.hobj in connection.handles:
        opened = connection.handles.get(call.hobj)
        destination = opened if isinstance(opened, Handle) else None
    request = replace(asked, application=application, destination=destination)
    try:
        if connection.access is not None:
            connection.access.require_subscription(request, call.alternate_user)
    except MQError as error:
        if error.reason == MQRC.NOT_AUTHORIZED:
            about = [(MQCA.TOPIC_STRING, request.object_string or request.object_name)]
            events = connection.services.events
            events.denied(MQRQ.SUB_NOT_AUTHORIZED, application.user, now, about, application)
        raise
    if request.has(MQSO.ALTERNATE_USER_AUTHORITY):
        request = replace(request, application=replace(application, user=call.alternate_user))
    connection.handles.require_room(2 if request.has(MQSO.MANAGED) else 1)
    handle, pending = connection.services.pubsub.subscribe(request, owner=connection.id, now=now)
    if pending is None:
        return _opened(connection, call, handle, now)
    pending.then = partial(_stored, connection, call, handle, now)
    return None


def _stored(
    connection: Connection, call: Subscribe, handle: SubscriptionHandle, now: Time, error: MQError | None
) -> None:
    """Complete an MQSUB after the store's answer."""
    outcome = _opened(connection, call, handle, now) if error is None else failed(error)
    connection.complete(call.tag, outcome)


def _opened(connection: Connection, call: Subscribe, handle: SubscriptionHandle, now: Time) -> Outcome:
    """Return the handles of a new subscription.

    The program may have ended, or MAXHANDS may have been altered, while it was stored: the subscription is closed then.
    """
    subscription = handle.subscription
    try:
        connection.enter(0)
        connection.handles.require_room(1 if handle.queue_handle is None else 2)
    except MQError as error:
        if handle.queue_handle is not None:
            close_queue(connection.core, handle.queue_handle, MQCO.NONE, now)
        handle.close_at_end(now)
        return failed(error)
    hsub = connection.handles.add(handle)
    if handle.queue_handle is None:
        return Subscribed(hsub, call.hobj, subscription.correl_id, subscription.id)
    hobj = connection.handles.add(handle.queue_handle)
    return Subscribed(hsub, hobj, subscription.correl_id, subscription.id, subscription.destination[0])


def request_publications(connection: Connection, request: RequestPublications, now: Time) -> Outcome | None:
    """Make an MQSUBRQ. Returns None while the store has not answered. Raises `MQError` 2019 and others."""
    opened = connection.handles.get(request.hsub)
    if not isinstance(opened, SubscriptionHandle):
        raise MQError(MQRC.HOBJ_ERROR, str(request.hsub))
    count, pending = connection.services.pubsub.request(opened, request.action, request.options, now)
    if pending is None:
        return Published(count or 0)
    if count is not None:
        pending.found = count
    pending.then = partial(_published, connection, request.tag, pending)
    return None


def _published(connection: Connection, tag: int, pending: PendingCommit, error: MQError | None) -> None:
    connection.complete(tag, Published(pending.found) if error is None else failed(error))
