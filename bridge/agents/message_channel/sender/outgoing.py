"""The wire form of messages on a transmission queue."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from mqbridge.bridge.queue_manager import MQError
from mqbridge.mappings.body import Body, in_pieces, joined, read_slice
from mqbridge.mappings.conversion import DataEncoding, Formats, convert_message
from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import split_extension, unwrap
from mqbridge.protocol.channel import Outgoing
from mqbridge.protocol.constants import MQRC, ByteOrder
from mqbridge.protocol.errors import MQBridgeError

XQH_LENGTH = 428
"""Length of MQXQH: XQH and the embedded MQMD of version 1."""
_UNLIMITED = -1
_XQH_1 = b"XQH \1\0\0\0"
_MD_OFFSET = 104
_MD_ID_END = _MD_OFFSET + 4
_EXPIRY_OFFSET = _MD_OFFSET + 16
_EXPIRY = struct.Struct("<i")
_READ = {order: reader(order, "expiry", "persistence") for order in ByteOrder}


def outgoing(
    message: Message,
    max_message_length: int,
    convert: DataEncoding | None,
    fast: bool,
    formats: Formats,
) -> Outgoing:
    """Return the wire form of a message on a transmission queue, with its remaining expiry in the MQMD.

    ``fast``: a non-persistent message leaves the queue before it is sent, so its data are read now.
    ``max_message_length`` applies to the data without MQXQH. ``convert``: the encoding to which CONVERT(YES) converts
    the data; ``formats``: those beside MQ's own that it converts. Raises `MQError`: 2260 (invalid MQXQH), 2218 (longer
    than the channel allows), 2110 to 2119 and the like (conversion failed).
    """
    if convert is not None:
        message = _converted(message, convert, formats)
    body = message.body
    length = len(body)
    first = body if type(body) is bytes else read_slice(body, 0, XQH_LENGTH)
    if first[:8] != _XQH_1 or first[_MD_OFFSET:_MD_ID_END] != b"MD  ":
        raise MQError(MQRC.XQH_ERROR, "no transmission queue header in front of the message")
    if length - XQH_LENGTH > max_message_length:
        raise MQError(MQRC.MSG_TOO_BIG_FOR_CHANNEL, f"{length - XQH_LENGTH} bytes")
    expiry, persistence = _READ[message.order](message.raw_md)
    if expiry != _UNLIMITED:
        first = first[:_EXPIRY_OFFSET] + _EXPIRY.pack(expiry) + first[_EXPIRY_OFFSET + 4 :]
    persistent = persistence != 0
    if type(body) is bytes:
        return Outgoing(first, length, persistent)
    pieces = _pieces(first, body)
    return Outgoing(tuple(pieces) if fast and not persistent else pieces, length, persistent)


def _converted(message: Message, form: DataEncoding, formats: Formats) -> Message:
    """A message of a transmission queue with its data converted; data without a format stay unchanged."""
    try:
        wrapped = unwrap(message)
    except MQBridgeError as error:
        raise MQError(MQRC.XQH_ERROR, str(error)) from error
    inner = wrapped.message
    if not inner.md.format:
        return message
    reason = convert_message(inner, form, message.ccsid, formats)
    if reason:
        raise MQError(reason, "CONVERT(YES)")
    inner = split_extension(inner)
    front = read_slice(message.body, 0, XQH_LENGTH - len(inner.raw_md))
    return message.copy(joined(front + inner.raw_md, inner.body))


def _pieces(first: bytes, body: Body) -> Iterator[bytes | memoryview]:
    yield first
    skip = len(first)
    for piece in in_pieces(body):
        rest = piece[skip:] if skip else piece
        skip = max(skip - len(piece), 0)
        if rest:
            yield rest
