"""Message descriptors in the code page and version of a client."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager import RetrievedMessage
from mqbridge.mappings.body import Body, BodyPieces
from mqbridge.mappings.descriptor import patcher
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import native_descriptor, split_extension
from mqbridge.protocol.constants import MQMF, ByteOrder, MessageStatus
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1, MQMD_LENGTH_2

if TYPE_CHECKING:
    from mqbridge.protocol.mqi import Put

ORDER: Final = ByteOrder.LITTLE
"""Byte order of our server connections."""

_VERSION = {order: patcher(order, "version") for order in ByteOrder}
_GROUP_FIELDS: Final = {order: bytes(24) + struct.pack(order.prefix + "IIIi", 1, 0, 0, -1) for order in ByteOrder}
"""GroupId, MsgSeqNumber, Offset, MsgFlags and OriginalLength of a message that is in no group."""

_STATUS: Final = (
    (MQMF.LAST_MSG_IN_GROUP, MQMF.MSG_IN_GROUP, MessageStatus.LAST_MSG_IN_GROUP, MessageStatus.MSG_IN_GROUP),
    (MQMF.LAST_SEGMENT, MQMF.SEGMENT, MessageStatus.LAST_SEGMENT, MessageStatus.SEGMENT),
)


def status_of(got: RetrievedMessage) -> int:
    """Status bits that tell a client the group and segment of a streamed message (mqi.md 12.4)."""
    flags = got.msg_flags
    if not flags:
        return 0
    status = int(MessageStatus.SEGMENTATION_ALLOWED) if flags & MQMF.SEGMENTATION_ALLOWED else 0
    for last, member, last_status, status_of_member in _STATUS:
        if flags & last:
            status |= last_status
        elif flags & member:
            status |= status_of_member
    return status


def for_client(message: Message, version: int, ccsid: int) -> tuple[bytes, Message]:
    """Return the MQMD as a client wants it, and the message whose data go with it.

    What does not fit into a version-1 descriptor precedes the data in an MQMDE (mqi.md 5.3).
    """
    if version == 1 and len(message.raw_md) == MQMD_LENGTH_2:
        message = split_extension(message)
    raw = native_descriptor(message.raw_md, message.order, message.ccsid, ccsid)
    return as_version(raw, version, ORDER), message


def as_version(raw: bytes, version: int, order: ByteOrder) -> bytes:
    """The descriptor in a version: the group fields are added with their defaults, or left out."""
    if version == 1:
        return raw if len(raw) == MQMD_LENGTH_1 else _VERSION[order](raw[:MQMD_LENGTH_1], 1)
    return raw if len(raw) == MQMD_LENGTH_2 else _VERSION[order](raw, 2) + _GROUP_FIELDS[order]


def body_of(data: bytes | list[bytes]) -> Body:
    """The data of a put as a body; ``data``: in one piece or in several."""
    return data if isinstance(data, bytes) else BodyPieces(data)


def message_of(call: Put) -> Message:
    """The message of a put."""
    return Message(call.descriptor, body_of(call.data), order=call.order, ccsid=call.ccsid)
