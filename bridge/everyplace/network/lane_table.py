"""All lanes of a queue manager; they live as long as it, not as a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mqbridge.bridge.everyplace.mq_units import MqBridge, ToMq
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.everyplace.transfer.receiving_lane import ReceivingLane
from mqbridge.bridge.everyplace.transfer.sending_lane import SendingLane


def lane_of(queue: Queue, target: str = "") -> str:
    """Return the name of the lane of a queue, or of an entry of a store-and-forward queue."""
    return f"{queue}:{target}" if target else str(queue)


class LaneTable:
    """Lanes by their names. ``clock``: gives the time in seconds. ``mq``: ways to MQ, if there are any."""

    def __init__(self, manager: QueueManager, clock: Callable[[], float], mq: MqBridge | None) -> None:
        self._manager = manager
        self._clock = clock
        self._to_mq = None if mq is None else ToMq(mq, manager.mq_target)
        self._sending: dict[LaneName, SendingLane] = {}
        self._receiving: dict[LaneName, ReceivingLane] = {}

    def sending(self, partner: str, queue: Queue, target: str = "") -> SendingLane:
        """Return the lane on which the messages of a queue go to a queue manager."""
        name = LaneName(partner, lane_of(queue, target))
        found = self._sending.get(name)
        if found is None:
            assert queue.messages is not None, "a queue that passes messages on stores them"
            found = self._sending[name] = SendingLane(name, self._manager.store, queue.messages, target)
        return found

    def receiving(self, partner: str, lane: str) -> ReceivingLane:
        """Return the lane on which messages of a queue manager come."""
        name = LaneName(partner, lane)
        found = self._receiving.get(name)
        if found is None:
            manager, clock = self._manager, self._clock
            found = self._receiving[name] = ReceivingLane(
                name,
                manager.store,
                lambda message, address: manager.place(message, address, clock(), partner),
                self._to_mq,
            )
        return found

    def of(self, partner: str) -> Iterator[SendingLane | ReceivingLane]:
        """Yield the lanes from and to a queue manager."""
        for name, sending in self._sending.items():
            if name.partner == partner:
                yield sending
        for name, receiving in self._receiving.items():
            if name.partner == partner:
                yield receiving
