"""The message tree of a program's message (docs/routing.md)."""

from __future__ import annotations

from time import time
from typing import overload

from mqbridge.mappings.message import Message as StoredMessage
from mqbridge.mappings.tree import EnteredBy, MessageTree
from mqbridge.protocol.formats import NO_FORMATS, Formats

from .message import Message


@overload
def message_tree(
    message: Message, *, domain: str = ..., entered_by: EnteredBy = ..., formats: Formats | None = ...
) -> MessageTree[Message]: ...


@overload
def message_tree(
    message: StoredMessage, *, domain: str = ..., entered_by: EnteredBy = ..., formats: Formats | None = ...
) -> MessageTree[StoredMessage]: ...


def message_tree(
    message: Message | StoredMessage,
    *,
    domain: str = "",
    entered_by: EnteredBy = "queue",
    formats: Formats | None = None,
) -> MessageTree[Message] | MessageTree[StoredMessage]:
    """Return the tree of a message: its properties, headers and body by paths.

    ``domain``: of the body, where no header names one: ``"XMLNSC"``, ``"JSON"`` and others. ``entered_by``:
    ``"queue"``, ``"other"`` for a message of another transport, ``"user"`` for one that the program made; it decides
    who wins between Properties and MQMD (jms-mapping.md 10.4). ``formats``: those of plug-ins, as `load_formats` gives
    them. ``tree.message()`` gives the same kind of message back. Raises `TreeError` for a message without valid MQMD.
    """
    table = formats or NO_FORMATS
    if not isinstance(message, Message):
        return MessageTree(message, _same, domain=domain, entered_by=entered_by, formats=table, clock=time)
    queue, token = message.queue, message.token

    def finish(stored: StoredMessage) -> Message:
        return Message.of(stored, queue=queue, token=token)

    return MessageTree(message.stored, finish, domain=domain, entered_by=entered_by, formats=table, clock=time)


def _same(message: StoredMessage) -> StoredMessage:
    return message
