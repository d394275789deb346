"""Both directions of one connection: the segment reader, and the output queue.

The output queue consists of whole segments, so dropping it never leaves half a segment on the wire. A message longer
than a segment is queued as a :class:`SplitMessage`, which cuts its segments on demand; its pieces are not copied, and
an iterable of pieces is read only as far as segments were sent.

On a shared connection, a segment of one conversation does not wait for another conversation's long message: it is sent
between two segments of it. Order within a conversation is preserved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from mypy_extensions import mypyc_attr

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import NO_LUWID, SMALLEST_SEGMENT, SegmentReader, SegmentWriter

from .parameters import ChannelParameters, Counters

SEND_AT_ONCE: Final = 65_536
"""Default limit of :meth:`Wire.take`, in bytes."""

Piece: TypeAlias = bytes | bytearray | memoryview
Pieces: TypeAlias = tuple[bytes, ...]
Queued: TypeAlias = tuple[Pieces, int, int]
"""Finished segments: their pieces, their bytes, and how many they are."""
PrefixBuilder: TypeAlias = Callable[[int, int], bytes]
"""Builds TSH and MSH of a message's first segment from segment length and control flags."""


def own_writer(parameters: ChannelParameters) -> SegmentWriter:
    """Return a writer in our own byte order and CCSID."""
    return SegmentWriter(parameters.order, parameters.ccsid)


@mypyc_attr(allow_interpreted_subclasses=True)
class SplitData:
    """Data that take several segments, cut on demand.

    ``left``: bytes still to be cut off. ``lazy``: the pieces are produced on demand.
    """

    __slots__ = ("_pieces", "_view", "lazy", "left")

    def __init__(self, pieces: Iterable[Piece], length: int) -> None:
        self.lazy = not isinstance(pieces, tuple | list)
        self._pieces: Iterator[Piece] = iter(pieces)
        self._view = memoryview(b"")
        self.left = length

    def next_segment(self) -> bytes:
        """Return the next segment; the one after which ``left`` is 0 is the last.

        Raises ``LocalProtocolError`` if the pieces do not have the stated length.
        """
        raise NotImplementedError

    def _cut(self, count: int) -> list[Piece]:
        """Return the next ``count`` bytes, at most ``left``."""
        parts: list[Piece] = []
        self.left -= count
        while count:
            if not self._view:
                try:
                    self._view = memoryview(next(self._pieces))
                except StopIteration:
                    raise LocalProtocolError(f"a message ends {self.left + count} bytes before its length") from None
                continue
            parts.append(self._view[:count])
            self._view = self._view[len(parts[-1]) :]
            count -= len(parts[-1])
        return parts


class SplitMessage(SplitData):
    """A message that takes several segments (mq-wire.md 6; :data:`protocol.inferred.FIRST_SEGMENT_FLAGS`).

    ``length``: bytes of all pieces, MQXQH included. ``prefix_length``: bytes in front of them in the first segment.
    """

    __slots__ = ("_luwid", "_prefix", "_prefix_length", "_size", "_writer")

    def __init__(
        self,
        prefix: PrefixBuilder,
        prefix_length: int,
        pieces: Iterable[Piece],
        length: int,
        *,
        size: int,
        luwid: bytes,
        writer: SegmentWriter,
    ) -> None:
        super().__init__(pieces, length)
        self._prefix: PrefixBuilder | None = prefix
        self._prefix_length = prefix_length
        self._size = size
        self._luwid = luwid
        self._writer = writer

    def next_segment(self) -> bytes:
        """See :meth:`SplitData.next_segment`."""
        header_length = self._prefix_length if self._prefix is not None else SMALLEST_SEGMENT
        count = min(self.left, self._size - header_length)
        data = self._cut(count)
        last = int(inferred.LAST_SEGMENT_FLAGS) if not self.left else 0
        if self._prefix is None:
            flags = int(inferred.MIDDLE_SEGMENT_FLAGS) | last
            return self._writer.build(SegmentType.MESSAGE_DATA, *data, flags1=flags, luwid=self._luwid)
        prefix = self._prefix(header_length + count, int(inferred.FIRST_SEGMENT_FLAGS) | last)
        self._prefix = None
        return b"".join((prefix, *data))


