"""Descriptor and data of messages to put, with a fast path for plain ones."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from mqbridge.mappings.descriptor import new_descriptor
from mqbridge.mappings.message import Message as StoredMessage
from mqbridge.protocol.constants import MQFMT, MQPER, ByteOrder
from mqbridge.protocol.layouts.builders import PlainDescriptorBuilder
from mqbridge.protocol.layouts.md import Md
from mqbridge.protocol.structures import MD

from .message import NATIVE_ENCODING, UTF_8, Message, data_of

_FIELDS: Final = tuple(slot.field.key for slot in MD.slots if slot.field.key not in ("struc_id", "version"))
_NO_ID: Final = bytes(24)


@lru_cache(maxsize=32)
def _builder(order: ByteOrder, ccsid: int, text: bool) -> PlainDescriptorBuilder:
    """What builds descriptors of plain messages from persistence, message id and correlation id."""
    descriptor = new_descriptor(
        order,
        ccsid,
        format=str(MQFMT.STRING) if text else "",
        encoding=NATIVE_ENCODING,
        coded_char_set_id=UTF_8 if text else 0,
        msg_seq_number=1,
    )
    assert isinstance(descriptor.record, Md)
    return PlainDescriptorBuilder(descriptor.record)


def plain_put(
    body: str | bytes, order: ByteOrder, ccsid: int, persistent: bool | None, correl_id: bytes
) -> tuple[bytes, bytes]:
    """Descriptor and data of a plain message."""
    text = isinstance(body, str)
    data = data_of(body)
    persistence = MQPER.PERSISTENCE_AS_Q_DEF if persistent is None else int(persistent)
    if len(correl_id) < len(_NO_ID):
        correl_id = correl_id.ljust(len(_NO_ID), b"\0")
    return _builder(order, ccsid, text).build(persistence, _NO_ID, correl_id), data


def on_wire(message: Message, order: ByteOrder, ccsid: int) -> tuple[bytes, bytes]:
    """Descriptor and data of a message, the descriptor in a byte order and code page.

    Raises ``ConversionError`` if it cannot be encoded.
    """
    stored = message.stored
    if stored.order == order and stored.ccsid == ccsid:
        return stored.raw_md, stored.data
    fields: dict[str, Any] = {key: getattr(stored.md, key) for key in _FIELDS}
    return StoredMessage.build(b"", order=order, ccsid=ccsid, **fields).raw_md, stored.data
