"""Puts of programs with confirm id on bridge queues (E-407): kept here until they are confirmed, then put in MQ once.

Here, the put and the removal of what was kept are one transaction. Elsewhere the unit of work carries a numbered record
of the sync queue, and what is kept bears the number from before the commit: afterwards it says whether MQ has it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mqbridge.bridge.agents.everyplace.mq.outgoing import Outgoing, put_outgoing
from mqbridge.bridge.agents.everyplace.mq.program import MqFailure, MqProgram, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.reasons import refused
from mqbridge.bridge.agents.everyplace.mq.sync_records import LaneRecord, SyncRecords
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.effects import Then
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import KEPT_FOR_MQ, LaneName
from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store
from mqbridge.protocol.everyplace.calls import Done, Put, Refused
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

MAX_KEPT: Final = 10_000
"""Most puts that wait for their confirm."""
_HEAD: Final = struct.Struct(">qQQ")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A put that is not confirmed. ``number``: of the sync record with which it may have been put, 0 for none.
    ``way``: name of the client connection. ``peer``: who has put it."""

    message: Message
    address: Address
    confirm: int
    way: str
    peer: str
    number: int = 0

    @property
    def uid(self) -> MessageUid:
        found = self.message.uid
        assert found is not None, "a message on its way has a UID"
        return found

    def write(self) -> PutRecord:
        names = "\0".join((*self.address, self.way, self.peer)).encode("ascii") + b"\0"
        head = _HEAD.pack(self.confirm, self.number, len(names))
        return PutRecord(KEPT_FOR_MQ, _key(self.uid), head + names + dump(self.message))

    @classmethod
    def read(cls, data: bytes) -> _Kept:
        try:
            confirm, number, length = _HEAD.unpack_from(data)
            end = _HEAD.size + length
            queue, queue_manager, way, peer, _ = data[_HEAD.size : end].decode("ascii").split("\0")
            message = Message.of(restore(data[end:]))
        except (struct.error, ValueError):
            raise EveryplaceError(Code.STORE, "a put that waits for its confirm is damaged") from None
        return cls(message, Address(queue, queue_manager), confirm, way, peer, number)


class AssuredPuts:
    """All puts on bridge queues that wait for their confirm. Raises `EveryplaceError` STORE."""

    def __init__(self, store: Store, records: SyncRecords) -> None:
        self._records = records
        self._kept = {each.uid: each for each in (_Kept.read(data) for _, data in store.records(KEPT_FOR_MQ))}
        self._busy: set[MessageUid] = set()
        self._trying: dict[MessageUid, _Kept] = {}

    def put(self, way: Way, target: TargetElsewhere, call: Put, peer: str, then: Then) -> None:
        """Keep a message. Raises `EveryplaceError` DUPLICATE unless it is the same again with resend, Q_FULL, and what
        its transformer says."""
        Outgoing(way, target, call.message)
        kept = _Kept(call.message, target.address, call.confirm, way.name, peer)
        if kept.uid in self._kept:
            if not call.message.resend:
                raise EveryplaceError(Code.DUPLICATE, f"{target.queue} has message {kept.uid} unconfirmed")
            then(Done())
            return
        if len(self._kept) >= MAX_KEPT:
            raise EveryplaceError(Code.Q_FULL, f"{MAX_KEPT} puts on bridge queues wait for their confirm")
        self._kept[kept.uid] = kept
        self._write(way, [kept.write()], then, lambda: self._forget(kept.uid))

    def confirm(self, way: Way, queue: Queue, uid: MessageUid, then: Then) -> None:
        """Put a message that is kept in MQ, once.

        Raises `EveryplaceError` NOT_FOUND, which a repeated call takes as done.
        """
        kept = self._kept.get(uid)
        if kept is None:
            raise EveryplaceError(Code.NOT_FOUND, f"{queue} has no message {uid} to be confirmed")
        if uid in self._busy:
            raise EveryplaceError(Code.ACTIVE, f"{queue} has message {uid}, which is being confirmed")
        outgoing = Outgoing(way, TargetElsewhere(queue, kept.address), kept.message)
        self._busy.add(uid)
        _Confirming(self, way, kept, outgoing, then).begin()

    def undo(self, way: Way, confirm: int, then: Then) -> None:
        """Forget the puts with a confirm id; one that MQ has nevertheless stays there."""
        gone = [each for each in self._kept.values() if each.confirm == confirm and each.uid not in self._busy]
        for each in gone:
            del self._kept[each.uid]

        def back() -> None:
            self._kept.update({each.uid: each for each in gone})

        self._write(way, [RemoveRecord(KEPT_FOR_MQ, _key(each.uid)) for each in gone], then, back)

    # For one confirm

    def lock(self, way: Way, program: MqProgram, then: Callable[[LaneRecord | Refused], None]) -> None:
        """Get the record of the puts over a client connection."""
        self._records.lock(way, program, LaneName("", way.name), then)

    def keeps(self, uid: MessageUid) -> bool:
        """Whether a put is kept. It is not when the confirm of another one has found out that MQ has it."""
        return uid in self._kept

    def settled(self, way: Way, number: int) -> tuple[list[_Kept], list[_Kept]]:
        """Return the puts that MQ has, and those that it never got, as its record with this number says.

        Whoever has locked the record asks. So the units of work of all others are over, and a number of theirs that is
        still being written here counts as if it had been: what the asker writes is written behind it.
        """
        present = [self._trying.get(uid, each) for uid, each in self._kept.items()]
        doubtful = [each for each in present if each.number and each.way == way.name]
        for each in doubtful:
            self._trying.pop(each.uid, None)
        done = [each for each in doubtful if each.number <= number]
        return done, [replace(each, number=0) for each in doubtful if each.number > number]

    def tries(self, kept: _Kept, number: int) -> _Kept:
        """Return a put as it is when it goes to MQ with this number."""
        tried = self._trying[kept.uid] = replace(kept, number=number)
        return tried

    def note(self, changed: Sequence[_Kept], gone: Sequence[_Kept]) -> Change[None]:
        """Return the change that writes and forgets puts."""
        operations: list[Operation] = [each.write() for each in changed]
        operations += [RemoveRecord(KEPT_FOR_MQ, _key(each.uid)) for each in gone]

        def apply() -> None:
            self._kept.update({each.uid: each for each in changed})
            for each in gone:
                self._kept.pop(each.uid, None)

        return Change(None, operations, apply)

    def ended(self, uid: MessageUid) -> None:
        """A confirm has ended."""
        self._busy.discard(uid)
        self._trying.pop(uid, None)

    def _forget(self, uid: MessageUid) -> None:
        self._kept.pop(uid, None)

    def _write(self, way: Way, operations: Sequence[Operation], then: Then, revert: Callable[[], None]) -> None:
        def written(committed: bool) -> None:
            then(Done() if committed else Refused(Code.STORE, "the store refuses it"))

        way.host.committer.submit(Change(None, operations, None, revert), written)


