"""The quick way from an AMQP message to the message that is put: texts and bytes with properties, as JMS clients send
them.

Messages of one shape (kind, persistence, priority, destination) differ only in time, properties and body. The careful
way writes one of each shape, and the others are made of its bytes. It gives up on everything else: correlation ids,
groups, expiry, types, what is malformed.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage, Typed, typed
from mqbridge.mappings.jms.checks import check_property
from mqbridge.mappings.jms.values import element
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import MQBridgeError

from .bodies import MESSAGE_TYPE, TYPE_NUMBERS
from .mapping import DELIVERY_TIME, HIGHEST_PRIORITY, NON_PERSISTENT, PERSISTENT, application_properties
from .message import AmqpMessage, BodyKind
from .values import AmqpType, Scalar

_FIRST_TIME: Final = 10**12
_LAST_TIME: Final = 10**13 - 1
"""Milliseconds since 1970 with 13 digits."""
_DIGITS: Final = 13
_TIME: Final = b"<Tms>%d</Tms>" % _FIRST_TIME
_LENGTH: Final = slice(8, 12)
"""StrucLength in an MQRFH2."""
_TEXT, _BYTES = (Scalar(AmqpType.BYTE, TYPE_NUMBERS[kind]) for kind in ("text", "bytes"))
_KINDS: Final = {(BodyKind.VALUE, str, _TEXT): "text", (BodyKind.DATA, bytes, _BYTES): "bytes"}
_EMPTY: Final[dict[str, str | bytes]] = {"text": "", "bytes": b""}
_RARE: Final = (
    "user_id", "subject", "correlation_id", "absolute_expiry_time", "group_id", "group_sequence", "reply_to_group_id",
)  # fmt: skip
_NONE: Final = (None,) * len(_RARE)
_rare = attrgetter(*_RARE)


class _Shape(NamedTuple):
    """A message without properties and body. ``before``, ``behind``: its data around the digits of its time."""

    raw_md: bytes
    before: bytes
    behind: bytes
    order: ByteOrder
    ccsid: int


@lru_cache(maxsize=256)
def _shape(kind: str, durable: bool, priority: int, destination: Destination) -> _Shape | None:
    """What messages of a shape have in common; None if they have no MQRFH2."""
    mode = PERSISTENT if durable else NON_PERSISTENT
    jms = JmsMessage(kind, _EMPTY[kind], delivery_mode=mode, priority=priority, timestamp=_FIRST_TIME)
    message = jms.message(destination)
    before, found, behind = message.data.partition(_TIME)
    if not found:
        return None
    start = _TIME.index(b"1")
    behind = _TIME[start + _DIGITS :] + behind
    return _Shape(message.raw_md, before + _TIME[:start], behind, message.order, message.ccsid)


@lru_cache(maxsize=1024)
def _check_name(name: str, dt: str) -> None:
    check_property(name, Typed(None, dt), foreign=True)


def quick_from_amqp(message: AmqpMessage, *, destination: Destination) -> Message | None:
    """Return the message of ``from_amqp(message, …, destination=destination).message(…)``, or None if only that can say
    it."""
    fields = message.properties
    sent = fields.creation_time or 0
    annotations = message.message_annotations
    kind = _KINDS.get((message.body_kind, type(message.body), annotations.get(MESSAGE_TYPE)))  # type: ignore[arg-type]
    if kind is None or message.ttl or DELIVERY_TIME in annotations or not _FIRST_TIME <= sent <= _LAST_TIME:
        return None
    if _rare(fields) != _NONE:
        return None
    try:
        shape = _shape(kind, message.durable, min(message.priority, HIGHEST_PRIORITY), destination)
        if shape is None:
            return None
        given = message.application_properties
        values = application_properties(message) if given else {}
        front = b"%b%d%b" % (shape.before, sent, shape.behind)
        if values:
            front = _with_properties(front, values)
        body = message.body
        data = front + (body.encode() if isinstance(body, str) else body)  # type: ignore[operator]
    except (MQBridgeError, UnicodeEncodeError):
        return None
    return Message(shape.raw_md, data, order=shape.order, ccsid=shape.ccsid)


def _with_properties(front: bytes, values: dict[str, Typed]) -> bytes:
    """Append a folder to an MQRFH2."""
    parts = []
    for name, given in values.items():
        _check_name(name, given.dt)
        parts.append(element(name, name, typed(given)))
    folder = f"<usr>{''.join(parts)}</usr>".encode()
    folder += b" " * (-len(folder) % 4)
    length = len(front) + 4 + len(folder)
    start, end = _LENGTH.start, _LENGTH.stop
    return b"".join((front[:start], length.to_bytes(4, "big"), front[end:], len(folder).to_bytes(4, "big"), folder))
