"""Addresses in messages: ``to`` and ``reply-to``, and the annotations that say what is there."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from .message import AmqpMessage
from .values import AmqpType, Scalar, Value

DESTINATION_TYPE: Final = "x-opt-jms-dest"
REPLY_TYPE: Final = "x-opt-jms-reply-to"
_OLD_DESTINATION_TYPE: Final = "x-opt-to-type"
_OLD_REPLY_TYPE: Final = "x-opt-reply-type"


class AddressKind(IntEnum):
    """What is at an address; the numbers are those of the annotations."""

    QUEUE = 0
    TOPIC = 1
    TEMPORARY_QUEUE = 2
    TEMPORARY_TOPIC = 3

    @property
    def is_topic(self) -> bool:
        """Whether it is a topic, temporary or not."""
        return self in (AddressKind.TOPIC, AddressKind.TEMPORARY_TOPIC)


_KINDS: Final[dict[object, AddressKind]] = {int(kind): kind for kind in AddressKind}


class Address(NamedTuple):
    """A node of the provider."""

    name: str
    kind: AddressKind = AddressKind.QUEUE


def destination_address(message: AmqpMessage, default: AddressKind = AddressKind.QUEUE) -> Address | None:
    """Where a message was sent to; ``default``: the kind where no annotation says it."""
    name = message.properties.to
    return _address(name, message.message_annotations, DESTINATION_TYPE, _OLD_DESTINATION_TYPE, default)


def reply_address(message: AmqpMessage, default: AddressKind = AddressKind.QUEUE) -> Address | None:
    """Where replies to a message go; ``default``: the kind where no annotation says it."""
    name = message.properties.reply_to
    return _address(name, message.message_annotations, REPLY_TYPE, _OLD_REPLY_TYPE, default)


def _address(
    name: str | None, annotations: Mapping[str, Value], key: str, old_key: str, default: AddressKind
) -> Address | None:
    if not name:
        return None
    value = annotations.get(key)
    if isinstance(value, Scalar) and value.type is AmqpType.BYTE and value.value in _KINDS:
        return Address(name, _KINDS[value.value])
    value = annotations.get(old_key)
    words = {word.strip() for word in value.split(",")} if isinstance(value, str) else set()
    if "topic" in words:
        return Address(name, AddressKind.TEMPORARY_TOPIC if "temporary" in words else AddressKind.TOPIC)
    if "queue" in words:
        return Address(name, AddressKind.TEMPORARY_QUEUE if "temporary" in words else AddressKind.QUEUE)
    return Address(name, default)
