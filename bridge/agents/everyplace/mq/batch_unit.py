"""A batch of a lane as a unit of work of MQ (E-406, E-420).

Where MQ is the queue manager in this process, the messages, the number of the batch and all rows are one transaction.
Elsewhere the unit also replaces the lane's record on the sync queue, and the rows follow; and messages that wait
together are sent ahead of their answers. If one of them fails, the unit is backed out and made again one by one, so
that each gets its own outcome.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from mqbridge.bridge.agents.everyplace.mq.outgoing import Outgoing, put_outgoing
from mqbridge.bridge.agents.everyplace.mq.program import AheadPuts, MqDone, MqFailure, MqProgram, MqPut, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.reasons import OUTAGE, may_pass, refused
from mqbridge.bridge.agents.everyplace.mq.steps import Steps
from mqbridge.bridge.agents.everyplace.mq.sync_records import LaneRecord, SyncRecords
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message

Then = Callable[[Refused | None], None]
_OVER: Final = Refused(Code.BRIDGE_MQ_UNAVAILABLE, "the unit of work is over")


class _Item(NamedTuple):
    """A message that is to be put."""

    target: TargetElsewhere
    message: Message
    then: Then


class _Ready(NamedTuple):
    """The same as MQ will get it."""

    item: _Item
    outgoing: Outgoing


class BatchUnit:
    """See `UnitElsewhere`. ``find``: the way of a bridge queue; raises `EveryplaceError`. ``user``: whose authority
    counts."""

    def __init__(self, lane: LaneName, user: str, find: Callable[[Queue], Way], records: SyncRecords) -> None:
        self._lane = lane
        self._user = user
        self._find = find
        self._records = records
        self._way: Way | None = None
        self._program: MqProgram | None = None
        self._record: LaneRecord | None = None
        self._items: deque[_Item] = deque()
        self._taken: list[_Item] = []
        self._one_by_one = False
        self._broken = False
        self._busy = False
        self._over = False
        self._steps = Steps()
        self._blocked: dict[tuple[str, str], Refused] = {}
        self._outage: Refused | None = None

    # What the lane calls

    def put(self, target: TargetElsewhere, message: Message, then: Then) -> None:
        """See `UnitElsewhere`."""
        self._items.append(_Item(target, message, then))
        self._steps.go(self._next)

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        """See `UnitElsewhere`."""
        program, way = self._program, self._way
        if program is None or way is None or self._over:
            then(False)
            return
        self._over = True
        if self._broken:
            self._failed(way, program, then)
            return
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
        """See `UnitElsewhere`."""
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
        while not self._busy and not self._over:
            ready = self._next_ready()
            if ready is None:
                return
            self._busy = True
            self._with_program(ready.outgoing.way, partial(self._put, ready))

    def _next_ready(self) -> _Ready | None:
        """Return the next message that can be put, and refuse those before it; None if there is none."""
        while self._items:
            item = self._items.popleft()
            try:
                way = self._way = self._way or self._find(item.target.queue)
                stopped = self._outage or self._blocked.get(way.destination(item.target))
                if stopped is None:
                    return _Ready(item, Outgoing(way, item.target, item.message))
            except EveryplaceError as error:
                stopped = Refused(error.code, error.text)
            item.then(stopped)
        return None

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

    def _put(self, ready: _Ready, stopped: Refused | None) -> None:
        program = self._program
        if self._over:
            self._answered([ready.item], _OVER)
            return
        if stopped is not None or program is None:
            self._outage = stopped or _OVER
            self._answered([ready.item], self._outage)
            return
        group = [ready]
        ahead = None if self._one_by_one else program.ahead
        if ahead is not None:
            while (another := self._next_ready()) is not None:
                group.append(another)
        if ahead is None or len(group) == 1:
            put_outgoing(program, ready.outgoing, partial(self._has_put, ready))
        else:
            self._put_ahead(program, ahead, group)

    def _has_put(self, ready: _Ready, outcome: PutOutcome) -> None:
        item, outgoing = ready
        if isinstance(outcome, MqDone):
            self._taken.append(item)
            self._answered([item], None)
            return
        found = refused(outcome, str(outgoing.target.address))
        if outcome.reason in OUTAGE:
            self._outage = found
        elif may_pass(outcome):
            self._blocked[outgoing.destination] = found
        else:
            outgoing.way.host.alarm(str(outgoing.target.address), f"{outgoing.uid}: {found.text}")
        self._answered([item], found)

    def _answered(self, items: Sequence[_Item], outcome: Refused | None) -> None:
        self._busy = False
        if self._over:
            if self._program is not None:
                self._give_back()
            return
        for item in items:
            item.then(outcome)
        self._steps.go(self._next)

    # Ahead of their answers

    def _put_ahead(self, program: MqProgram, ahead: AheadPuts, group: Sequence[_Ready]) -> None:
        items = [each.item for each in group]

        def put(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqDone):
                self._taken += items
                self._answered(items, None)
            elif outcome.reason in OUTAGE:
                self._fall_out(items, outcome)
            else:
                program.back_out(backed_out)

        def backed_out(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqFailure):
                self._fall_out(items, outcome)
            elif self._over:
                self._answered(items, _OVER)
            else:
                self._records.lock(group[0].outgoing.way, program, self._lane, locked)

        def locked(found: LaneRecord | Refused) -> None:
            if isinstance(found, Refused):
                self._outage = found
                self._answered(items, found)
                return
            self._record = found
            self._again(items)

        ahead.put([MqPut(*each.outgoing.destination, each.outgoing.message) for each in group], put)

    def _fall_out(self, items: Sequence[_Item], failure: MqFailure) -> None:
        """MQ cannot be used now."""
        found = self._outage = refused(failure, str(items[0].target.address))
        self._answered(items, found)

    def _again(self, items: Sequence[_Item]) -> None:
        """Put one by one what was backed out; the unit is lost if what was said to be in it is refused now."""

        def lost(outcome: Refused | None) -> None:
            self._broken = self._broken or outcome is not None

        before = [each._replace(then=lost) for each in self._taken]
        self._taken.clear()
        self._items.extendleft(reversed([*before, *items]))
        self._one_by_one = True
        self._answered((), None)
