"""Where a message says its destinations: ``Dst`` and ``Rto`` in folder ``jms``, ReplyToQ and ReplyToQMgr."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mqbridge.mappings.destinations import Destination, DestinationError, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import PropertyView, headers_of
from mqbridge.mappings.properties.folders import folder_name, folder_texts
from mqbridge.mappings.publications import with_folder
from mqbridge.protocol.chain import HEADER_FORMATS

_FOLDER: Final = "jms"
_START: Final = "<jms>"
_END: Final = "</jms>"
_EMPTY: Final = _START + _END
_DESTINATION: Final = "Dst"
_REPLY_TO: Final = "Rto"


def uris_of(message: Message) -> tuple[Destination | None, Destination | None]:
    """Return the destinations in ``jms.Dst`` and ``jms.Rto``; None for one that is missing or that is no URI."""
    if message.md.format not in HEADER_FORMATS:
        return None, None
    folder = PropertyView.of(message).folder(_FOLDER)
    return _parsed(folder.get(_DESTINATION)), _parsed(folder.get(_REPLY_TO))


def _parsed(text: object) -> Destination | None:
    if not isinstance(text, str):
        return None
    try:
        return Destination.parse(text, conforming=False)
    except DestinationError:
        return None


def with_uris(message: Message, destination: Destination | None, reply_to: Destination | None) -> Message:
    """Return the message with these in ``jms.Dst`` and ``jms.Rto``; the same one if that changes nothing.

    None leaves what is there, and so does a destination that no URI can name. All else in the folder keeps its bytes.
    """
    present = uris_of(message)
    changed = [
        (name, new.uri)
        for name, old, new in zip((_DESTINATION, _REPLY_TO), present, (destination, reply_to), strict=True)
        if new is not None and _can_be_written(new) and (old is None or old.uri != new.uri)
    ]
    if not changed:
        return message
    text = _jms_folder(message)
    for name, uri in changed:
        text = _with_element(text, name, uri.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return with_folder(message, _FOLDER, text)


def _jms_folder(message: Message) -> str:
    texts = (text for text in folder_texts(headers_of(message)) if folder_name(text) == _FOLDER)
    return next(texts, _EMPTY).rstrip(" \0")


def _with_element(folder: str, name: str, content: str) -> str:
    """Return a folder with the text of an element replaced, or the element added."""
    element = re.compile(rf"(<{name}(?:\s[^>]*)?>)[^<]*(</{name}\s*>)")
    made, count = element.subn(lambda match: match[1] + content + match[2], folder)
    if count:
        return made
    front, end, _ = folder.rpartition(_END)
    return f"{front if end else _START}<{name}>{content}</{name}>{_END}"


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
