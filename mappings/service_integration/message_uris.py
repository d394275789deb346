"""Where a message says its destinations: ``Dst`` and ``Rto`` in folder ``jms``, ReplyToQ and ReplyToQMgr."""

from __future__ import annotations

from dataclasses import replace

from mqbridge.mappings.destinations import Destination, DestinationError, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyView
from mqbridge.mappings.properties.writing import with_properties
from mqbridge.protocol.chain import HEADER_FORMATS
from mqbridge.protocol.constants import MQTYPE

_DESTINATION = "jms.Dst"
_REPLY_TO = "jms.Rto"


def uris_of(message: Message) -> tuple[Destination | None, Destination | None]:
    """Return the destinations in ``jms.Dst`` and ``jms.Rto``; None for one that is missing or that is no URI."""
    if message.md.format not in HEADER_FORMATS:
        return None, None
    view = PropertyView.of(message)
    return _parsed(view.get(_DESTINATION)), _parsed(view.get(_REPLY_TO))


def _parsed(text: object) -> Destination | None:
    if not isinstance(text, str):
        return None
    try:
        return Destination.parse(text, conforming=False)
    except DestinationError:
        return None


def with_uris(message: Message, destination: Destination | None, reply_to: Destination | None) -> Message:
    """Return the message with these in ``jms.Dst`` and ``jms.Rto``; the same one if that changes nothing.

    None leaves what is there, and so does a destination that no URI can name.
    """
    present = uris_of(message)
    changed = [
        Property(name, MQTYPE.STRING, new.uri)
        for name, old, new in zip((_DESTINATION, _REPLY_TO), present, (destination, reply_to), strict=True)
        if new is not None and _can_be_written(new) and (old is None or old.uri != new.uri)
    ]
    return with_properties(message, changed) if changed else message


def _can_be_written(destination: Destination) -> bool:
    return "?" not in destination.name + destination.queue_manager and "/" not in destination.queue_manager


def renamed(destination: Destination, queue: str, queue_manager: str) -> Destination:
    """Return the destination at another queue, with all its properties; a topic stays as it is."""
    if destination.kind is DestinationKind.TOPIC:
        return destination
    return replace(destination, name=queue, queue_manager=queue_manager)


def with_reply_names(message: Message, queue: str, queue_manager: str) -> Message:
    """Return the message with these in ReplyToQ and ReplyToQMgr; the same one if that changes nothing."""
    md = message.md
    if (queue, queue_manager) == (md.reply_to_q, md.reply_to_q_mgr):
        return message
    changed = message.copy()
    changed.md.set(reply_to_q=queue, reply_to_q_mgr=queue_manager)
    return changed
