"""Where messages go, and the way back for replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from mqbridge.bridge.agents.linking.outgoing import NOT_FOUND
from mqbridge.bridge.agents.linking.requesters import Direction, Requester, Requesters
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.amqp import AddressKind, AmqpMessage, AmqpType, Scalar, reply_address
from mqbridge.mappings.amqp.addresses import DESTINATION_TYPE, REPLY_TYPE
from mqbridge.mappings.destinations import DestinationKind
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.properties import Property
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQFMT, MQMT, MQTYPE

_QUEUE: Final = Scalar(AmqpType.BYTE, int(AddressKind.QUEUE))
_NO_ID: Final = bytes(24)

_REPLY_DESTINATIONS: Final = b"<Rto", b"<\0R\0t\0o"
"""The element ``jms.Rto`` of an MQRFH2, in UTF-8 and in UCS-2."""
_SEARCHED: Final = 65536
"""Bytes of a message in which that element is looked for."""


class Addressed(NamedTuple):
    """A message as it is sent. ``rows`` must be on disk before. ``refusal``: condition and description, if it cannot be
    sent. ``requester``: of a reply; its record in doubt keeps it."""

    message: AmqpMessage
    rows: Sequence[Operation] = ()
    refusal: tuple[str, str] | None = None
    requester: Requester | None = None


class Addressing(Protocol):
    """Where the messages of a queue go. ``address``: of the sending end; blank: each message names its own."""

    @property
    def address(self) -> str:
        """See above."""
        ...

    def address_message(
        self, message: Message, mapped: AmqpMessage, now: Time, requester: Requester | None = None
    ) -> Addressed:
        """Address a message of the queue that was mapped. ``requester``: of a reply in doubt. Raises `MQBridgeError` if
        the message does not say clearly where its replies go."""
        ...


class FixedAddress:
    """All messages go to one address. A request gets ``reply_address`` as the way back, if there is one."""

    __slots__ = ("_reply_address", "_requesters", "address")

    def __init__(self, address: str, reply_address: str, requesters: Requesters) -> None:
        self.address = address
        self._reply_address = reply_address
        self._requesters = requesters

    def address_message(
        self, message: Message, mapped: AmqpMessage, now: Time, _requester: Requester | None = None
    ) -> Addressed:
        """Remember who asks, if the message is a request with a queue or topic for replies."""
        requester = _who_asks(message) if self._reply_address else None
        if requester is None:
            return Addressed(mapped)
        ids = mapped.properties.message_id, mapped.properties.correlation_id
        rows = self._requesters.remember(Direction.OURS, ids, requester, now)
        annotations = {**mapped.message_annotations, REPLY_TYPE: _QUEUE}
        properties = mapped.properties._replace(reply_to=self._reply_address)
        return Addressed(mapped._replace(properties=properties, message_annotations=annotations), rows)


class ReplyAddresses:
    """Replies, each to the address that its request named; ``address`` is blank."""

    __slots__ = ("_requesters", "address")

    def __init__(self, requesters: Requesters) -> None:
        self.address = ""
        self._requesters = requesters

    def address_message(
        self, message: Message, mapped: AmqpMessage, now: Time, requester: Requester | None = None
    ) -> Addressed:
        """Find the request by JMSCorrelationID, which may be longer than the CorrelId, else by that. Without one, or
        with several, the reply cannot be delivered."""
        found = requester
        if found is None:
            self._requesters.expire(now)
            find = self._requesters.find
            found = find(Direction.THEIRS, mapped.properties.correlation_id)
            found = found or find(Direction.THEIRS, message.md.correl_id)
        if found is None or found.ambiguous:
            why = "no request is known for" if found is None else "several programs have sent requests with"
            return Addressed(mapped, refusal=(NOT_FOUND, f"{why} CorrelId {message.md.correl_id.hex()}"))
        given = mapped.properties.correlation_id if found.correlation is None else found.correlation
        properties = mapped.properties._replace(to=found.address, correlation_id=given)
        annotations = {**mapped.message_annotations, DESTINATION_TYPE: Scalar(AmqpType.BYTE, found.kind)}
        return Addressed(mapped._replace(properties=properties, message_annotations=annotations), requester=found)


def _who_asks(message: Message) -> Requester | None:
    """Where the replies to a message of a queue go; None if it is no request. Raises `JmsFormatError`."""
    md = message.md
    if not md.reply_to_q:
        head = message.data[:_SEARCHED] if md.format == MQFMT.RF_HEADER_2 else b""
        if not any(each in head for each in _REPLY_DESTINATIONS):
            return None
    found = JmsMessage.of(message).reply_to
    if found is None:
        return None
    if found.kind is DestinationKind.TOPIC:
        return Requester(found.uri, kind=int(AddressKind.TOPIC))
    return Requester(found.name, found.queue_manager, uri=found.uri if found.properties else "")


def without_way_back(received: AmqpMessage) -> AmqpMessage:
    """A request of the provider without its address for replies, which means nothing here."""
    return received._replace(properties=received.properties._replace(reply_to=None))


def requested(
    received: AmqpMessage, message: Message, reply_queue: tuple[str, str], requesters: Requesters, now: Time
) -> tuple[Message, Sequence[Operation]]:
    """Give a request of the provider a queue here for its replies, and remember who asks.

    ``message``: its mapping, with a MsgId of ours. ``reply_queue``: queue and queue manager. Returns the message, and
    the rows to be committed with it. Raises `MQBridgeError` if the destination cannot be written into the message.
    """
    address = reply_address(received)
    assert address is not None
    queue, queue_manager = reply_queue
    host = "" if "/" in queue_manager else queue_manager  # a URI cannot name such a queue manager
    answered = with_properties(message, [Property("JMSReplyTo", MQTYPE.STRING, f"queue://{host}/{queue}")])
    answered.md.msg_type = int(MQMT.REQUEST)
    answered.md.msg_id = message.md.msg_id
    kind = int(address.kind)
    by_message_id = Requester(address.name, correlation=received.properties.message_id, kind=kind)
    rows = requesters.remember(Direction.THEIRS, [message.md.msg_id], by_message_id, now)
    correlation = received.properties.correlation_id
    if message.md.correl_id != _NO_ID:
        by_correlation = Requester(address.name, correlation=correlation, kind=kind)
        rows += requesters.remember(Direction.THEIRS, [correlation, message.md.correl_id], by_correlation, now)
    return answered, rows
