"""How a batch of a transmission queue leaves it and is placed, once: here in one transaction, elsewhere in two phases.

Elsewhere: the messages are placed unconfirmed, with a row that says so (phase 1); the unit of work at MQ, with the
listener's next record, is committed (2); the messages are confirmed and the row removed (3). A crash leaves the row;
then MQ's record says whether they are to be confirmed or removed.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple, Protocol

from mqbridge.bridge.agents.everyplace.mq.incoming import Placement, confirmations, removals, together
from mqbridge.bridge.agents.everyplace.mq.program import MqFailure, MqProgram, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.reasons import refused as refusal
from mqbridge.bridge.agents.everyplace.mq.sync_records import LaneRecord, SyncRecords
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.changes import Unsettled
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.transfer.lane_records import FROM_MQ, LaneName
from mqbridge.bridge.store.interface import PutRecord, RemoveRecord, Store
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

_HEAD: Final = struct.Struct(">QQ")
_TIME: Final = struct.Struct(">Q")
Then = Callable[[Refused | None], None]


class Delivery(Protocol):
    """``confirm``: confirm id with which messages are placed, 0 for none."""

    @property
    def confirm(self) -> int:
        """Confirm id of the next batch."""
        ...

    def begin(self, program: MqProgram, then: Then) -> None:
        """Settle what is in doubt; the program has no unit of work then."""
        ...

    def deliver(self, placement: Placement, then: Then) -> None:
        """Commit the unit of work with the messages of a placement; ``then`` gets why not."""
        ...


class DeliveryHere:
    """From the queue manager in this process."""

    confirm = 0

    def __init__(self, way: Way) -> None:
        self._way = way
        self._program: MqProgram | None = None

    def begin(self, program: MqProgram, then: Then) -> None:
        """See `Delivery`."""
        self._program = program
        then(None)

    def deliver(self, placement: Placement, then: Then) -> None:
        """See `Delivery`."""
        program = self._program
        assert program is not None, "it was begun"

        def committed(outcome: PutOutcome) -> None:
            failed = isinstance(outcome, MqFailure)
            placement.ended(committed=not failed)
            then(refusal(outcome, self._way.proxy) if isinstance(outcome, MqFailure) else None)

        program.commit(placement.operations, committed)


class Doubt(NamedTuple):
    """A batch in doubt: its number, the confirm id of its messages, and where they are."""

    number: int
    confirm: int
    placed: tuple[tuple[Address, MessageUid], ...]

    def encode(self) -> bytes:
        """Return its row."""
        parts = [_HEAD.pack(self.number, self.confirm)]
        for address, uid in self.placed:
            names = b"".join(each.encode("ascii") + b"\0" for each in (*address, uid.origin))
            parts.append(names + _TIME.pack(uid.time))
        return b"".join(parts)

    @classmethod
    def read(cls, data: bytes) -> Doubt:
        """Return that of a row. Raises `EveryplaceError` STORE."""
        try:
            number, confirm = _HEAD.unpack_from(data)
            at, placed = _HEAD.size, []
            while at < len(data):
                names = []
                for _ in range(3):
                    end = data.index(0, at)
                    names.append(data[at:end].decode("ascii"))
                    at = end + 1
                placed.append((Address(names[0], names[1]), MessageUid(names[2], _TIME.unpack_from(data, at)[0])))
                at += _TIME.size
        except (struct.error, ValueError):
            raise EveryplaceError(Code.STORE, "the record of a listener is damaged") from None
        return cls(number, confirm, tuple(placed))


class DeliveryFromAfar:
    """From a queue manager elsewhere. ``lane``: the listener's, by which it has its record at MQ."""

    def __init__(
        self,
        way: Way,
        lane: LaneName,
        manager: QueueManager,
        records: SyncRecords,
        store: Store,
        random: random.Random,
    ) -> None:
        self._way = way
        self._lane = lane
        self._manager = manager
        self._records = records
        self._random = random
        row = store.record(FROM_MQ, lane.key)
        self._doubt = None if row is None else Doubt.read(row)
        self._program: MqProgram | None = None
        self.confirm = self._new_confirm()

    def _new_confirm(self) -> int:
        return self._random.getrandbits(62) + 1

    def begin(self, program: MqProgram, then: Then) -> None:
        """See `Delivery`."""
        self._program = program
        if self._doubt is None:
            self._records.ensure(self._way, program, self._lane, then)
        else:
            self._records.lock(self._way, program, self._lane, partial(self._locked, self._doubt, then))

    def _locked(self, doubt: Doubt, then: Then, found: LaneRecord | Refused) -> None:
        """MQ has decided about the batch in doubt."""
        if isinstance(found, Refused):
            then(found)
            return

        def backed_out(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                then(refusal(outcome, self._way.proxy))
            else:
                self._settle(doubt, found.number >= doubt.number, then)

        self._using().back_out(backed_out)

    def _using(self) -> MqProgram:
        assert self._program is not None, "it was begun"
        return self._program

    def _settle(self, doubt: Doubt, done: bool, then: Then) -> None:
        """Make the messages of a batch visible, or remove them; then its row is gone."""
        try:
            if done:
                changes = confirmations(self._manager, doubt.placed, self._way.host.date)
            else:
                changes = removals(self._manager, doubt.placed, doubt.confirm)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: self._settle(doubt, done, then))
            return

        def written(committed: bool) -> None:
            if committed:
                self._doubt = None
                self.confirm = self._new_confirm()
                then(None)
            else:
                then(Refused(Code.STORE, f"batch {doubt.number} of {self._lane} cannot be settled"))

        change = together(changes, [RemoveRecord(FROM_MQ, self._lane.key)])
        self._way.host.committer.submit(change, written)

    def deliver(self, placement: Placement, then: Then) -> None:
        """See `Delivery`."""

        def locked(found: LaneRecord | Refused) -> None:
            if isinstance(found, Refused):
                placement.ended(committed=False)
                then(found)
            else:
                self._place(found, placement, then)

        self._records.lock(self._way, self._using(), self._lane, locked)

    def _place(self, record: LaneRecord, placement: Placement, then: Then) -> None:
        """Place the messages unconfirmed, commit at MQ, and confirm them."""
        program = self._using()
        doubt = Doubt(record.number + 1, self.confirm, tuple(placement.placed))
        row = PutRecord(FROM_MQ, self._lane.key, doubt.encode())

        def placed(committed: bool) -> None:
            if not committed:
                then(Refused(Code.STORE, f"batch {doubt.number} of {self._lane} cannot be placed"))
                return
            self._doubt = doubt
            record.replace(program, doubt.number, replaced)

        def replaced(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                then(refusal(outcome, self._way.proxy))
            else:
                program.commit((), committed)

        def committed(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                then(refusal(outcome, self._way.proxy))
            else:
                self._settle(doubt, True, then)

        self._way.host.committer.submit(together(placement.changes, [*placement.first, row]), placed)
