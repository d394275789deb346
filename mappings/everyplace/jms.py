"""The transformer ``jms``: JMS messages of Everyplace as MQ has them, with MQRFH2, and back (jms-mapping.md 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mqbridge.mappings.destinations import Destination, DestinationError, DestinationKind
from mqbridge.mappings.jms import JmsFormatError, Typed
from mqbridge.mappings.jms import JmsMessage as MqJmsMessage
from mqbridge.mappings.jms.receiving import ReceivedMessage
from mqbridge.mappings.jms_headers import KIND_OF_DOMAIN, NO_ID
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQFMT, MQPMO
from mqbridge.protocol.errors import ConversionError, MQBridgeError
from mqbridge.protocol.everyplace import jms_fields as names
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.jms_fields import JmsKind
from mqbridge.protocol.everyplace.jms_message import JmsMessage, group_of, is_jms
from mqbridge.protocol.everyplace.message import Message as EveryplaceMessage
from mqbridge.protocol.everyplace.mq_style import IN_HEADER
from mqbridge.protocol.everyplace.names import Address

from .base import BaseTransformer
from .descriptor_fields import common_values, read_common
from .transformer import Outgoing

_KINDS: Final = {JmsKind.TEXT: "text", JmsKind.BYTES: "bytes", JmsKind.OBJECT: "object", JmsKind.NONE: "none"}
_CLASSES: Final = {kind: each for each, kind in _KINDS.items()}
_TYPES: Final = {
    FieldType.BOOLEAN: "boolean",
    FieldType.BYTE: "i1",
    FieldType.SHORT: "i2",
    FieldType.INT: "i4",
    FieldType.LONG: "i8",
    FieldType.FLOAT: "r4",
    FieldType.DOUBLE: "r8",
    FieldType.UNICODE: "string",
    FieldType.ASCII: "string",
}
_FIELD_TYPES: Final = {dt: kind for kind, dt in _TYPES.items() if kind is not FieldType.ASCII} | {
    "null": FieldType.UNICODE
}
_GROUP: Final = ("JMSXGroupID", "JMSXGroupSeq")


class JmsTransformer:
    """JMS messages of the kinds that both have, text, bytes, object and none; all else as the base transformer.

    That includes maps and streams, replies to a topic, and names of properties that no field can have.
    """

    def __init__(self) -> None:
        self._base = BaseTransformer()

    def activate(self, parameters: Sequence[str]) -> None:
        """See `Transformer`."""
        self._base.activate(parameters)

    def to_mq(self, message: EveryplaceMessage, queue: Address, options: MQPMO, now: float) -> Outgoing:
        """See `Transformer`. Raises also BRIDGE_MQ_REFUSED for what a JMS message of MQ cannot have."""
        if not is_jms(message) or not all(name in names.FIELDS or name in IN_HEADER for name in message):
            return self._base.to_mq(message, queue, options, now)
        return Outgoing(jms_to_mq(message, queue, now), options)

    def from_mq(self, message: Message, target: Address, now: float) -> EveryplaceMessage:
        """See `Transformer`."""
        try:
            found = jms_from_mq(message, now)
        except (ConversionError, DestinationError, EveryplaceError, JmsFormatError):
            found = None
        return self._base.from_mq(message, target, now) if found is None else found


def jms_to_mq(message: EveryplaceMessage, queue: Address, now: float) -> Message:
    """Return the message that IBM's JMS client would send to a queue. Raises `EveryplaceError`."""
    jms = JmsMessage.of(message)
    header = common_values(_without_correlation(message), now)
    properties: dict[str, Any] = {}
    for group in (names.JMS_PROPERTIES, names.JMSX_PROPERTIES):
        fields = group_of(message, group)
        for name in fields or ():
            assert fields is not None
            if group == names.JMS_PROPERTIES or name in _GROUP:
                properties[name] = _typed(fields, name)
    reply_to, reply_to_manager = message.reply_to
    try:
        sent = MqJmsMessage(
            _KINDS[jms.kind],
            jms.body,
            properties=properties,
            type=jms.type,
            correlation_id=jms.correlation_id,
            reply_to=Destination.queue(reply_to, reply_to_manager) if reply_to else None,
            delivery_mode=jms.delivery_mode,
            priority=jms.priority,
            expiration=jms.expiration,
            timestamp=jms.timestamp,
            foreign=True,
        )
        found = sent.message(Destination.queue(queue.queue, queue.queue_manager), now=now)
        found.md.msg_id = _message_id(jms)
        found.md.expiry = header["expiry"]
    except MQBridgeError as error:
        raise EveryplaceError(Code.BRIDGE_MQ_REFUSED, f"JMS message {message.uid}: {error}") from None
    return found