_NOTHING: Final[deque[Queued]] = deque()
_NOBODY: Final[set[int]] = set()
"""Empty, for all connections on which no long message waits: idle connections are many."""


class Wire:
    """One connection as a machine sees it. The responder passes it to the machine that takes over."""

    __slots__ = ("_behind", "_between", "_splits", "_waiting", "buffered", "counters", "reader", "unsent", "writer")

    def __init__(self, writer: SegmentWriter, reader: SegmentReader | None = None) -> None:
        self.reader = reader if reader is not None else SegmentReader()
        self.writer = writer
        self.counters = Counters()
        self.unsent = 0
        self.buffered = 0
        """Bytes queued and held in memory; none for lazy messages."""
        self._waiting: deque[Queued | SplitData] = deque()
        self._splits = 0
        self._between = _NOTHING  # made for a long message, as the next one
        self._behind = _NOBODY  # conversations whose segments wait for a long message

    @property
    def wants_to_send(self) -> bool:
        """Whether :meth:`take` would return something."""
        return bool(self._waiting)  # _between is empty unless a long message is waiting

    def send(self, segment_type: SegmentType, body: bytes = b"", *, flags: int = 0, luwid: bytes = NO_LUWID) -> None:
        """Queue a segment built by us."""
        segment = self.writer.build(segment_type, body, flags1=flags, luwid=luwid)
        self.queue((segment,), len(segment))

    def queue(self, pieces: Pieces, length: int, conversation: int | None = None, *, segments: int = 1) -> None:
        """Queue one finished segment of ``length`` bytes, or several ``segments`` to be written together; those of a
        conversation need not wait for other conversations."""
        if not self._splits or conversation is None or conversation in self._behind:
            self._waiting.append((pieces, length, segments))
        else:
            self._between.append((pieces, length, segments))
        self.unsent += length
        self.buffered += length

    def queue_split(self, message: SplitData, conversation: int | None = None) -> None:
        """Queue a message that is cut into segments while it is sent."""
        self._waiting.append(message)
        if not self._splits:
            self._between, self._behind = deque(), set()
        self._splits += 1
        if conversation is not None:
            self._behind.add(conversation)
        self.unsent += message.left
        if not message.lazy:
            self.buffered += message.left

    def take(self, limit: int = SEND_AT_ONCE) -> list[bytes]:
        """Return whole segments in pieces, to be written in this order: at least one, then up to about ``limit`` bytes.

        Raises ``LocalProtocolError`` if the pieces of a long message do not have the stated length.
        """
        out: list[bytes] = []
        size = 0
        waiting = self._waiting
        counters = self.counters
        while waiting and size < limit:
            item = waiting[0]
            if isinstance(item, tuple):
                waiting.popleft()
                self.buffered -= item[1]
            elif self._between:
                item = self._between.popleft()
                self.buffered -= item[1]
            else:
                segment = self._next_of(item)
                item = ((segment,), len(segment), 1)
                self.unsent += len(segment)
            pieces, length, segments = item
            out += pieces
            self.unsent -= length
            counters.buffers_sent += segments
            size += length
        counters.bytes_sent += size
        return out

    def _next_of(self, message: SplitData) -> bytes:
        """Return the next segment of the long message at the head of the queue."""
        left = message.left
        segment = message.next_segment()
        self.unsent -= left - message.left
        if not message.lazy:
            self.buffered -= left - message.left
        if not message.left:
            self._waiting.popleft()
            self._splits -= 1
            if not self._splits:
                self._between, self._behind = _NOTHING, _NOBODY
        return segment

    def drop(self) -> None:
        """Discard the output queue; what was taken before ended with a whole segment."""
        self._waiting.clear()
        self._between, self._behind = _NOTHING, _NOBODY
        self._splits = 0
        self.unsent = self.buffered = 0
