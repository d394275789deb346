"""A connection to a queue manager for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from mqbridge.mappings.properties import Property
from mqbridge.protocol.constants import MQCC, MQOT, MQPMO
from mqbridge.protocol.mqi_client import Calls, MessageTooLong, ObjectName, PutStatus, put_status

from .errors import MQError, error_for
from .keeper import keep
from .link import DEFAULT_CONNECT_TIMEOUT, ClientLink, parameters_for
from .message import Message, Value
from .objects import GetArguments, check, message_id, put_bits, result, wire_message
from .queue import OpenObject, Queue, Topic
from .subscription import Subscription
from .url import MQUrl, UrlError, from_environment, parse_url

if TYPE_CHECKING:
    from mqbridge.bridge.security.tls import TlsConnection

MAX_KEPT_QUEUES: Final = 32
"""Number of queues that ``get`` keeps open."""
_RETAIN: Final = int(MQPMO.RETAIN)
_MODEL: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"


class QueueManager:
    """A connection, created by `connect`.

    As a context manager it is disconnected at the end, which commits; if an exception ends it, work is backed out and
    the connection closed. Calls of several threads are serialised.
    """

    def __init__(self, link: ClientLink) -> None:
        self.link = link
        connected = link.connected
        assert connected is not None
        self.name: str = connected.queue_manager
        self.order = connected.order
        self.ccsid: int = connected.ccsid
        self.max_message_length: int = connected.agreed.max_message_length
        self._depth = 0
        self._queues: dict[str, Queue] = {}
        keep(self)

    # Messages

    def put(
        self,
        queue: str,
        body: str | bytes | Message,
        *,
        persistent: bool | None = None,
        correl_id: bytes = b"",
        properties: Mapping[str, Value | Property] | None = None,
        syncpoint: bool | None = None,
        queue_manager: str = "",
        options: int = 0,
        **fields: Any,
    ) -> bytes:
        """Put one message on a queue without opening it (MQPUT1); see `Queue.put`."""
        name = ObjectName(name=queue, queue_manager=queue_manager)
        return self._put1(name, queue, body, persistent, correl_id, properties, syncpoint, options, fields)

    def publish(
        self,
        topic: str,
        body: str | bytes | Message,
        *,
        retain: bool = False,
        persistent: bool | None = None,
        properties: Mapping[str, Value | Property] | None = None,
        syncpoint: bool | None = None,
        options: int = 0,
        **fields: Any,
    ) -> bytes:
        """Publish one message to a topic string. ``retain``: as a retained publication."""
        name = ObjectName(type=MQOT.TOPIC, string=topic)
        bits = options | (_RETAIN if retain else 0)
        return self._put1(name, topic, body, persistent, b"", properties, syncpoint, bits, fields)

    def _put1(
        self,
        name: ObjectName,
        shown: str,
        body: str | bytes | Message,
        persistent: bool | None,
        correl_id: bytes,
        properties: Mapping[str, Value | Property] | None,
        syncpoint: bool | None,
        options: int,
        fields: dict[str, Any],
    ) -> bytes:
        descriptor, data = wire_message(self.order, self.ccsid, body, persistent, correl_id, properties, fields)
        bits = put_bits(self.in_transaction if syncpoint is None else syncpoint, options)
        try:
            call = self.link.do(Calls.put1, name, descriptor, data, bits)
        except MessageTooLong as error:
            raise error_for(error.reason, str(error)) from error
        return result(call, message_id, shown)

    def get(self, queue: str, **how: Unpack[GetArguments]) -> Message | None:
        """Get one message from a queue, which stays open for further gets; arguments as for `Queue.get`."""
        return self._kept(queue).get(**how)

    def browse(self, queue: str, **how: Any) -> Iterator[Message]:
        """Browse the messages of a queue; arguments as for `Queue.browse`."""
        with Queue(self, queue) as opened:
            yield from opened.browse(**how)

    def _kept(self, name: str) -> Queue:
        queue = self._queues.get(name)
        if queue is None:
            if len(self._queues) >= MAX_KEPT_QUEUES:
                self._queues.pop(next(iter(self._queues))).close()
            queue = self._queues[name] = Queue(self, name)
        return queue

    # Objects

    def queue(self, name: str, *, queue_manager: str = "", dynamic_name: str = "AMQ.*") -> Queue:
        """A queue, opened when it is first used. For a model queue ``dynamic_name`` is the pattern of the dynamic
        queue's name."""
        return Queue(self, name, queue_manager, dynamic_name)

    def temporary_queue(self, model: str = _MODEL, dynamic_name: str = "AMQ.*") -> Queue:
        """A new dynamic queue; its name is `Queue.dynamic_name`. Raises `MQError`."""
        queue = Queue(self, model, "", dynamic_name)
        queue.name = queue.dynamic_name
        return queue

    def topic(self, string: str, *, name: str = "") -> Topic:
        """A topic to publish to. ``name``: of a topic object."""
        return Topic(self, string, name)

    def subscribe(
        self, topic: str, *, durable: str = "", selector: str = "", object_name: str = "", options: int = 0
    ) -> Subscription:
        """Subscribe to a topic string; see `Subscription`."""
        return Subscription(self, topic, durable=durable, selector=selector, object_name=object_name, options=options)

    def inquire(self, *attributes: Any) -> dict[Any, Any]:
        """Return attributes of the queue manager; see `Queue.inquire`."""
        with OpenObject(self, ObjectName(type=MQOT.Q_MGR), self.name) as opened:
            return opened.inquire(*attributes)

    # Units of work

    @property
    def in_transaction(self) -> bool:
        """Whether a `transaction` is open."""
        return self._depth > 0

    def commit(self) -> None:
        """Commit. Raises `BackedOut` (2003) if the unit was backed out instead, `MQError`."""
        call = self.link.do(Calls.commit)
        if call.comp_code != MQCC.OK:
            raise error_for(call.reason, "commit")

    def backout(self) -> None:
        """Back out. Raises `MQError`."""
        check(self.link.do(Calls.backout), "backout")

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """A context in which puts and gets are one unit of work: committed at the end, backed out by an exception."""
        if self._depth:
            raise RuntimeError("a transaction is open already")
        self._depth += 1
        try:
            yield self
        except BaseException:
            with suppress(MQError):
                if not self.link.closed:
                    self.backout()
            raise
        else:
            self.commit()
        finally:
            self._depth -= 1

    def put_status(self) -> PutStatus:
        """Outcomes of asynchronous puts (MQPMO_ASYNC_RESPONSE) since the last call. Raises `MQError`."""
        return result(self.link.do(Calls.ask_status), put_status, "status")

    # The end

    @property
    def tls(self) -> TlsConnection | None:
        """What TLS agreed: protocol, CipherSpec, the queue manager's certificate; None for a plain connection."""
        return self.link.tls

    @property
    def quiescing(self) -> bool:
        """Whether the queue manager or the connection is ending, so that the program should disconnect."""
        return self.link.machine.quiescing is not None

    def disconnect(self) -> None:
        """Disconnect, which commits (MQDISC). Raises `MQError`."""
        self._queues.clear()
        call = self.link.disconnect()
        if call is not None:
            check(call, "disconnect")

    def abort(self) -> None:
        """Close the connection without MQDISC; uncommitted work is backed out."""
        self._queues.clear()
        self.link.abort()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.disconnect()
            return
        with suppress(MQError):
            if not self.link.closed:
                self.backout()
                self.disconnect()
        self.abort()

    def __repr__(self) -> str:
        return f"<QueueManager {self.name} at {self.link.url}>"


def connect(
    url: str | MQUrl | None = None,
    *,
    timeout: float = DEFAULT_CONNECT_TIMEOUT,
    application: str = "mqbridge",
    **parameters: Any,
) -> QueueManager:
    """Connect to a queue manager: IBM MQ of any version, or mqbridge.

    ``url``: ``mq://[user[:password]@]host[:port]/QMGR?channel=NAME``, or ``mqs://`` for TLS, with the options of
    `TlsSettings`; None: from MQSERVER and MQSSLKEYR. ``timeout``: seconds to connect and sign on. ``application``:
    application name shown at the queue manager. Other parameters are those of
    `protocol.mqi_client.ClientParameters`: ``reply_timeout``, ``heartbeat_interval``, ``shared_conversations``,
    ``max_message_length`` …

    Without TLS, passwords are sent in clear. Raises `NotReachable`, `NotAuthorized`, `TlsFailed`, `MQError`,
    `UrlError`.
    """
    if url is None:
        place = from_environment()
        if place is None:
            raise UrlError("no URL was given, and MQSERVER is not set")
    else:
        place = url if isinstance(url, MQUrl) else parse_url(url)
    return QueueManager(ClientLink(place, parameters_for(place, application=application, **parameters), timeout))
