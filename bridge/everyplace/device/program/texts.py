"""Messages as text, for people."""

from __future__ import annotations

from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE, text_of
from mqbridge.protocol.everyplace.reserved import ORIGIN, TIME
from mqbridge.protocol.everyplace.text import to_text


def content_of(message: Message) -> str:
    """Return what a program has put: a text, or the fields, without those of the UID."""
    try:
        return text_of(message)
    except EveryplaceError:
        pass
    if message.type == MQ_STYLE and DATA in message:
        data: bytes = message[DATA]
        return data.hex()
    shown = message.copy()
    for name in (ORIGIN, TIME):
        if name in shown:
            del shown[name]
    return to_text(shown, "(#0)#1=#2\n").rstrip("\n")


def whole_text_of(message: Message) -> str:
    """Return all fields of a message in the string form (E-028), below its UID."""
    return to_text(message, "(#0)#1=#2\n", f"{message.uid}  {message.type or 'fields'}\n")
