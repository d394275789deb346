"""A batch of a lane as a unit of work of MQ (E-406, E-420).

Where MQ is the queue manager in this process, the messages, the number of the batch and all rows are one transaction.
Elsewhere the unit also replaces the lane's record on the sync queue, and the rows follow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mqbridge.bridge.agents.everyplace.mq.outgoing import Outgoing, put_outgoing
from mqbridge.bridge.agents.everyplace.mq.program import MqDone, MqFailure, MqProgram, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.reasons import OUTAGE, may_pass, refused
from mqbridge.bridge.agents.everyplace.mq.steps import Steps
from mqbridge.bridge.agents.everyplace.mq.sync_records import LaneRecord, SyncRecords
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.mq_units import MqTarget
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message

Then = Callable[[Refused | None], None]
_OVER: Final = Refused(Code.BRIDGE_MQ_UNAVAILABLE, "the unit of work is over")


class BatchUnit:
    """See `MqUnit`. ``find``: the way of a bridge queue; raises `EveryplaceError`. ``user``: whose authority counts."""

    def __init__(self, lane: LaneName, user: str, find: Callable[[Queue], Way], records: SyncRecords) -> None:
        self._lane = lane
        self._user = user
        self._find = find
        self._records = records
        self._way: Way | None = None
        self._program: MqProgram | None = None
        self._record: LaneRecord | None = None
        self._items: deque[tuple[MqTarget, Message, Then]] = deque()
        self._busy = False
        self._over = False
        self._steps = Steps()
        self._blocked: dict[tuple[str, str], Refused] = {}
        self._outage: Refused | None = None

    # What the lane calls

    def put(self, target: MqTarget, message: Message, then: Then) -> None:
        """See `MqUnit`."""
        self._items.append((target, message, then))
        self._steps.go(self._next)

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        """See `MqUnit`."""
        program, way = self._program, self._way
        if program is None or way is None or self._over:
            then(False)
            return
        self._over = True
        if program.takes_rows:
            program.commit(rows, partial(self._committed, way, program, then))
            return
        record = self._record
        assert record is not None, "the record was locked before the first put"

        def replaced(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                self._failed(way, program, then)
            else:
                program.commit((), committed)

        def committed(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                self._failed(way, program, then)
                return
            way.pool.release(program, way.host.now)
            way.host.committer.submit(Change(None, rows), then)

        record.replace(program, number, replaced)

    def back_out(self) -> None:
        """See `MqUnit`."""
        self._over = True
        self._items.clear()
        if self._program is not None and self._way is not None and not self._busy:
            self._give_back()

    # Parts

    def _committed(self, way: Way, program: MqProgram, then: Callable[[bool], None], outcome: PutOutcome) -> None:
        way.pool.release(program, way.host.now)
        then(isinstance(outcome, MqDone))

    def _failed(self, way: Way, program: MqProgram, then: Callable[[bool], None]) -> None:
        program.back_out(lambda _: way.pool.release(program, way.host.now))
        then(False)

    def _give_back(self) -> None:
        program, way = self._program, self._way
        assert program is not None
        assert way is not None
        self._program = None
        program.back_out(lambda _: way.pool.release(program, way.host.now))

    def _next(self) -> None:
        """Put the next message, if none is being put."""
        while self._items and not self._busy and not self._over:
            target, message, then = self._items.popleft()
            try:
                way = self._way = self._way or self._find(target.queue)
                destination = way.destination(target)
                stopped = self._outage or self._blocked.get(destination)
                if stopped is not None:
                    then(stopped)
                    continue
                outgoing = Outgoing(way, target, message)
            except EveryplaceError as error:
                then(Refused(error.code, error.text))
                continue
            self._busy = True
            self._with_program(way, partial(self._put, way, outgoing, then))

    def _with_program(self, way: Way, then: Callable[[Refused | None], None]) -> None:
        if self._program is not None:
            then(None)
            return

        def acquired(found: MqProgram | Refused) -> None:
            if isinstance(found, Refused):
                then(found)
                return
            self._program = found
            if found.takes_rows or self._over:
                then(None)
            else:
                self._records.lock(way, found, self._lane, locked)

        def locked(found: LaneRecord | Refused) -> None:
            if isinstance(found, Refused):
                self._outage = found
            else:
                self._record = found
            then(self._outage)

        way.pool.acquire(self._user, acquired)

    def _put(self, way: Way, outgoing: Outgoing, then: Then, stopped: Refused | None) -> None:
        program = self._program
        if self._over:
            self._answered(then, _OVER)
        elif stopped is not None or program is None:
            self._outage = stopped or _OVER
            self._answered(then, self._outage)
        else:
            put_outgoing(program, outgoing, partial(self._has_put, way, outgoing, then))

    def _has_put(self, way: Way, outgoing: Outgoing, then: Then, outcome: PutOutcome) -> None:
        if isinstance(outcome, MqDone):
            self._answered(then, None)
            return
        found = refused(outcome, str(outgoing.target.address))
        if outcome.reason in OUTAGE:
            self._outage = found
        elif may_pass(outcome):
            self._blocked[outgoing.destination] = found
        else:
            way.host.alarm(str(outgoing.target.address), f"{outgoing.uid}: {found.text}")
        self._answered(then, found)

    def _answered(self, then: Then, outcome: Refused | None) -> None:
        self._busy = False
        if self._over:
            if self._program is not None:
                self._give_back()
            return
        then(outcome)
        self._steps.go(self._next)
