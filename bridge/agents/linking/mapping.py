"""How messages of queues become messages of the provider, and back, as a link uses it."""

from __future__ import annotations

from typing import Protocol

from mqbridge.mappings.amqp import AmqpMessage
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time


class MessageMapping(Protocol):
    """The mapping of messages; what concerns requests and duplicates the link does itself."""

    def to_provider(self, message: Message, address: str, now: Time) -> AmqpMessage:
        """Map a message of a queue for an address of the provider. ``now``: seconds since 1970. Raises `MQBridgeError`
        if AMQP cannot express it."""
        ...

    def to_queue(self, message: AmqpMessage, queue: str, now: Time) -> Message:
        """Map a message of the provider for a queue, or for a destination that is given by its URI; blank: for nobody.
        ``now``: seconds since 1970. Raises `MQBridgeError` if JMS cannot express it."""
        ...