def jms_from_mq(message: Message, now: float) -> EveryplaceMessage | None:
    """Return the JMS message that a message with MQRFH2 is; None if it is none that Everyplace can have.

    Raises `JmsFormatError`, `EveryplaceError`.
    """
    if message.md.format.rstrip() != MQFMT.RF_HEADER_2:
        return None
    received = ReceivedMessage(message, None, now, True)
    if received.mcd().get("Msd") not in KIND_OF_DOMAIN:
        return None
    kind = _CLASSES.get(received.kind())
    headers = received.headers()
    reply_to = headers.reply_to
    if kind is None or (reply_to is not None and reply_to.kind is not DestinationKind.QUEUE):
        return None
    body = received.body()
    assert body is None or isinstance(body, str | bytes)
    jms = JmsMessage(kind, body)
    read_common(jms.message, message.md, now)
    if message.md.correl_id != NO_ID or headers.correlation_id is not None:
        jms.correlation_id = headers.correlation_id
    jms.message.reply_to = ("", "") if reply_to is None else (reply_to.name, reply_to.queue_manager)
    jms.delivery_mode, jms.type, jms.expiration = headers.delivery_mode, headers.type, headers.expiration
    others = {names.TIMESTAMP: (headers.timestamp, FieldType.LONG)}
    put_in(jms.message, names.JMS_HEADER, {**others, names.REDELIVERED: (headers.redelivered, FieldType.BOOLEAN)})
    extra = {
        "JMSXGroupID": (headers.group_id, FieldType.UNICODE),
        "JMSXGroupSeq": (headers.group_seq, FieldType.INT),
        "JMSXUserID": (headers.user_id, FieldType.UNICODE),
        "JMSXAppID": (headers.app_id, FieldType.UNICODE),
        "JMSXDeliveryCount": (headers.delivery_count, FieldType.INT),
    }
    put_in(jms.message, names.JMSX_PROPERTIES, {name: each for name, each in extra.items() if each[0] is not None})
    put_in(jms.message, names.JMS_PROPERTIES, _fields(received.properties()))
    put_in(jms.message, names.PROVIDER_PROPERTIES, _fields(received.provider_properties()))
    return jms.message


def put_in(message: EveryplaceMessage, group: str, values: dict[str, tuple[Any, FieldType]]) -> None:
    """Put values into a fields object of a message. Raises `EveryplaceError` SYNTAX for names that no field has."""
    fields = group_of(message, group) or Fields()
    for name, (value, kind) in values.items():
        fields.put(name, value, kind)
    if len(fields):
        message.put(group, fields, FieldType.FIELDS)


def _fields(properties: dict[str, Typed]) -> dict[str, tuple[Any, FieldType]]:
    """Properties as values of fields. Raises `EveryplaceError` TYPE for a type that properties do not have."""
    for name, each in properties.items():
        if each.dt not in _FIELD_TYPES:
            raise EveryplaceError(Code.TYPE, f"property {name[:40]} is {each.dt}")
    return {name: (each.value, _FIELD_TYPES[each.dt]) for name, each in properties.items()}


def _typed(fields: Fields, name: str) -> Typed:
    kind, value = fields.type_of(name), fields.get(name)
    dt = _TYPES.get(kind)
    if dt is None:
        raise EveryplaceError(Code.TYPE, f"property {name!r} is {kind.word}, which no property of JMS is")
    return Typed(None, "null") if value is None else Typed(value, dt)


def _message_id(jms: JmsMessage) -> bytes:
    """JMSMessageID as MsgId, so that both sides know the message by one id (E-559)."""
    text = jms.message_id
    return NO_ID if text is None else bytes.fromhex(text[len(names.ID) :])


def _without_correlation(message: EveryplaceMessage) -> EveryplaceMessage:
    """The message without JMSCorrelationID, which may be a text of any length."""
    found = message.copy()
    found.correl_id = None
    return found
