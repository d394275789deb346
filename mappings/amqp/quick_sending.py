"""The quick way from a message of a queue to the AMQP message: texts and bytes as JMS clients put them, with MQRFH2.

It finds what `to_amqp` makes of the same message, and gives up on everything that is not usual: groups, replies, other
folders and elements, other code pages, what is malformed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mqbridge.mappings import jms_headers
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms.front import Fields, field_text, fields_of, front_of, values_of
from mqbridge.mappings.jms.receiving import HIDDEN
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError

from .addresses import DESTINATION_TYPE, Address, AddressKind
from .bodies import CONTENT_TYPES, MESSAGE_TYPE, TYPE_NUMBERS
from .identifiers import identifier_of_mq
from .mapping import PERSISTENT, REPLY_GROUP, time_to_live
from .message import AmqpMessage, AmqpProperties, BodyKind
from .typed_values import amqp_value
from .values import AmqpType, Scalar, Value

_UTF_8: Final = 1208
_KINDS: Final = {
    f"<mcd><Msd>{jms_headers.DOMAIN_OF_KIND[kind]}</Msd></mcd>": (kind, body_kind)
    for kind, body_kind in (("text", BodyKind.VALUE), ("bytes", BodyKind.DATA))
}
_JMS: Final = re.compile(
    r"<jms>(?:<Dst>([^<&]{1,255})</Dst>)?<Tms>([0-9]{1,15})</Tms>(?:<Exp>([0-9]{1,15})</Exp>)?(?:<Pri>[0-9]</Pri>)?"
    r"(?:<Cid>([^<&]{1,255})</Cid>)?<Dlv>([12])</Dlv></jms> *"
).fullmatch
_CAREFUL_PROPERTIES: Final = frozenset((HIDDEN, REPLY_GROUP))


def _annotations(kind: str, address: AddressKind | None) -> Mapping[str, Value]:
    found: dict[str, Value] = {MESSAGE_TYPE: Scalar(AmqpType.BYTE, TYPE_NUMBERS[kind])}
    if address is not None:
        found[DESTINATION_TYPE] = Scalar(AmqpType.BYTE, int(address))
    return MappingProxyType(found)


_ANNOTATIONS: Final = {
    (kind, address): _annotations(kind, address) for kind, _ in _KINDS.values() for address in (None, *AddressKind)
}


def quick_to_amqp(message: Message, *, now: float, to: Address | None = None) -> AmqpMessage | None:
    """Return what ``to_amqp(JmsMessage.of(message, now=now), now=now, to=to)`` returns, or None if only that can."""
    data = message.body
    if type(data) is not bytes:
        return None
    try:
        fields = fields_of(message)
        front = front_of(message, fields)
        folders = front.folders
        found = _JMS(folders.get("jms", ""))
        usual = len(folders) == (3 if "usr" in folders else 2)
        if found is None or not usual or not _is_plain(fields, message.ccsid):
            return None
        kind, body_kind = _KINDS[folders["mcd"].rstrip(" ")]
        if body_kind is BodyKind.VALUE and front.ccsid != _UTF_8:
            return None
        destination, sent, expiry, cid, mode = found.groups()
        expiration = int(expiry) if expiry else 0
        if not expiration and fields.expiry >= 0:
            return None  # it counts from the put
        if destination:
            Destination.parse(destination, conforming=False)
        values = values_of(folders.get("usr"))
        if not _CAREFUL_PROPERTIES.isdisjoint(values):
            return None
        raw = data[front.offset :]
        body = raw.decode() if body_kind is BodyKind.VALUE else raw
        correlation = jms_headers.correlation_id(cid, fields.correl_id)
        correlation_id = identifier_of_mq(None if correlation is None else str(correlation))
    except (MQBridgeError, KeyError, UnicodeDecodeError):
        return None
    return AmqpMessage(
        body_kind,
        body,
        AmqpProperties(
            message_id=jms_headers.id_text(fields.msg_id),
            to=None if to is None else to.name,
            correlation_id=correlation_id,
            content_type=CONTENT_TYPES.get(kind),
            absolute_expiry_time=expiration or None,
            creation_time=int(sent) or None,
        ),
        {name: amqp_value(value) for name, value in values.items()},
        _ANNOTATIONS[kind, None if to is None else to.kind],
        durable=int(mode) == PERSISTENT,
        priority=fields.priority,
        ttl=time_to_live(expiration, now),
    )


def _is_plain(fields: Fields, ccsid: int) -> bool:
    """Whether a message is in no group, says no queue for replies, and all its texts can be read. Raises
    ``JmsFormatError`` if they cannot."""
    field_text(fields.user_identifier, ccsid)
    field_text(fields.put_appl_name, ccsid)
    return not fields.msg_flags and not field_text(fields.reply_to_q, ccsid)
