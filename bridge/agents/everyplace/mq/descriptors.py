"""Descriptors in the form that a queue manager elsewhere wants."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import MD

_FIELDS: Final = tuple(slot.field.key for slot in MD.slots if slot.field.key not in ("struc_id", "version"))


def descriptor_in(message: Message, order: ByteOrder, ccsid: int) -> bytes:
    """Return the descriptor of a message in a byte order and code page. Raises ``ConversionError``."""
    if message.order == order and message.ccsid == ccsid:
        return message.raw_md
    fields: dict[str, Any] = {key: getattr(message.md, key) for key in _FIELDS}
    return Message.build(b"", order=order, ccsid=ccsid, **fields).raw_md
