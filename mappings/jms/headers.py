"""The header fields of a JMS message (jms-mapping.md 2, 3.1)."""

from __future__ import annotations

from typing import NamedTuple

from mqbridge.mappings.destinations import Destination


class JmsHeaders(NamedTuple):
    """Header fields and JMSX properties; times in milliseconds since the epoch, 0 for none.

    ``correlation_id``: what an application chose, or ``ID:`` and the hexadecimal digits of CorrelId; None for none.
    ``delivery_mode``: 2 persistent, 1 not. ``delivery_count``: how often it was delivered, this time included; 0 before
    the first. ``delivery_time``: until when the send was delayed.

    Of a message to be sent, ``message_id``, ``destination``, ``delivery_count``, ``user_id`` and ``app_id`` are what
    somebody else said of it: they are not written, the send and the queue manager set them.
    """

    message_id: str | None = None
    timestamp: int = 0
    correlation_id: str | None = None
    reply_to: Destination | None = None
    destination: Destination | None = None
    delivery_mode: int = 2
    type: str | None = None
    expiration: int = 0
    priority: int = 4
    delivery_count: int = 0
    delivery_time: int = 0
    group_id: str | None = None
    group_seq: int | None = None
    user_id: str | None = None
    app_id: str | None = None

    @property
    def redelivered(self) -> bool:
        """JMSRedelivered: whether it was delivered before."""
        return self.delivery_count > 1
