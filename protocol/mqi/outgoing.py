"""Outgoing data longer than a segment: replies, and streamed messages (mq-wire.md 6.4, 6.5).

Segments are cut on demand; none exceeds the agreed transmission size, header included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol, TypeAlias

from mqbridge.protocol.channel.wire import Piece, SplitData
from mqbridge.protocol.constants import ControlFlags1, SegmentType
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.structures import ASYNC_MORE, TSH, TSHM

Ids = tuple[int, int] | None
"""Conversation and request of a TSHM; None for a TSH."""

WHOLE: Final = int(ControlFlags1.FIRST | ControlFlags1.LAST)
FIRST: Final = int(ControlFlags1.FIRST)
LAST: Final = int(ControlFlags1.LAST)


class LazyData(Protocol):
    """Message data of known length that are produced piece by piece when they are sent."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[bytes]: ...


Data: TypeAlias = bytes | Sequence[bytes] | LazyData
"""The data of a message."""
Parts: TypeAlias = Sequence[bytes | LazyData]
"""The parts of a reply, in order."""


def parts_of(data: Data) -> tuple[bytes | LazyData, ...]:
    """Return the parts of a message's data."""
    if isinstance(data, bytes):
        return (data,)
    return tuple(data) if isinstance(data, tuple | list) else (data,)


def pieces_of(parts: Parts) -> Iterable[bytes]:
    """Return the pieces of all parts; a sequence unless some are lazy."""
    for part in parts:
        if not isinstance(part, bytes):
            return _each_piece(parts)
    return parts  # type: ignore[return-value]


def _each_piece(parts: Parts) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            yield from part


def header_size(ids: Ids) -> int:
    """Return the length of the segment header in bytes."""
    return TSH.size if ids is None else TSHM.size


class SplitReply(SplitData):
    """A reply of several segments: API header and structures in the first, data only in the others."""

    __slots__ = ("_flags", "_ids", "_size", "_type", "_writer")

    def __init__(
        self, writer: SegmentWriter, ids: Ids, kind: int, pieces: Iterable[Piece], length: int, *, size: int
    ) -> None:
        super().__init__(pieces, length)
        self._writer, self._ids, self._type, self._size = writer, ids, kind, size
        self._flags = FIRST

    def next_segment(self) -> bytes:
        """See :meth:`SplitData.next_segment`."""
        data = self._cut(min(self.left, self._size - header_size(self._ids)))
        flags = self._flags if self.left else self._flags | LAST
        self._flags = 0
        return b"".join((self._writer.header(self._type, sum(map(len, data)), flags1=flags, ids=self._ids), *data))


class SplitDelivery(SplitData):
    """A message streamed in several segments, each with its own ASYNC header.

    ``head``: the long ASYNC header of the first segment with the queue name; its SegmentLength is set here.
    ``descriptor``: MD. ``length``: bytes of message data.
    """

    __slots__ = ("_common", "_descriptor", "_head", "_ids", "_index", "_size", "_writer")

    def __init__(
        self,
        writer: SegmentWriter,
        ids: Ids,
        head: Any,
        name: bytes,
        descriptor: bytes,
        pieces: Iterable[Piece],
        length: int,
        *,
        size: int,
    ) -> None:
        super().__init__(pieces, length)
        self._writer, self._ids, self._size = writer, ids, size
        self._head: Any = head
        self._descriptor = name + descriptor
        self._common = {key: getattr(head, key) for key in ASYNC_MORE.codec(writer.order).KEYS}
        self._index = 0

    def next_segment(self) -> bytes:
        """See :meth:`SplitData.next_segment`."""
        room = self._size - header_size(self._ids)
        if self._head is not None:
            head, behind, flags = self._head, self._descriptor, FIRST
            self._head = None
        else:
            self._index += 1
            head = ASYNC_MORE.codec(self._writer.order)(**(self._common | {"segment_index": self._index}))
            behind, flags = b"", 0
        data = self._cut(min(self.left, room - head.SIZE - len(behind)))
        head.segment_length = sum(map(len, data))
        if not self.left:
            flags |= LAST
        body_length = head.SIZE + len(behind) + head.segment_length
        header = self._writer.header(SegmentType.ASYNC_MESSAGE, body_length, flags1=flags, ids=self._ids)
        return b"".join((header, head.build(), behind, *data))
