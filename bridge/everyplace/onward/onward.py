"""Messages in transit that go on to synchronous queues: those of all lanes of a queue manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.protocol.everyplace.calls import Browse, ConfirmPut, Discover, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.names import Address

from .onward_lane import TABLE, OnwardLane
from .onward_unit import OnwardUnit

if TYPE_CHECKING:
    from mqbridge.bridge.everyplace.network.alarms import Alarms
    from mqbridge.bridge.everyplace.network.retry import Retry
    from mqbridge.bridge.everyplace.network.timers import Timers


class Onward:
    """``new_retry``: gives the times of something that may fail. Raises `EveryplaceError` STORE for a damaged row."""

    def __init__(self, manager: QueueManager, timers: Timers, alarms: Alarms, new_retry: Callable[[], Retry]) -> None:
        self._manager = manager
        self._timers = timers
        self._alarms = alarms
        self._new_retry = new_retry
        self._lanes: dict[LaneName, OnwardLane] = {}
        self._retries: dict[LaneName, Retry] = {}
        self.incarnation = manager.incarnation
        for key, row in manager.store.records(TABLE):
            lane = self._lane(LaneName(*key.decode("ascii").split("\0")))
            lane.read(row)
            timers.after((self, lane.name), 0.0, lane.go_on)

    # What lanes of transfer call

    def way(self, queue: Queue) -> str:
        """Return the connection over which a queue is reached. Raises `EveryplaceError` CON_UNKNOWN."""
        return self._manager.elsewhere.way(queue)

    def begin(self, lane: LaneName) -> OnwardUnit:
        """Begin a unit for a batch; what is decided of the lane is confirmed first."""
        found = self._lane(lane)
        found.go_on()
        return OnwardUnit(found)

    def discover(self, address: Address, then: Callable[[Refused | None], None]) -> None:
        """Ask the queue manager to which a connection leads for a queue; ``then`` gets why there is none (E-317)."""

        def answered(outcome: Outcome) -> None:
            then(outcome if isinstance(outcome, Refused) else None)

        self._manager.call(Discover(address), answered, self._timers.now)

    def trigger(self) -> None:
        """Confirm now what could not be confirmed (E-211)."""
        for lane in self._lanes.values():
            lane.go_on()

    # What its own lanes call

    def _lane(self, name: LaneName) -> OnwardLane:
        found = self._lanes.get(name)
        if found is None:
            found = self._lanes[name] = OnwardLane(self, name)
        return found

    def ask(self, call: Browse | Put | ConfirmPut | Undo, then: Callable[[Outcome], None]) -> None:
        """See `LaneOwner.ask`."""
        self._manager.elsewhere.ask(call, then)

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """See `LaneOwner.submit`."""
        self._manager.submit(change, then)

    def alarm(self, lane: OnwardLane, text: str) -> None:
        """See `LaneOwner.alarm`."""
        self._alarms.raise_for((self, lane.name, "unknown"), str(lane.name), text)

    def stopped(self, lane: OnwardLane, text: str) -> None:
        """See `LaneOwner.stopped`."""
        name = lane.name
        self._alarms.raise_for((self, name), str(name), text)
        retry = self._retries.get(name) or self._retries.setdefault(name, self._new_retry())
        self._timers.after((self, name), retry.failed(self._timers.steady), lane.go_on)

    def went_on(self, lane: OnwardLane) -> None:
        """See `LaneOwner.went_on`."""
        if self._retries.pop(lane.name, None) is not None:
            self._alarms.clear((self, lane.name))
            self._timers.clear((self, lane.name))
