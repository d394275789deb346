"""Records that nobody uses any more on the sync queues of foreign queue managers (E-525)."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.everyplace.mq.program import (
    GetOutcome,
    MqFailure,
    MqProgram,
    PutOutcome,
    Take,
    Wanted,
)
from mqbridge.bridge.agents.everyplace.mq.steps import Steps
from mqbridge.bridge.agents.everyplace.mq.sync_records import SyncBody, SyncRecords
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.rules.bridge_rules import PurgerRule, SyncRecord
from mqbridge.bridge.everyplace.transfer.lane_records import MARKS
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time, put_moment
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import EveryplaceError

_MINUTE: Final = 60.0


class Purging:
    """Looks at each sync queue from time to time."""

    def __init__(self, records: SyncRecords) -> None:
        self._records = records
        self._looked: dict[str, float] = {}
        self._told: set[bytes] = set()

    def look(self, way: Way, rule: PurgerRule, now: Time) -> None:
        """Show the rule what is old and of no use, if it is time to."""
        age = way.connection.value(rows.PURGE_AFTER) * _MINUTE
        if way.here or now - self._looked.get(way.name, 0.0) < age:
            return
        self._looked[way.name] = now

        def acquired(found: MqProgram | Refused) -> None:
            if not isinstance(found, Refused):
                _Look(self, way, found, rule, now - age).begin()

        way.pool.acquire("", acquired)

    def is_used(self, body: SyncBody) -> bool:
        """Whether a record is the one that a lane has now."""
        return self._records.is_current(body)

    def tell(self, way: Way, message_id: bytes, text: str) -> None:
        """Report a record that stays, once."""
        if message_id not in self._told:
            self._told.add(message_id)
            way.host.alarm(way.name, text)


class _Look:
    """One look through a sync queue."""

    def __init__(self, purging: Purging, way: Way, program: MqProgram, rule: PurgerRule, before: float) -> None:
        self._purging = purging
        self._way = way
        self._program = program
        self._rule = rule
        self._before = before
        self._queue: str = way.connection.value(rows.SYNC_QUEUE)
        self._steps = Steps()

    def begin(self) -> None:
        self._browse(Take.BROWSE_FIRST)

    def _browse(self, take: Take) -> None:
        self._steps.go(lambda: self._program.get(Wanted(self._queue, take, removes=True), self._browsed))

    def _browsed(self, outcome: GetOutcome) -> None:
        if isinstance(outcome, MqFailure):
            self._program.commit((), self._end)
        elif self._goes(outcome.message):
            wanted = Wanted(self._queue, Take.UNDER_CURSOR, removes=True)
            self._steps.go(lambda: self._program.get(wanted, lambda _: self._browse(Take.BROWSE_NEXT)))
        else:
            self._browse(Take.BROWSE_NEXT)

    def _goes(self, message: Message) -> bool:
        """Whether a record is to be deleted."""
        try:
            body = SyncBody.read(message.data)
            written = put_moment(message.md.put_date, message.md.put_time)
        except (EveryplaceError, MQBridgeError):
            return False
        if written is None:
            return False
        host = self._way.host
        ours = (body.gateway, body.connection) == (host.gateway, self._way.name)
        if not ours or written > self._before or self._purging.is_used(body):
            return False
        key = f"{body.gateway} {body.connection} {body.partner} {body.queue}"
        batch = body.number // MARKS or body.number
        if self._rule.purge(SyncRecord(key, batch, written), host.date):
            host.alarm(self._way.name, f"deleted from {self._queue}: {key}, batch {batch}")
            return True
        self._purging.tell(self._way, message.md.msg_id, f"left on {self._queue}: {key}, batch {batch}")
        return False

    def _end(self, _: PutOutcome) -> None:
        self._way.pool.release(self._program, self._way.host.now)
