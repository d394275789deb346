"""The receiving end of a lane: a batch that waits for its confirm, and the number of the last one placed.

A batch goes as a whole to queues of this queue manager, its rows and the lane's record in one transaction; or, in a
unit of work (`elsewhere`), to one queue manager of MQ, or to synchronous queues that one connection reaches. Messages
that go elsewhere are refused as LATER and come in the next batch; the first that can be placed decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.store.interface import Operation, RemoveRecord, Store
from mqbridge.protocol.everyplace.batches import RefusedMessage
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .batch_in import BatchIn, Place
from .conversation import Committer
from .lane_records import IN_MQ, MARKS, NO_INCARNATION, READMITTED, LaneName, ReceivingRecord

if TYPE_CHECKING:
    from mqbridge.bridge.everyplace.onward.ways import Ways

    from .parts_in import PartsIn


class ReceivingLane:
    """One queue of another queue manager, as its batches arrive.

    A batch is prepared when it is pushed, so that its messages have their room and place, and takes effect when it is
    confirmed. ``place``: prepares a put. ``ways``: None if everything stays here.
    ``parts``: of its long messages, which have come ahead.
    """

    def __init__(
        self, name: LaneName, store: Store, place: Place, ways: Ways | None = None, parts: PartsIn | None = None
    ) -> None:
        self.name = name
        self._place = place
        self._ways = ways
        self._mq = None if ways is None else ways.mq
        self._parts = parts
        self._record = ReceivingRecord.read(store, name)
        self._mq_known = self._mq is None
        self._batch: BatchIn | None = None
        self._committing: Change[int] | None = None
        self._not_placed = 0

    @property
    def number(self) -> int:
        """Of the last batch placed."""
        return self._record.number

    def explain(self, number: int, claimed: int, *, in_doubt: bool) -> None:
        """Check what the sender says: batch ``claimed`` is the last that it knows to be placed, the next may be too.

        Raises `EveryplaceError` LANE_HELD if no crash explains that ``number`` is the last one here: one end was
        restored from a backup, or there are two of it.
        """
        known = self._record.sender not in (NO_INCARNATION, READMITTED)
        if known and number != claimed and not (in_doubt and number == claimed + 1):
            raise EveryplaceError(
                Code.LANE_HELD,
                f"lane {self.name}: batch {number} is the last placed here, {claimed} the last that the sender knows",
            )

    def adopt(self, sender: bytes, claimed: int) -> None:
        """Go on behind the number of the sender, if an administrator has readmitted it."""
        if self._record.sender == READMITTED and self._committing is None:
            self._record = ReceivingRecord(sender, claimed)
            self._mq_known = True

    def settle(self, sender: bytes, committer: Committer, then: Callable[[int | Refused], None]) -> None:
        """Say which batch the sender with this incarnation has placed here last.

        ``then`` gets its number, or why MQ cannot say now whether it has committed a batch. Raises `EveryplaceError`
        LANE_HELD for another incarnation than before, `Unsettled` while a batch is being committed.
        """
        self._check(sender)
        if self._mq is None or self._mq_known:
            then(self._record.number)
            return
        self._mq.committed(self.name, partial(self._asked, sender, committer, then))

    def _asked(
        self, sender: bytes, committer: Committer, then: Callable[[int | Refused], None], found: int | Refused | None
    ) -> None:
        """MQ has said what it knows: one batch more than the row, after a crash between the two."""
        if isinstance(found, Refused):
            then(found)
            return
        number = self._record.number
        there, mark = (0, 0) if found is None else divmod(found, MARKS)
        if there > number + 1:
            text = f"lane {self.name}: batch {there} is in MQ, and {number} is the last known here"
            then(Refused(Code.LANE_HELD, text))
            return
        if there != number + 1:
            self._mq_known = True
            then(number)
            return
        record = ReceivingRecord(sender, there, mark)

        def written(committed: bool) -> None:
            then(there if committed else Refused(Code.STORE, f"lane {self.name}: batch {there} cannot be recorded"))

        committer.submit(Change(None, [record.write(self.name)], partial(self._placed_in_mq, record)), written)

    def _placed_in_mq(self, record: ReceivingRecord) -> None:
        self._record = record
        self._mq_known = True

    def require_settled(self) -> None:
        """Raise `Unsettled` while a batch is being committed."""
        if self._committing is not None:
            raise Unsettled(self._committing)

    def _check(self, sender: bytes) -> None:
        self.require_settled()
        known = self._record.sender
        if known not in (NO_INCARNATION, READMITTED, sender):
            raise EveryplaceError(
                Code.LANE_HELD, f"lane {self.name}: this is another {self.name.partner} than the one that sent before"
            )

    def cut(self) -> None:
        """The connection is gone: forget what is unconfirmed."""
        batch, self._batch = self._batch, None
        if batch is not None:
            batch.give_up()

    def push(
        self,
        sender: bytes,
        number: int,
        messages: Sequence[tuple[Message, Address]],
        then: Callable[[list[RefusedMessage]], None],
    ) -> None:
        """Prepare a batch, in place of one that was not confirmed. ``then`` gets the messages that are not taken.

        Raises `EveryplaceError` DATA for a number that is not the next or a message without UID, STORE for the batch
        behind one that could not be stored, BRIDGE_MQ_UNAVAILABLE while it is not known what MQ has committed;
        otherwise as `settle`, so that a batch waits while the one before it is being committed.
        """
        self._check(sender)
        if not self._mq_known:
            raise EveryplaceError(
                Code.BRIDGE_MQ_UNAVAILABLE, f"lane {self.name}: MQ has not said what it has committed"
            )
        expected = self._record.number + 1
        if expected == self._not_placed == number - 1:
            raise EveryplaceError(Code.STORE, f"lane {self.name}: batch {number} is behind one that cannot be stored")
        if number != expected:
            raise EveryplaceError(Code.DATA, f"lane {self.name}: batch {number} was pushed; {expected} is the next")
        self.cut()
        uids = [message.uid for message, _ in messages]
        if None in uids or len(set(uids)) < len(uids):
            raise EveryplaceError(Code.DATA, f"lane {self.name}: a message has no UID, or the same as another one")
        self._batch = BatchIn(self.name, number, self._place, self._ways)
        self._batch.prepare(messages, then)

    @property
    def mark(self) -> int:
        """Of the last batch placed; 0 if it is not known."""
        return self._record.mark

    def confirm(
        self,
        sender: bytes,
        number: int,
        committer: Committer,
        then: Callable[[bool], None],
        mark: int = 0,
    ) -> None:
        """Place the batch; ``then`` gets whether it is on disk, after which CONFIRMED may be sent, before what has
        waited for it goes on. ``mark``: of the batch, to be kept.

        Raises `EveryplaceError` DATA for a batch that is not here: the sender must settle, and never takes it as done.
        `Unsettled` while one is being committed.
        """
        self.require_settled()
        if number == self._record.number and self._record.sender == sender:
            then(True)
            return
        batch = self._batch
        if batch is None or number != batch.number or not batch.prepared:
            raise EveryplaceError(Code.DATA, f"lane {self.name}: batch {number} is to be confirmed and is not here")
        self._batch = None
        record = ReceivingRecord(sender, number, mark)
        rows: list[Operation] = [
            record.write(self.name),
            *([] if self._parts is None else self._parts.removals(self.name)),
        ]
        waiting = self._committing = Change(number)

        def told(done: bool) -> None:
            self._committing = None
            then(done)
            waiting.ended(committed=done)

        if batch.unit is None:
            change = Change(
                number,
                [*batch.operations(), *rows],
                partial(self._ended, batch, record, committed=True),
                partial(self._ended, batch, record, committed=False),
            )
            committer.submit(change, told)
            return
        self._mq_known = self._mq is None

        def ended(done: bool) -> None:
            self._mq_known = done or self._mq is None
            self._ended(batch, record, committed=done)
            told(done)

        batch.unit.commit(number * MARKS + mark, rows, ended)

    def _ended(self, batch: BatchIn, record: ReceivingRecord, *, committed: bool) -> None:
        """A commit has ended."""
        if committed:
            self._record = record
            if self._parts is not None:
                self._parts.placed(self.name)
        self._not_placed = 0 if committed else record.number
        batch.ended(committed=committed)

    def readmit(self, sender: bytes, number: int) -> Change[None]:
        """Take the sender with this incarnation on from here, as an administrator has said.

        What MQ has recorded of the lane does not count from now on.
        """
        record = ReceivingRecord(sender, number)

        def admitted() -> None:
            self.cut()
            self._record = record

        operations: list[Operation] = [record.write(self.name)]
        if self._mq is not None:
            operations.append(RemoveRecord(IN_MQ, self.name.key))
        return Change(None, operations, admitted)
