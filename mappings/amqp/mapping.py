"""JMS messages as AMQP messages and back, as Qpid JMS maps them.

What has no counterpart is not carried: properties JMS_IBM_…, JMSXAppID, and to a provider JMSXDeliveryCount, which it
counts itself.
"""

from __future__ import annotations

from typing import Any, Final

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsFormatError, JmsMessage, Typed

from .addresses import DESTINATION_TYPE, REPLY_TYPE, Address
from .bodies import MESSAGE_TYPE, TYPE_NUMBERS, amqp_body, jms_body
from .errors import AmqpMappingError
from .identifiers import correlation_id_of_mq, identifier_of, identifier_of_mq, message_id_text
from .message import AmqpMessage, AmqpProperties
from .typed_values import amqp_value, jms_value
from .types import subject_of_mq, type_of_mq
from .values import AmqpType, Scalar, Value

DELIVERY_TIME: Final = "x-opt-delivery-time"
REPLY_GROUP: Final = "JMS_AMQP_REPLY_TO_GROUP_ID"
"""The property by which Qpid JMS shows the field reply-to-group-id."""
_UNKNOWN_TO_JMS: Final = ("JMS_IBM_", "JMSX")
_MAX_UINT: Final = (1 << 32) - 1
_SIGN: Final = 1 << 31
HIGHEST_PRIORITY: Final = 9
PERSISTENT: Final = 2
NON_PERSISTENT: Final = 1


def to_amqp(
    jms: JmsMessage,
    *,
    now: float,
    to: Address | None = None,
    reply_to: Address | None = None,
    with_user: bool = False,
) -> AmqpMessage:
    """Return the AMQP message that Qpid JMS would send for a JMS message.

    ``now``: seconds since 1970. ``to``, ``reply_to``: addresses at the provider; what a message says itself are
    destinations of ours. ``with_user``: whether JMSXUserID becomes the field user-id, which providers may compare with
    the user of the connection. Raises `AmqpMappingError`, and `JmsFormatError` where the message is malformed.
    """
    headers = jms.headers
    kind, body, content_type = amqp_body(jms)
    properties = {name: amqp_value(value) for name, value in jms.properties.items() if name != REPLY_GROUP}
    group = jms.properties.get(REPLY_GROUP)
    annotations: dict[str, Value] = {MESSAGE_TYPE: Scalar(AmqpType.BYTE, TYPE_NUMBERS[jms.kind])}
    for key, address in ((DESTINATION_TYPE, to), (REPLY_TYPE, reply_to)):
        if address is not None:
            annotations[key] = Scalar(AmqpType.BYTE, int(address.kind))
    if headers.delivery_time > now * 1000:
        annotations[DELIVERY_TIME] = headers.delivery_time
    user = headers.user_id if with_user else None
    return AmqpMessage(
        body_kind=kind,
        body=body,
        properties=AmqpProperties(
            message_id=identifier_of(headers.message_id),
            user_id=None if user is None else user.encode(),
            to=None if to is None else to.name,
            subject=subject_of_mq(headers.type),
            reply_to=None if reply_to is None else reply_to.name,
            correlation_id=identifier_of_mq(headers.correlation_id),
            content_type=content_type,
            absolute_expiry_time=headers.expiration or None,
            creation_time=headers.timestamp or None,
            group_id=headers.group_id,
            group_sequence=None if headers.group_seq is None else headers.group_seq & _MAX_UINT,
            reply_to_group_id=None if group is None or group.value is None else str(group.value),
        ),
        application_properties=properties,
        message_annotations=annotations,
        durable=headers.delivery_mode == PERSISTENT,
        priority=headers.priority,
        ttl=time_to_live(headers.expiration, now),
    )


def time_to_live(expiration: int, now: float) -> int | None:
    """Milliseconds that are left, at least one, since 0 would be none at all; None if the message does not expire, or
    so late that only the field absolute-expiry-time can say it."""
    if not expiration:
        return None
    left = max(expiration - int(now * 1000), 1)
    return left if left <= _MAX_UINT else None


def from_amqp(
    message: AmqpMessage,
    *,
    now: float,
    destination: Destination | None = None,
    reply_to: Destination | None = None,
) -> JmsMessage:
    """Return the JMS message that Qpid JMS would receive, with a JMSCorrelationID and a JMSType that MQ can have.

    ``now``: seconds since 1970, from which a time to live counts. ``destination``, ``reply_to``: ours; what the message
    says itself are addresses of the provider (`destination_address`, `reply_address`). Raises `AmqpMappingError` for
    values, names and bodies that JMS does not have.
    """
    kind, body = jms_body(message)
    fields = message.properties
    sequence = fields.group_sequence
    try:
        return JmsMessage(
            kind,
            body,
            properties=application_properties(message),
            type=type_of_mq(kind, fields.subject),
            correlation_id=correlation_id_of_mq(fields.correlation_id),
            reply_to=reply_to,
            delivery_mode=PERSISTENT if message.durable else NON_PERSISTENT,
            priority=min(message.priority, HIGHEST_PRIORITY),
            expiration=_expiration(message, now),
            timestamp=fields.creation_time or 0,
            delivery_time=_delivery_time(message),
            group_id=fields.group_id,
            group_seq=None if sequence is None else (sequence ^ _SIGN) - _SIGN,
            message_id=message_id_text(fields.message_id),
            destination=destination,
            delivery_count=message.delivery_count + 1,
            user_id=_user(fields.user_id),
            foreign=True,
        )
    except JmsFormatError as error:
        raise AmqpMappingError(f"JMS does not have this: {error}") from error


def application_properties(message: AmqpMessage) -> dict[str, Typed]:
    """Return the properties of a message as JMS has them. Raises `AmqpMappingError`."""
    found = {}
    for name, value in message.application_properties.items():
        if name.startswith(_UNKNOWN_TO_JMS):
            continue
        typed = jms_value(value, f"the property {name[:80]}")
        if typed.dt == "bin.hex":
            raise AmqpMappingError(f"the property {name[:80]} is binary, which JMS does not have")
        found[name] = Typed(typed.value, "string") if typed.dt == "char" else typed
    group = message.properties.reply_to_group_id
    if group:
        found[REPLY_GROUP] = Typed(group, "string")
    return found


def _expiration(message: AmqpMessage, now: float) -> int:
    absolute = message.properties.absolute_expiry_time
    if absolute is not None:
        return max(absolute, 0)
    return int(now * 1000) + message.ttl if message.ttl else 0


def _delivery_time(message: AmqpMessage) -> int:
    value: Any = message.message_annotations.get(DELIVERY_TIME)
    if isinstance(value, Scalar):
        value = value.value
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise AmqpMappingError(f"the annotation {DELIVERY_TIME} is no time")
    return max(value, 0)


def _user(user: bytes | None) -> str | None:
    if not user:
        return None
    try:
        return user.decode()
    except UnicodeDecodeError as error:
        raise AmqpMappingError("the field user-id is not UTF-8") from error
