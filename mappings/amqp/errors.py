"""What can be wrong with an AMQP message."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class AmqpError(MQBridgeError):
    """A message that AMQP or JMS cannot express."""


class AmqpFormatError(AmqpError):
    """Bytes that are no AMQP 1.0 message, or one beyond the limits."""


class AmqpMappingError(AmqpError):
    """A value that the other side of the mapping does not have; the text names the place and the type."""
