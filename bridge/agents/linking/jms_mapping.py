"""Messages of queues as JMS messages, and these as AMQP messages, and back: what links use."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.amqp import Address, AddressKind, AmqpMessage, from_amqp, to_amqp
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import date_of, put_date_and_time
from mqbridge.protocol.constants import MQAT

TOPIC_SCHEME: Final = "topic://"
NOBODY: Final = "UNKNOWN"
"""Name of the destination of a message that has none here."""


def address_of(text: str) -> Address | None:
    """The address that a configuration names: ``topic://NAME`` is a topic, any other a queue; None if blank."""
    if not text:
        return None
    if text.startswith(TOPIC_SCHEME):
        return Address(text.removeprefix(TOPIC_SCHEME), AddressKind.TOPIC)
    return Address(text)


class JmsMapping:
    """The `MessageMapping` of `mappings.jms` and `mappings.amqp`. ``name``: of the link, which is the application that
    has put the messages of the provider."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name[:28]

    def to_provider(self, message: Message, address: str, now: float) -> AmqpMessage:
        """See `MessageMapping`."""
        return to_amqp(JmsMessage.of(message), now=date_of(now), to=address_of(address))

    def to_queue(self, message: AmqpMessage, queue: str, now: float) -> Message:
        """See `MessageMapping`."""
        now = date_of(now)
        there = Destination.parse(queue) if "://" in queue else Destination.queue(queue or NOBODY)
        mapped = from_amqp(message, now=now, destination=there).message(now=now)
        md = mapped.md
        if not md.put_appl_name:
            md.put_appl_type, md.put_appl_name = int(MQAT.QMGR), self._name
        if not md.put_date:
            md.put_date, md.put_time = put_date_and_time(now)
        return mapped
