"""Where messages go, and the way back for replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol, TypeAlias

from mqbridge.bridge.agents.linking.outgoing import NOT_FOUND
from mqbridge.bridge.agents.linking.requesters import Direction, Requester, Requesters
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.amqp import AddressKind, AmqpMessage, AmqpType, Scalar, reply_address
from mqbridge.mappings.amqp.addresses import DESTINATION_TYPE, REPLY_TYPE
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.constants import MQMT, MQTYPE

_QUEUE: Final = Scalar(AmqpType.BYTE, int(AddressKind.QUEUE))
_NO_ID: Final = bytes(24)

Addressed: TypeAlias = "tuple[AmqpMessage, Sequence[Operation], tuple[str, str] | None]"
"""A message as it is sent, the rows that must be on disk before, and condition and description if it cannot be sent."""


class Addressing(Protocol):
    """Where the messages of a queue go. ``address``: of the sending end; blank: each message names its own."""

    @property
    def address(self) -> str:
        """See above."""
        ...

    def address_message(self, message: Message, mapped: AmqpMessage, now: float) -> Addressed:
        """Address a message of the queue that was mapped."""
        ...


class FixedAddress:
    """All messages go to one address. A request gets ``reply_address`` as the way back, if there is one."""

    __slots__ = ("_reply_address", "_requesters", "address")

    def __init__(self, address: str, reply_address: str, requesters: Requesters) -> None:
        self.address = address
        self._reply_address = reply_address
        self._requesters = requesters

    def address_message(self, message: Message, mapped: AmqpMessage, now: float) -> Addressed:
        """Remember who asks, if the message is a request with a queue for replies."""
        queue = message.md.reply_to_q
        if not queue or not self._reply_address:
            return mapped, (), None
        ids = mapped.properties.message_id, mapped.properties.correlation_id
        requester = Requester(queue, message.md.reply_to_q_mgr)
        rows = self._requesters.remember(Direction.OURS, ids, requester, now)
        annotations = {**mapped.message_annotations, REPLY_TYPE: _QUEUE}
        properties = replace(mapped.properties, reply_to=self._reply_address)
        return replace(mapped, properties=properties, message_annotations=annotations), rows, None


class ReplyAddresses:
    """Replies, each to the address that its request named; ``address`` is blank."""

    __slots__ = ("_requesters", "address")

    def __init__(self, requesters: Requesters) -> None:
        self.address = ""
        self._requesters = requesters

    def address_message(self, message: Message, mapped: AmqpMessage, now: float) -> Addressed:
        """Find the request by the CorrelId. Without one the reply cannot be delivered."""
        self._requesters.expire(now)
        correl_id = message.md.correl_id
        found = self._requesters.find(Direction.THEIRS, correl_id)
        if found is None:
            return mapped, (), (NOT_FOUND, f"no request is known for CorrelId {correl_id.hex()}")
        given = mapped.properties.correlation_id if found.correlation is None else found.correlation
        properties = replace(mapped.properties, to=found.address, correlation_id=given)
        annotations = {**mapped.message_annotations, DESTINATION_TYPE: Scalar(AmqpType.BYTE, found.kind)}
        return replace(mapped, properties=properties, message_annotations=annotations), (), None


def without_way_back(received: AmqpMessage) -> AmqpMessage:
    """A request of the provider without its address for replies, which means nothing here."""
    return replace(received, properties=replace(received.properties, reply_to=None))


def requested(
    received: AmqpMessage, message: Message, reply_queue: tuple[str, str], requesters: Requesters, now: float
) -> tuple[Message, Sequence[Operation]]:
    """Give a request of the provider a queue here for its replies, and remember who asks.

    ``message``: its mapping, with a MsgId of ours. ``reply_queue``: queue and queue manager. Returns the message, and
    the rows to be committed with it. Raises `MQBridgeError` if the destination cannot be written into the message.
    """
    address = reply_address(received)
    assert address is not None
    queue, queue_manager = reply_queue
    answered = with_properties(message, [Property("JMSReplyTo", MQTYPE.STRING, f"queue://{queue_manager}/{queue}")])
    answered.md.msg_type = int(MQMT.REQUEST)
    answered.md.msg_id = message.md.msg_id
    kind = int(address.kind)
    by_message_id = Requester(address.name, correlation=received.properties.message_id, kind=kind)
    rows = requesters.remember(Direction.THEIRS, [message.md.msg_id], by_message_id, now)
    if message.md.correl_id != _NO_ID:
        rows += requesters.remember(Direction.THEIRS, [message.md.correl_id], Requester(address.name, kind=kind), now)
    return answered, rows
