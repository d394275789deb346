"""The sections of an AMQP 1.0 message."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from .values import Value

MessageIdentifier: TypeAlias = "str | bytes | uuid.UUID | int | None"
"""A message id or correlation id: string, binary, uuid, ulong, or none."""


class BodyKind(Enum):
    """The sections that a body consists of."""

    NONE = "none"
    """No section; some senders omit it."""

    DATA = "data"
    """One or more data sections. The body is their bytes, joined."""

    VALUE = "value"
    """One amqp-value section. The body is its value."""

    SEQUENCE = "sequence"
    """One or more amqp-sequence sections. The body is a list of their elements."""


_NOTHING: Final[Mapping[str, Value]] = MappingProxyType({})


class AmqpProperties(NamedTuple):
    """The properties section. Texts that are absent are None, and so are numbers.

    ``message_id``, ``correlation_id``: see `MessageIdentifier`. ``absolute_expiry_time``, ``creation_time``:
    milliseconds since 1970. ``group_sequence``: 0 to 2^32 - 1.
    """

    message_id: MessageIdentifier = None
    user_id: bytes | None = None
    to: str | None = None
    subject: str | None = None
    reply_to: str | None = None
    correlation_id: MessageIdentifier = None
    content_type: str | None = None
    content_encoding: str | None = None
    absolute_expiry_time: int | None = None
    creation_time: int | None = None
    group_id: str | None = None
    group_sequence: int | None = None
    reply_to_group_id: str | None = None


class AmqpMessage(NamedTuple):
    """A message as its sections.

    ``body_kind``, ``body``: the body and what it consists of. ``durable``, ``priority``, ``ttl`` (milliseconds),
    ``first_acquirer``, ``delivery_count`` (failed deliveries before this one): the header. The keys of
    ``delivery_annotations``, ``message_annotations`` and ``footer`` are symbols, those of ``application_properties``
    strings.
    """

    body_kind: BodyKind = BodyKind.VALUE
    body: Value = None
    properties: AmqpProperties = AmqpProperties()
    application_properties: Mapping[str, Value] = _NOTHING
    message_annotations: Mapping[str, Value] = _NOTHING
    delivery_annotations: Mapping[str, Value] = _NOTHING
    footer: Mapping[str, Value] = _NOTHING
    durable: bool = False
    priority: int = 4
    ttl: int | None = None
    first_acquirer: bool = False
    delivery_count: int = 0
