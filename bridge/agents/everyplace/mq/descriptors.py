"""Descriptors in the form that a queue manager elsewhere wants."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import MD
from mqbridge.protocol.text import same_in_ascii

_FIELDS: Final = tuple(slot.field.key for slot in MD.slots if slot.field.key not in ("struc_id", "version"))
_TEXTS: Final = tuple(slot.field.key for slot in MD.slots if slot.field.kind == "char")


def descriptor_in(message: Message, order: ByteOrder, ccsid: int) -> bytes:
    """Return the descriptor of a message in a byte order and code page. Raises ``ConversionError``."""
    if message.order == order and _reads_the_same(message, ccsid):
        return message.raw_md
    fields: dict[str, Any] = {key: getattr(message.md, key) for key in _FIELDS}
    return Message.build(b"", order=order, ccsid=ccsid, **fields).raw_md


def _reads_the_same(message: Message, ccsid: int) -> bool:
    """Return whether the text of a descriptor is the same bytes in a code page."""
    if message.ccsid == ccsid:
        return True
    if not same_in_ascii(message.ccsid, ccsid):
        return False
    return b"".join(reader(message.order, *_TEXTS)(message.raw_md)).isascii()
