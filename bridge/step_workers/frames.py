"""Frames between the gateway and a worker process: length, kind, number of the call, payload.

::

    gateway → worker   CALL     limits, the message
    worker → gateway   LOADED   nothing; or NOT_LOADED with a text, after which the worker ends
                       RESULT   messages
                       FAILED   reason, text

A message is its descriptor and its data as bytes. Nothing is pickled. Integers are little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import Limits
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.errors import MQBridgeError, StructureError

MAX_TEXT: Final = 500
"""Longest text of a failure in characters."""

_HEAD: Final = struct.Struct("<IBI")
"""Length of what follows the head, kind, number."""
_LIMITS: Final = struct.Struct("<QQI")
_MESSAGE: Final = struct.Struct("<BiHQ")
"""Byte order and CCSID of the descriptor, lengths of the descriptor and of the data."""
_COUNT: Final = struct.Struct("<I")
_LONGEST_DESCRIPTOR: Final = 1024
"""Room that a message takes in a frame beside its data, at most."""


class Kind(IntEnum):
    """Kind of a frame."""

    CALL = 1
    LOADED = 2
    NOT_LOADED = 3
    RESULT = 4
    FAILED = 5


class BadFrame(MQBridgeError):
    """Bytes that are no frame, or a frame that is too long."""


class Frame(NamedTuple):
    """One frame."""

    kind: int
    number: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class FunctionFailed:
    """A function that gave no messages. ``reason``: the MQRC for the dead-letter header. ``text``: why."""

    reason: int
    text: str


def frame(kind: Kind, number: int = 0, payload: Iterable[bytes] = ()) -> bytes:
    """Return the bytes of a frame."""
    parts = list(payload)
    return b"".join((_HEAD.pack(sum(map(len, parts)), kind, number), *parts))


def call_frame(number: int, message: Message, limits: Limits) -> bytes:
    """Return a call of the worker's function."""
    given = _LIMITS.pack(limits.length, limits.total, limits.messages)
    return frame(Kind.CALL, number, (given, *_message_parts(message)))


def read_call(payload: bytes) -> tuple[Message, Limits]:
    """Return message and limits of a call. Raises `BadFrame`."""
    try:
        length, total, messages = _LIMITS.unpack_from(payload)
        ((message, end),) = _messages(payload, _LIMITS.size, 1)
    except (struct.error, ValueError, StructureError) as error:
        raise BadFrame(f"no call: {error}") from error
    if end != len(payload):
        raise BadFrame("something follows the message of a call")
    return message, Limits(length=length, total=total, messages=messages)


def result_frame(number: int, messages: Sequence[Message]) -> bytes:
    """Return the messages that a function gave."""
    parts = [_COUNT.pack(len(messages))]
    for message in messages:
        parts += _message_parts(message)
    return frame(Kind.RESULT, number, parts)


def read_result(payload: bytes, limits: Limits) -> tuple[Message, ...]:
    """Return the messages of a result. Raises `BadFrame`, also where they are over the limits."""
    try:
        (count,) = _COUNT.unpack_from(payload)
        if count > limits.messages:
            raise BadFrame(f"{count} messages, {limits.messages} are allowed")
        found = list(_messages(payload, _COUNT.size, count))
    except (struct.error, ValueError, StructureError) as error:
        raise BadFrame(f"no messages: {error}") from error
    if (found[-1][1] if found else _COUNT.size) != len(payload):
        raise BadFrame("something follows the messages of a result")
    return tuple(message for message, _ in found)


def failed_frame(number: int, failure: FunctionFailed) -> bytes:
    """Return a failure."""
    return frame(Kind.FAILED, number, (_COUNT.pack(failure.reason), _text(failure.text)))


def read_failure(payload: bytes) -> FunctionFailed:
    """Return the failure of a frame. Raises `BadFrame`."""
    if len(payload) < _COUNT.size:
        raise BadFrame("no failure")
    return FunctionFailed(_COUNT.unpack_from(payload)[0], read_text(payload[_COUNT.size :]))


def not_loaded_frame(text: str) -> bytes:
    """Return that the function cannot be called."""
    return frame(Kind.NOT_LOADED, 0, (_text(text),))


def read_text(payload: bytes) -> str:
    """Return the text of a frame, of bounded length."""
    return payload[: 4 * MAX_TEXT].decode("utf-8", "replace")[:MAX_TEXT]


def longest_answer(limits: Limits) -> int:
    """Return the length of the longest answer to a call, without its head, in bytes."""
    return limits.together + limits.messages * _LONGEST_DESCRIPTOR + _LONGEST_DESCRIPTOR + 4 * MAX_TEXT


class FrameReader:
    """Cuts received bytes into frames."""

    __slots__ = ("_buffer",)

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._buffer += data

    def next(self, longest: int) -> Frame | None:
        """Return the next frame; None if it is not complete. Raises `BadFrame` for one longer than ``longest``."""
        buffer = self._buffer
        if len(buffer) < _HEAD.size:
            return None
        length, kind, number = _HEAD.unpack_from(buffer)
        if length > longest:
            raise BadFrame(f"a frame of {length} bytes, {longest} are allowed")
        end = _HEAD.size + length
        if len(buffer) < end:
            return None
        payload = bytes(memoryview(buffer)[_HEAD.size : end])
        del buffer[:end]
        return Frame(kind, number, payload)


def _text(text: str) -> bytes:
    return text[:MAX_TEXT].encode("utf-8", "replace")


def _message_parts(message: Message) -> tuple[bytes, bytes, bytes]:
    raw, data = message.raw_md, message.data
    return _MESSAGE.pack(message.order, message.ccsid, len(raw), len(data)), raw, data


def _messages(payload: bytes, offset: int, count: int) -> Iterator[tuple[Message, int]]:
    """Yield messages, each with the offset of its end. Raises ``struct.error``, ``ValueError``, ``StructureError``."""
    for _ in range(count):
        order, ccsid, descriptor, length = _MESSAGE.unpack_from(payload, offset)
        start = offset + _MESSAGE.size
        behind = start + descriptor
        offset = behind + length
        if offset > len(payload):
            raise ValueError("a message is cut")
        yield Message(payload[start:behind], payload[behind:offset], order=ByteOrder(order), ccsid=ccsid), offset
