"""A mapping of messages that keeps only what a link looks at: data, ids, persistence."""

from __future__ import annotations

from mqbridge.mappings.amqp import AmqpMessage, AmqpProperties, BodyKind
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import ProtocolError

UNMAPPABLE = b"cannot be mapped"


class PlainMapping:
    """Data as one data section; message-id and correlation-id as ``ID:`` and hexadecimal digits."""

    def to_provider(self, message: Message, address: str, now: float) -> AmqpMessage:
        if message.data.startswith(UNMAPPABLE):
            raise ProtocolError("no AMQP type for this")
        md = message.md
        return AmqpMessage(
            BodyKind.DATA,
            message.data,
            AmqpProperties(
                message_id=f"ID:{md.msg_id.hex()}",
                correlation_id=f"ID:{md.correl_id.hex()}" if any(md.correl_id) else None,
                to=address,
            ),
            durable=bool(md.persistence),
        )

    def to_queue(self, message: AmqpMessage, queue: str, now: float) -> Message:
        data = message.body
        if not isinstance(data, bytes) or data.startswith(UNMAPPABLE):
            raise ProtocolError("JMS has no such body")
        correlation = message.properties.correlation_id
        correl_id = bytes(24)
        if isinstance(correlation, str) and correlation.startswith("ID:") and len(correlation) == 51:
            correl_id = bytes.fromhex(correlation[3:])
        elif correlation is not None:
            correl_id = str(correlation).encode()[:24].ljust(24, b"\0")
        return Message.build(
            data,
            format="MQSTR",
            persistence=int(message.durable and "persistence=1" not in queue),
            correl_id=correl_id,
            expiry=-1,
            priority=4,
        )
