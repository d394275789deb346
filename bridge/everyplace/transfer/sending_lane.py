"""The sending end of a lane: batches, what is in doubt, and how it is settled."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, unique
from itertools import takewhile
from typing import Any, Final, NamedTuple, TypeVar

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.everyplace.queues.entry import Entry
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.protocol.everyplace.batches import RefusedMessage, mark_of
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.uid import MessageUid

from .lane_records import NO_INCARNATION, READMITTED, LaneName, SendingRecord

Result = TypeVar("Result")
MAX_BATCH: Final = 1 << 19
"""Most bytes of a batch that has several messages."""


@unique
class LaneState(Enum):
    """State of the sending end."""

    UNSETTLED = "unsettled"
    """The numbers of both ends have not been compared since the connection was made."""
    READY = "ready"
    PUSHED = "pushed"
    """A batch is at the receiver, unconfirmed."""
    IN_DOUBT = "in doubt"
    """The record is on disk, or on its way there; the receiver may have placed the batch. The next batch may be at the
    receiver, too."""
    HELD = "held"
    """The numbers fit no crash (`Code.LANE_HELD`)."""


class Batch(NamedTuple):
    """``entries``: its messages on the queue, in order."""

    number: int
    entries: list[Entry]


class SendingLane:
    """One queue's way to one queue manager.

    ``messages``: of the queue. ``state``: see `LaneState`. ``alarm``: why it is held, or which message blocks it
    (E-214); empty otherwise. ``begun``: the long message of which parts may be at the other end.
    """

    def __init__(self, name: LaneName, store: Store, messages: StoredMessages, target: str = "") -> None:
        self.name = name
        self.messages = messages
        self._outgoing = messages.outgoing
        self._target = target
        self._record = SendingRecord.read(store, name)
        self._doubtful = self._outgoing.at(self._record.in_doubt)
        self._outgoing.reserve(self._doubtful)
        self._done: list[Entry] = []
        self._batch: Batch | None = None
        self._writing: Change[Any] | None = None
        self.state = LaneState.UNSETTLED
        self.alarm = ""
        self.begun: MessageUid | None = None

    @property
    def number(self) -> int:
        """Of the last batch known to be placed."""
        return self._record.number

    @property
    def in_doubt(self) -> bool:
        """Whether the batch behind it may be placed too."""
        return bool(self._doubtful)

    @property
    def mark(self) -> int:
        """Of the batch that is in doubt."""
        return mark_of(entry.uid for entry in self._doubtful)

    @property
    def waiting(self) -> bool:
        """Whether the receiver has placed messages that are not deleted here yet."""
        return bool(self._done)

    def is_behind(self, number: int) -> bool:
        """Whether this batch is at the receiver, unconfirmed, behind the one that is in doubt."""
        return self.state is LaneState.IN_DOUBT and self._batch is not None and self._batch.number == number

    # Connection

    def cut(self) -> None:
        """The connection is gone: what the receiver had unconfirmed, it has forgotten."""
        if self._batch is not None:
            self._release(self._batch.entries)
            self._batch = None
        if self.state is not LaneState.HELD:
            self.state = LaneState.UNSETTLED

    def settle(self, receiver: bytes, number: int, mark: int = 0) -> None:
        """Compare numbers: the receiver, with this incarnation, has placed batch ``number`` last, whose mark is
        ``mark`` or, if 0, not known.

        What was in doubt is done, or free again. Raises `EveryplaceError` LANE_HELD if no crash explains the numbers,
        `Unsettled` while the record is being written.
        """
        if self._writing is not None:
            raise Unsettled(self._writing)
        known, record = self._record.receiver, self._record
        if known == READMITTED:
            record = SendingRecord(receiver, number)
        same = known in (NO_INCARNATION, READMITTED, receiver)
        if same and number == record.number:
            self._release(self._doubtful)
            self._doubtful = []
        elif same and self._doubtful and number == record.number + 1 and mark in (0, self.mark):
            self._done, self._doubtful = self._doubtful, []
        else:
            self.state = LaneState.HELD
            doubt = f", {len(record.in_doubt)} messages in doubt" if record.in_doubt else ""
            self.alarm = (
                f"lane {self.name}: batch {record.number} is the last confirmed here{doubt}, "
                f"{number} the last at {'the same' if same else 'another'} {self.name.partner}"
            )
            raise EveryplaceError(Code.LANE_HELD, self.alarm)
        self.alarm = ""
        self._record = SendingRecord(receiver, number)
        self.state = LaneState.READY

    def readmit(self, receiver: bytes, number: int) -> Change[None]:
        """Go on behind the number of the receiver, as an administrator has said; what was in doubt goes again."""
        record = SendingRecord(receiver, number)

        def admitted() -> None:
            self._record, self.alarm = record, ""
            self._release([*self._doubtful, *self._done])
            self._doubtful, self._done = [], []
            self.state = LaneState.UNSETTLED

        return Change(None, [record.write(self.name)], admitted)

    # Batches

    def next_batch(self, count: int, now: int, most: int = MAX_BATCH) -> Batch | None:
        """Return the next batch to push, of up to ``count`` messages and, unless one is longer, ``most`` bytes.

        None if nothing waits, or not now.
        """
        if self.state is not LaneState.READY:
            return None
        entries = _up_to(most, self._outgoing.first(count, now, self._target))
        if not entries:
            return None
        self.state = LaneState.PUSHED
        return self._push(self._record.number + 1, entries)

    def batch_behind(self, count: int, now: int, below: int, most: int = MAX_BATCH) -> Batch | None:
        """Return the batch to push behind the CONFIRM of the one that is in doubt, as `next_batch` does.

        Its messages are shorter than ``below`` bytes. None, too, while the record of the batch in doubt is not on disk.
        """
        if self.state is not LaneState.IN_DOUBT or self._writing is not None or self._batch is not None:
            return None
        short = takewhile(lambda entry: entry.length < below, self._outgoing.first(count, now, self._target))
        entries = _up_to(most, list(short))
        return self._push(self._record.number + 2, entries) if entries else None

    def taken(self, number: int, refused: Sequence[RefusedMessage]) -> Change[int] | None:
        """The receiver keeps a batch unconfirmed, but for some messages, which stay here.

        Returns the change after which CONFIRM may be sent; its result is the number. None if nothing was taken. Raises
        `EveryplaceError` DATA for an answer that fits no push.
        """
        batch = self._pushed(number)
        names = {each.uid for each in refused}
        kept = [entry for entry in batch.entries if entry.uid not in names]
        self._release([entry for entry in batch.entries if entry.uid in names])
        first = next((each for each in refused if each.code != Code.LATER), None)
        if first is not None:
            self.alarm = f"lane {self.name}: {first.uid} is refused: {first.text}"
        self._batch = None
        if not kept:
            self.state = LaneState.READY
            return None
        if not refused:
            self.alarm = ""
        self.state = LaneState.IN_DOUBT
        before = self._record
        self._record = SendingRecord(before.receiver, before.number, tuple(entry.position for entry in kept))
        done, self._done, self._doubtful = self._done, [], kept
        return self._write(number, done, before)

    def confirmed(self, number: int) -> None:
        """The receiver has placed the batch in doubt. Raises `EveryplaceError` DATA if it is another one."""
        if self.state is not LaneState.IN_DOUBT or number != self._record.number + 1:
            raise EveryplaceError(Code.DATA, f"lane {self.name}: batch {number} was confirmed and is not in doubt")
        self._done, self._doubtful = [*self._done, *self._doubtful], []
        self._record = SendingRecord(self._record.receiver, number)
        self.state = LaneState.READY if self._batch is None else LaneState.PUSHED

    def deletes(self) -> Change[None] | None:
        """Delete what the receiver has placed, when no further batch does it; None if there is nothing."""
        if not self._done or self._writing is not None or self.state in (LaneState.PUSHED, LaneState.IN_DOUBT):
            return None
        done, self._done = self._done, []
        return self._write(None, done, self._record)

    # Parts

    def _push(self, number: int, entries: list[Entry]) -> Batch:
        self._outgoing.reserve(entries)
        self._batch = Batch(number, entries)
        return self._batch

    def _pushed(self, number: int) -> Batch:
        if self.state is not LaneState.PUSHED or self._batch is None or number != self._batch.number:
            raise EveryplaceError(Code.DATA, f"lane {self.name}: batch {number} was answered and not pushed")
        return self._batch

    def _write(self, result: Result, done: list[Entry], before: SendingRecord) -> Change[Result]:
        """Return the change that deletes what is done and writes the record."""
        operations: list[Operation] = [*self._outgoing.deletes(done), self._record.write(self.name)]

        def ends() -> bool:
            """Whether nothing is being written any more."""
            if self._writing is change:
                self._writing = None
            return self._writing is None

        def written() -> None:
            ends()
            self._outgoing.forget(done)

        def refused() -> None:
            if ends():
                self._not_written(before, done)
            else:
                self._done = [*done, *self._done]

        change = self._writing = Change(result, operations, written, refused)
        return change

    def _not_written(self, before: SendingRecord, done: list[Entry]) -> None:
        """The store has refused: what was to be in doubt is free again, once the ends have settled."""
        if self.state is LaneState.IN_DOUBT:
            self._release(self._doubtful)
            self._doubtful = []
            self.state = LaneState.UNSETTLED
        self._record, self._done = before, [*done, *self._done]

    def _release(self, entries: Sequence[Entry]) -> None:
        self._outgoing.release(entries)


def _up_to(most: int, entries: list[Entry]) -> list[Entry]:
    """Return the first of them, of ``most`` bytes together or one that is longer."""
    total = 0
    for place, entry in enumerate(entries):
        total += entry.length
        if total > most and place:
            return entries[:place]
    return entries
