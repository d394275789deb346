"""All lanes of a queue manager; they live as long as it, not as a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.mq_units import MqBridge
from mqbridge.bridge.everyplace.onward.onward import Onward
from mqbridge.bridge.everyplace.onward.ways import Ways
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import (
    READMITTED,
    RECEIVING,
    SENDING,
    LaneName,
    ReceivingRecord,
    SendingRecord,
)
from mqbridge.bridge.everyplace.transfer.parts_in import PartsIn
from mqbridge.bridge.everyplace.transfer.receiving_lane import ReceivingLane
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane
from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address

_PULLED: Final = "<"


def lane_of(queue: Queue, target: str = "") -> str:
    """Return the name of the lane on which a queue, or an entry of a store-and-forward queue, is pushed."""
    return f"{queue}:{target}" if target else str(queue)


class LaneTable:
    """Lanes by their names. ``parts``: of long messages that come on them. ``clock``: gives the time in seconds.
    ``mq``: ways to MQ, if there are any. ``onward``: to synchronous queues of others."""

    def __init__(self, manager: QueueManager, clock: Callable[[], float], mq: MqBridge | None, onward: Onward) -> None:
        self._manager = manager
        self._clock = clock
        self.parts = PartsIn(manager.store, manager, lambda: int(clock() * 1000), security=manager.security)
        self._mq = mq
        self._onward = onward
        self._sending: dict[LaneName, SendingLane] = {}
        self._receiving: dict[LaneName, ReceivingLane] = {}

    def sending(self, partner: str, queue: Queue, target: str = "") -> SendingLane:
        """Return the lane on which the messages of a queue are pushed to a queue manager.

        The lane on which its target pulls is there before, since it keeps what it has in doubt.
        """
        if target:
            self.handed_out(target, queue)
        return self._sending_lane(LaneName(partner, lane_of(queue, target)), queue, target)

    def handed_out(self, partner: str, queue: Queue) -> SendingLane:
        """Return the lane on which a queue manager pulls those of its entry; it has numbers of its own."""
        return self._sending_lane(LaneName(partner, f"{queue}{_PULLED}{partner}"), queue, partner)

    def _sending_lane(self, name: LaneName, queue: Queue, target: str) -> SendingLane:
        found = self._sending.get(name)
        assert queue.messages is not None, "a queue that passes messages on stores them"
        if found is None or found.messages is not queue.messages:
            found = self._sending[name] = SendingLane(name, self._manager.store, queue.messages, target)
        return found

    def in_doubt(self) -> Iterator[tuple[str, Queue, str]]:
        """Yield queue manager, queue and target of each pushed lane that has a batch in doubt on disk.

        The messages in doubt of all lanes are kept for them from now on.
        """
        for key, _ in list(self._manager.store.records(SENDING)):
            partner, _, text = key.decode("ascii").partition("\0")
            if not SendingRecord.read(self._manager.store, LaneName(partner, text)).in_doubt:
                continue
            pulled = _PULLED in text
            name, _, target = text.partition(_PULLED if pulled else ":")
            queue = self._manager.queues.named(Address.parse(name, self._manager.name))
            if queue is None or queue.messages is None:
                continue
            if pulled:
                self.handed_out(partner, queue)
            else:
                self.sending(partner, queue, target)
                yield partner, queue, target

    def receiving(self, partner: str, lane: str) -> ReceivingLane:
        """Return the lane on which messages of a queue manager come; what is pulled has this one's own name."""
        name = LaneName(partner, lane)
        name.check()
        found = self._receiving.get(name)
        if found is None:
            manager, clock = self._manager, self._clock
            put = manager.place_pulled if lane == manager.name else manager.place
            found = self._receiving[name] = ReceivingLane(
                name,
                manager.store,
                lambda message, address: put(message, address, clock(), partner),
                Ways(
                    lambda message, address: manager.elsewhere.target(message, address, partner), self._mq, self._onward
                ),
                self.parts,
            )
        return found

    def readmit(self, partner: str) -> Change[None]:
        """Take a queue manager on as it is when it is heard next, on all lanes; what is in doubt goes again.

        Raises `EveryplaceError` NOT_FOUND if there is no lane from or to it.
        """
        changes = [
            *(lane.readmit(READMITTED, lane.number) for name, lane in self._sending.items() if name.partner == partner),
            *(lane.readmit(READMITTED, 0) for name, lane in self._receiving.items() if name.partner == partner),
        ]
        operations: list[Operation] = [each for change in changes for each in change.operations]
        known = {*self._sending, *self._receiving}
        for name in _recorded(self._manager.store, SENDING, partner):
            if name not in known:
                number = SendingRecord.read(self._manager.store, name).number
                operations.append(SendingRecord(READMITTED, number).write(name))
        for name in _recorded(self._manager.store, RECEIVING, partner):
            if name not in known:
                operations.append(ReceivingRecord(READMITTED).write(name))
        if not operations:
            raise EveryplaceError(Code.NOT_FOUND, f"no messages have gone to {partner} or come from it")

        def ended(*, committed: bool) -> None:
            for change in changes:
                change.ended(committed=committed)

        return Change(None, operations, lambda: ended(committed=True), lambda: ended(committed=False))


def _recorded(store: Store, table: str, partner: str) -> Iterator[LaneName]:
    """Yield the lanes from or to a queue manager that have a record."""
    for key, _ in store.records(table):
        who, _, queue = key.decode("ascii").partition("\0")
        if who == partner:
            yield LaneName(who, queue)
