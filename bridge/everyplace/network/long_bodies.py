"""Bodies of calls and outcomes that are too long for one frame: they go in parts, in memory, on one connection.

A lost connection ends the call, whose outcome is then unknown; nothing is resumed.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.everyplace.transfer.parts_in import LONG, PART
from mqbridge.protocol.everyplace.batches import Have, Part
from mqbridge.protocol.everyplace.dump import MAX_DUMP
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.uid import MessageUid

LANE: Final = ""
"""Name of the lane of parts that belong to calls."""
MAX_BODIES: Final = 8
"""Most bodies that come, or wait to be fetched, at once on a connection, of at most `MAX_DUMP` bytes together."""


def is_long(body: bytes) -> bool:
    """Whether a body goes in parts."""
    return len(body) >= LONG


def part_of(name: MessageUid, body: bytes, offset: int) -> Part:
    """Return the part of a body at an offset. ``name``: who sends it, and a number of its own."""
    return Part(LANE, name, len(body), offset, body[offset : offset + PART])


class Bodies:
    """Bodies that come in parts."""

    __slots__ = ("_bodies",)

    def __init__(self) -> None:
        self._bodies: dict[MessageUid, tuple[int, bytearray]] = {}

    def add(self, part: Part) -> int:
        """Take a part; returns how many bytes are there. Raises `EveryplaceError` DATA, TOO_LONG."""
        length, data = self._bodies.get(part.uid, (part.length, bytearray()))
        if part.uid not in self._bodies:
            _check_room([whole for whole, _ in self._bodies.values()], part.length)
        if part.length != length or part.offset != len(data) or len(data) + len(part.data) > length:
            raise EveryplaceError(Code.DATA, f"a part at {part.offset} of a call where {len(data)} bytes are there")
        data += part.data
        self._bodies[part.uid] = length, data
        return len(data)

    def take(self, name: MessageUid) -> bytes:
        """Return a whole body, once. Raises `EveryplaceError` DATA."""
        length, data = self._bodies.pop(name, (-1, bytearray()))
        if length != len(data):
            raise EveryplaceError(Code.DATA, "a call has not come whole")
        return bytes(data)


class Answers:
    """Bodies that wait to be fetched in parts."""

    __slots__ = ("_answers", "_number", "_own")

    def __init__(self, own: str) -> None:
        self._own = own
        self._number = 0
        self._answers: dict[MessageUid, bytes] = {}

    def add(self, body: bytes) -> Part:
        """Keep a body, and return its first part. Raises `EveryplaceError` TOO_LONG."""
        _check_room([len(each) for each in self._answers.values()], len(body))
        self._number += 1
        name = MessageUid(self._own, self._number)
        self._answers[name] = body
        return part_of(name, body, 0)

    def part(self, have: Have) -> Part | None:
        """Return what follows; None at the end. Raises `EveryplaceError` DATA."""
        body = self._answers.get(have.uid)
        if body is None or have.offset > len(body):
            raise EveryplaceError(Code.DATA, "nothing waits under this number to be fetched")
        if have.offset == len(body):
            del self._answers[have.uid]
            return None
        return part_of(have.uid, body, have.offset)


def _check_room(lengths: list[int], length: int) -> None:
    if len(lengths) == MAX_BODIES or sum(lengths) + length > MAX_DUMP:
        text = f"a call of {length} bytes beside {len(lengths)} others, of {sum(lengths)}"
        raise EveryplaceError(Code.TOO_LONG, text)
