"""Messages of queues as JMS messages, and these as AMQP messages, and back: what links use."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mqbridge.mappings.amqp import (
    Address,
    AddressKind,
    AmqpMappingError,
    AmqpMessage,
    from_amqp,
    quick_from_amqp,
    quick_to_amqp,
    to_amqp,
)
from mqbridge.mappings.descriptor import encode_field, patcher
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time, date_of, put_date_and_time
from mqbridge.mappings.properties import MAX_TAGS, headers_of, too_many_tags
from mqbridge.protocol.constants import MQAT, ByteOrder

TOPIC_SCHEME: Final = "topic://"
NOBODY: Final = "UNKNOWN"
"""Name of the destination of a message that has none here."""
_QMGR: Final = int(MQAT.QMGR)
_SET_ORIGIN: Final = {
    order: patcher(order, "put_appl_type", "put_appl_name", "put_date", "put_time") for order in ByteOrder
}
_HEADER_LENGTH: Final = slice(8, 12)
"""StrucLength of an MQRFH2."""
_text = lru_cache(maxsize=64)(encode_field)


@lru_cache(maxsize=1000)
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

    def to_provider(self, message: Message, address: str, now: Time) -> AmqpMessage:
        """See `MessageMapping`."""
        now, to = date_of(now), address_of(address)
        quick = quick_to_amqp(message, now=now, to=to)
        return to_amqp(JmsMessage.of(message, now=now), now=now, to=to) if quick is None else quick

    def to_queue(self, message: AmqpMessage, queue: str, now: Time) -> Message:
        """See `MessageMapping`."""
        now = date_of(now)
        there = _destination(queue)
        mapped = quick_from_amqp(message, destination=there)
        if mapped is None:
            mapped = from_amqp(message, now=now, destination=there).message(now=now)
        if int.from_bytes(mapped.data[_HEADER_LENGTH], "big") > MAX_TAGS:  # a shorter header has no room for so many
            _check_tags(mapped)
        ccsid, (date, clock) = mapped.ccsid, put_date_and_time(now)
        name, *moment = _text(self._name, 28, ccsid), _text(date, 8, ccsid), _text(clock, 8, ccsid)
        mapped.raw_md = _SET_ORIGIN[mapped.order](mapped.raw_md, _QMGR, name, *moment)
        return mapped


def _check_tags(message: Message) -> None:
    """Raise `AmqpMappingError` if a message has more in its header than is read of one."""
    chain = headers_of(message)
    if chain is not None and too_many_tags(chain):
        raise AmqpMappingError(f"more than {MAX_TAGS} tags and references in header fields and properties")


@lru_cache(maxsize=256)
def _destination(text: str) -> Destination:
    return Destination.parse(text, conforming=False) if "://" in text else Destination.queue(text or NOBODY)