class _Confirming:
    """The confirm of one put."""

    def __init__(self, puts: AssuredPuts, way: Way, kept: _Kept, outgoing: Outgoing, then: Then) -> None:
        self._puts = puts
        self._way = way
        self._kept = kept
        self._outgoing = outgoing
        self._then = then
        self._program: MqProgram | None = None

    def begin(self) -> None:
        self._way.pool.acquire(self._kept.peer, self._acquired)

    def _acquired(self, found: MqProgram | Refused) -> None:
        if isinstance(found, Refused):
            self._puts.ended(self._kept.uid)
            self._then(found)
            return
        self._program = found
        if found.takes_rows:
            put_outgoing(found, self._outgoing, self._put_here)
        else:
            self._puts.lock(self._way, found, self._locked)

    # Here

    def _put_here(self, outcome: PutOutcome) -> None:
        if isinstance(outcome, MqFailure):
            self._fail(refused(outcome, str(self._kept.address)))
            return
        change = self._puts.note((), [self._kept])
        self._using().commit(change.operations, lambda outcome: self._committed_here(change, outcome))

    def _committed_here(self, change: Change[None], outcome: PutOutcome) -> None:
        failed = isinstance(outcome, MqFailure)
        change.ended(committed=not failed)
        self._end(refused(outcome, str(self._kept.address)) if isinstance(outcome, MqFailure) else Done())

    # Elsewhere

    def _locked(self, found: LaneRecord | Refused) -> None:
        """MQ says what it has: this put perhaps, and others before."""
        if isinstance(found, Refused):
            self._fail(found)
            return
        done, never = self._puts.settled(self._way, found.number)
        mine = any(each.uid == self._kept.uid for each in done) or not self._puts.keeps(self._kept.uid)
        number = found.number + 1
        if not mine:
            never = [each for each in never if each.uid != self._kept.uid]
            never.append(self._puts.tries(self._kept, number))

        def written(committed: bool) -> None:
            if not committed:
                self._fail(Refused(Code.STORE, "the store refuses it"))
            elif mine:
                self._fail(Done())
            else:
                put_outgoing(self._using(), self._outgoing, lambda outcome: self._put(found, number, outcome))

        self._way.host.committer.submit(self._puts.note(never, done), written)

    def _put(self, record: LaneRecord, number: int, outcome: PutOutcome) -> None:
        if isinstance(outcome, MqFailure):
            self._fail(refused(outcome, str(self._kept.address)))
        else:
            record.replace(self._using(), number, self._replaced)

    def _replaced(self, outcome: PutOutcome) -> None:
        if isinstance(outcome, MqFailure):
            self._fail(refused(outcome, str(self._kept.address)))
        else:
            self._using().commit((), self._committed)

    def _committed(self, outcome: PutOutcome) -> None:
        if isinstance(outcome, MqFailure):
            self._fail(refused(outcome, str(self._kept.address)))
            return
        change = self._puts.note((), [self._kept])
        self._way.host.committer.submit(change, lambda _: self._end(Done()))

    # Ends

    def _using(self) -> MqProgram:
        assert self._program is not None, "it has a program"
        return self._program

    def _fail(self, outcome: Refused | Done) -> None:
        """Back out, and answer."""
        self._using().back_out(lambda _: self._end(outcome))

    def _end(self, outcome: Refused | Done) -> None:
        self._way.pool.release(self._using(), self._way.host.now)
        self._puts.ended(self._kept.uid)
        self._then(outcome)


def _key(uid: MessageUid) -> bytes:
    return uid.origin.encode("ascii") + b"\0" + uid.time.to_bytes(8, "big")
