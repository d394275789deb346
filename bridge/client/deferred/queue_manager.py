"""The calls of a connection on a reactor, as coroutines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.defer import CancelledError
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol

from mqbridge.bridge.client.errors import MQError, error_for
from mqbridge.bridge.client.link import DEFAULT_CONNECT_TIMEOUT, parameters_for
from mqbridge.bridge.client.message import Message, Value
from mqbridge.bridge.client.objects import check, message_id, message_of, put_bits, result, wanted_message, wire_message
from mqbridge.bridge.client.url import MQUrl, parse_url
from mqbridge.mappings.properties import Property
from mqbridge.protocol.constants import MQCO, MQOO, MQOT, MQRC, MQSO
from mqbridge.protocol.mqi_client import (
    Calls,
    Connected,
    GetParameters,
    MessageTooLong,
    ObjectName,
    SubscriptionName,
    opened,
    subscribed,
)

from .protocol import ClientProtocol

if TYPE_CHECKING:
    from mqbridge.bridge.security.tls import TlsConnection

_INPUT: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.FAIL_IF_QUIESCING)
_SUBSCRIBE: Final = int(MQSO.CREATE | MQSO.MANAGED | MQSO.FAIL_IF_QUIESCING)


class DeferredQueueManager:
    """A connection, created by `connect`. Arguments and errors of the calls are those of `QueueManager` and `Queue`."""

    def __init__(self, protocol: ClientProtocol, told_first: Connected) -> None:
        self.protocol = protocol
        self.name = told_first.queue_manager
        self._order, self._ccsid = told_first.order, told_first.ccsid
        self._inputs: dict[tuple[str, str], int] = {}

    @property
    def tls(self) -> TlsConnection | None:
        """What TLS agreed; None for a plain connection."""
        return self.protocol.tls

    async def put(
        self,
        queue: str,
        body: str | bytes | Message,
        *,
        persistent: bool | None = None,
        correl_id: bytes = b"",
        properties: Mapping[str, Value | Property] | None = None,
        syncpoint: bool = False,
        options: int = 0,
        **fields: Any,
    ) -> bytes:
        """Put one message; returns its id."""
        name = ObjectName(name=queue)
        return await self._put1(name, queue, body, persistent, correl_id, properties, syncpoint, options, fields)

    async def publish(
        self,
        topic: str,
        body: str | bytes | Message,
        *,
        persistent: bool | None = None,
        properties: Mapping[str, Value | Property] | None = None,
        syncpoint: bool = False,
        options: int = 0,
        **fields: Any,
    ) -> bytes:
        """Publish one message to a topic string."""
        name = ObjectName(type=MQOT.TOPIC, string=topic)
        return await self._put1(name, topic, body, persistent, b"", properties, syncpoint, options, fields)

    async def _put1(
        self,
        name: ObjectName,
        shown: str,
        body: str | bytes | Message,
        persistent: bool | None,
        correl_id: bytes,
        properties: Mapping[str, Value | Property] | None,
        syncpoint: bool,
        options: int,
        fields: dict[str, Any],
    ) -> bytes:
        descriptor, data = wire_message(self._order, self._ccsid, body, persistent, correl_id, properties, fields)
        try:
            call = await self.protocol.do(Calls.put1, name, descriptor, data, put_bits(syncpoint, options))
        except MessageTooLong as error:
            raise error_for(error.reason, str(error)) from error
        return result(call, message_id, shown)

    async def get(
        self,
        queue: str,
        *,
        wait: float | None = 0,
        msg_id: bytes = b"",
        correl_id: bytes = b"",
        selector: str = "",
        syncpoint: bool = False,
        max_length: int | None = None,
        options: int = 0,
    ) -> Message | None:
        """Get one message from a queue, which stays open for further gets; None if there is none."""
        handle = self._inputs.get((queue, selector))
        if handle is None:
            name = ObjectName(name=queue, selector=selector or None)
            call = await self.protocol.do(Calls.open, name, _INPUT)
            handle = self._inputs[queue, selector] = result(call, opened, queue).handle
        wanted = _wanted(wait, msg_id, correl_id, syncpoint, max_length, options)
        return message_of(await self.protocol.do(Calls.get, handle, wanted), wanted, queue)

    async def subscribe(self, topic: str, *, selector: str = "") -> DeferredSubscription:
        """Subscribe to a topic string until the subscription is closed or the connection ends."""
        named = SubscriptionName(options=_SUBSCRIBE, topic=topic, selector=selector)
        call = await self.protocol.do(Calls.subscribe, named, 0)
        queue, subscription, _ = result(call, subscribed, topic)
        return DeferredSubscription(self, topic, queue, subscription)

    async def commit(self) -> None:
        """Commit."""
        call = await self.protocol.do(Calls.commit)
        if call.comp_code:
            raise error_for(call.reason, "commit")

    async def backout(self) -> None:
        """Back out."""
        check(await self.protocol.do(Calls.backout), "backout")

    async def disconnect(self) -> None:
        """Disconnect, which commits."""
        check(await self.protocol.do(Calls.disconnect), "disconnect")

    def abort(self) -> None:
        """Close the connection without MQDISC; uncommitted work is backed out."""
        self.protocol.abort()


class DeferredSubscription:
    """A subscription with a managed queue."""

    def __init__(self, manager: DeferredQueueManager, topic: str, queue: int, subscription: int) -> None:
        self._manager = manager
        self.topic = topic
        self._handles: tuple[int, ...] = (queue, subscription)

    async def get(self, *, wait: float | None = 0, syncpoint: bool = False) -> Message | None:
        """Return the next publication; None if none arrives in time."""
        if not self._handles:
            raise error_for(MQRC.HOBJ_ERROR, f"{self.topic}: the subscription is closed")
        wanted = _wanted(wait, b"", b"", syncpoint, None, 0)
        call = await self._manager.protocol.do(Calls.get, self._handles[0], wanted)
        return message_of(call, wanted, self.topic)

    async def close(self) -> None:
        """Close the subscription."""
        handles, self._handles = self._handles, ()
        do = self._manager.protocol.do
        calls = [await do(Calls.close_object, handle, MQCO.NONE) for handle in handles]
        for call in calls:
            check(call, self.topic)


def _wanted(
    wait: float | None, msg_id: bytes, correl_id: bytes, syncpoint: bool, max_length: int | None, options: int
) -> GetParameters:
    return wanted_message(
        wait=wait,
        options=options,
        syncpoint=syncpoint,
        msg_id=msg_id,
        correl_id=correl_id,
        group_id=b"",
        token=b"",
        max_length=max_length,
        convert=None,
    )


async def connect(
    reactor: Any,
    url: str | MQUrl,
    *,
    timeout: float = DEFAULT_CONNECT_TIMEOUT,
    application: str = "mqbridge",
    **parameters: Any,
) -> DeferredQueueManager:
    """Connect to a queue manager; arguments and errors as for `bridge.client.connect`."""
    place = url if isinstance(url, MQUrl) else parse_url(url)
    given = parameters_for(place, application=application, **parameters)
    given = replace(given, handshake_timeout=timeout)
    endpoint: Any = HostnameEndpoint(reactor, place.host, place.port, timeout)
    try:
        if place.tls is None:
            protocol = ClientProtocol(reactor, given)
            await connectProtocol(endpoint, protocol)  # type: ignore[no-untyped-call]
        else:
            from mqbridge.bridge.client.tls import TlsCaller  # OpenSSL is loaded for those who use it

            from .tls import connect_inside_tls

            caller = TlsCaller(place)
            protocol = ClientProtocol(reactor, given, caller)
            await connect_inside_tls(reactor, endpoint, protocol, caller, timeout)
    except (MQError, CancelledError):
        raise
    except Exception as error:
        raise error_for(MQRC.HOST_NOT_AVAILABLE, f"{place.host}({place.port}): {error}") from error
    return DeferredQueueManager(protocol, await protocol.ready)
