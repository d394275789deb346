"""Messages of dialogues by the description of their protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from mqbridge.captures.dialogues import Began, Dialogues, Ended, Lost, Sent
from mqbridge.mappings.templates import Framer, PacketError, Protocol, Role, StreamError, Transaction, Values
from mqbridge.protocol.direction import Direction

MAX_KEPT: Final = 64 << 20
"""Bytes of messages that are not whole, in all connections; beyond it the longest is given up."""
EXTRACT: Final = 32
"""Bytes of what is not explained that are shown."""
ROLES: Final[dict[Direction, Role]] = {Direction.INITIATOR: "initiator", Direction.RESPONDER: "responder"}


class ReadMessage(NamedTuple):
    """A message of a known kind. ``packet``: of the capture that completed it; ``offset``: in its direction."""

    connection: int
    direction: Direction
    time: float
    packet: int
    offset: int
    data: bytes
    transaction: Transaction
    values: Values


class Unread(NamedTuple):
    """Bytes that the description does not explain. ``reason``: one clause; ``extract``: the first of them.
    ``is_message``: they were cut out as a message."""

    connection: int
    direction: Direction
    time: float
    packet: int
    offset: int
    length: int
    reason: str
    extract: bytes
    is_message: bool


Found: TypeAlias = ReadMessage | Unread


class _Side:
    """One direction of a connection. ``framer``: None while no place is known at which a message begins."""

    __slots__ = ("broken", "framer", "offset")

    def __init__(self, framer: Framer | None) -> None:
        self.framer = framer
        self.broken = False
        self.offset = 0


class DescribedMessages:
    """Messages of dialogues, to be iterated once. Nothing in a capture makes it raise.

    Behind lost bytes, and where the beginning of a connection is missing, the first piece that begins with whole known
    messages is where reading goes on; what is before it is `Unread`.
    """

    def __init__(self, protocol: Protocol, dialogues: Dialogues) -> None:
        self._protocol = protocol
        self._dialogues = dialogues
        self._sides: dict[tuple[int, Direction], _Side] = {}
        self._kept = 0

    def __iter__(self) -> Iterator[Found]:
        for event in self._dialogues:
            if isinstance(event, Began):
                for direction in Direction:
                    framer = self._framer(direction) if event.from_start else None
                    self._sides[event.connection, direction] = _Side(framer)
            elif isinstance(event, Sent):
                yield from self._send(event)
            elif isinstance(event, Lost):
                yield from self._lose(event)
            else:
                yield from self._end(event)
        for connection, direction in list(self._sides):
            if direction is Direction.INITIATOR:
                yield from self._end(Ended(connection, False))

    def _framer(self, direction: Direction) -> Framer:
        return self._protocol.framer(ROLES[direction])

    def _send(self, sent: Sent) -> Iterator[Found]:
        side = self._sides[sent.connection, sent.direction]
        if side.broken:
            side.offset += len(sent.data)
            yield self._unread(sent, side.offset - len(sent.data), sent.data, "behind bytes that cannot be cut")
            return
        if side.framer is None and not self._goes_on(side, sent):
            side.offset += len(sent.data)
            yield self._unread(sent, side.offset - len(sent.data), sent.data, "where no message is known to begin")
            return
        assert side.framer is not None, "reading goes on"
        before = side.framer.pending
        try:
            for data in side.framer.receive(sent.data):
                yield self._message(sent, side.offset, data)
                side.offset += len(data)
        except StreamError as error:
            left = before + len(sent.data)
            extract = error.extract
            yield Unread(
                sent.connection, sent.direction, sent.time, sent.packet, side.offset, left, error.reason, extract, False
            )
            side.broken, side.framer = True, None
            self._kept -= before
            return
        self._kept += side.framer.pending - before
        if self._kept > MAX_KEPT:
            yield from self._give_up(sent)

    def _goes_on(self, side: _Side, sent: Sent) -> bool:
        """Whether a piece begins with known messages: then its direction can be read again from here on."""
        framer = self._framer(sent.direction)
        try:
            packets = list(framer.receive(sent.data))
        except StreamError:
            return False
        if not packets or any(self._read(packet, sent.direction) is None for packet in packets):
            return False
        side.framer = self._framer(sent.direction)
        return True

    def _read(self, data: bytes, direction: Direction) -> tuple[Transaction, Values] | None:
        try:
            return self._protocol.read(data, ROLES[direction])
        except PacketError:
            return None

    def _message(self, sent: Sent, offset: int, data: bytes) -> Found:
        try:
            found = self._protocol.read(data, ROLES[sent.direction])
        except PacketError as error:
            return self._unread(sent, offset, data, str(error), is_message=True)
        if found is None:
            return self._unread(sent, offset, data, "no transaction is it", is_message=True)
        return ReadMessage(sent.connection, sent.direction, sent.time, sent.packet, offset, data, *found)

    def _unread(self, sent: Sent, offset: int, data: bytes, reason: str, *, is_message: bool = False) -> Unread:
        return Unread(
            sent.connection,
            sent.direction,
            sent.time,
            sent.packet,
            offset,
            len(data),
            reason,
            data[:EXTRACT],
            is_message,
        )

    def _lose(self, lost: Lost) -> Iterator[Found]:
        side = self._sides[lost.connection, lost.direction]
        pending = side.framer.pending if side.framer is not None else 0
        if pending:
            yield Unread(
                lost.connection,
                lost.direction,
                float("nan"),
                0,
                side.offset,
                pending,
                "the rest of it is lost",
                b"",
                False,
            )
        self._kept -= pending
        side.offset += pending + lost.length
        side.framer, side.broken = None, False

    def _end(self, ended: Ended) -> Iterator[Found]:
        for direction in Direction:
            side = self._sides.pop((ended.connection, direction), None)
            if side is None or side.framer is None:
                continue
            pending = side.framer.pending
            self._kept -= pending
            last = Sent(ended.connection, direction, float("nan"), b"", 0)
            try:
                for data in side.framer.finish():
                    yield self._message(last, side.offset, data)
            except StreamError as error:
                reason = error.reason if ended.whole else "the capture ends in it"
                yield Unread(
                    ended.connection, direction, last.time, 0, side.offset, pending, reason, error.extract, False
                )

    def _give_up(self, sent: Sent) -> Iterator[Found]:
        """Forget the longest message that is not whole."""
        key = max(self._sides, key=lambda each: self._pending(self._sides[each]))
        side = self._sides[key]
        pending = self._pending(side)
        yield Unread(*key, sent.time, sent.packet, side.offset, pending, "too much waits for its end", b"", False)
        side.offset += pending
        side.framer, side.broken = None, True
        self._kept -= pending

    def _pending(self, side: _Side) -> int:
        return side.framer.pending if side.framer is not None else 0
