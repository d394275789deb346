"""What queues push to one queue manager, a lane for each (mqe.md 16, E-213, E-320, E-324)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.pushing import Pushing
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .calling_line import CallingLine
from .context import Context
from .gates import Gates
from .lane_table import lane_of
from .retry import Retry


class Pushes:
    """Lanes to the queue manager at the end of the connection ``name``. ``lanes``: them by name. ``check``: raises
    `EveryplaceError` for a queue that demands more than the channel gives, whose lanes are held (E-442)."""

    def __init__(self, name: str, context: Context, check: Callable[[Queue], None]) -> None:
        self._check = check
        self._held: set[str] = set()
        self._name = name
        self._context = context
        self._gates = Gates(context.manager.transmission, context.timers)
        self.lanes: dict[str, Pushing] = {}
        self._queues: dict[str, Queue] = {}
        self._looks: dict[Pushing, None] = {}
        self._drained: set[str] = set()
        self._retries: dict[str, Retry] = {}

    def look(self, queue: Queue, target: str = "") -> None:
        """A queue may have messages to push, to one target if it is given."""
        lane = lane_of(queue, target)
        found = self.lanes.get(lane)
        if found is None or found.lane.messages is not queue.messages:
            assert queue.messages is not None, "a queue that is pushed stores messages"
            context = self._context
            sending = context.lanes.sending(self._name, queue, target)
            gate = partial(self._may_push, lane, queue, target)
            found = Pushing(sending, queue.messages, context.manager, lane, partial(self._trouble, lane), gate)
            self.lanes[lane] = found
            self._queues[lane] = queue
        if not found.blocked and self._gates.may_begin(queue) and (found.lane.in_doubt or self._is_free(target)):
            self._looks[found] = None

    def _may_push(self, lane: str, queue: Queue, target: str) -> bool:
        open_to_all = lane not in self._drained and self._is_free(target) and self._gates.may_go_on(queue)
        return open_to_all and self._is_allowed(lane)

    def _is_free(self, target: str) -> bool:
        """Whether a target does not pull itself what waits for it (E-132, E-326)."""
        return target not in self._context.pulling

    def keep(self, lanes: set[str]) -> None:
        """Forget the others, whose queues or entries are gone or lead elsewhere, when nothing of them is in doubt."""
        self._drained = self.lanes.keys() - lanes
        for lane in list(self._drained):
            found = self.lanes[lane]
            if found.lane.in_doubt or found.lane.waiting:
                self._looks[found] = None
            else:
                self._drop(lane)

    def _drop(self, lane: str) -> None:
        found = self.lanes.pop(lane)
        self._drained.discard(lane)
        self._looks.pop(found, None)
        found.cut()
        del self._queues[lane]
        self._retries.pop(lane, None)
        self._held.discard(lane)
        self._context.timers.clear((self, lane))
        self._context.alarms.clear((self, lane))

    def trigger(self) -> None:
        """Try everything now that the rule lets send."""
        for lane, queue in self._queues.items():
            if self._gates.may_go_on(queue):
                self._again(lane)
        for retry in self._retries.values():
            retry.reset()

    @property
    def waiting(self) -> bool:
        """Whether something is to be pushed, or looked at."""
        return bool(self._looks)

    @property
    def under_way(self) -> bool:
        """Whether a batch is at the other end."""
        return any(found.under_way for found in self.lanes.values())

    def closes_idle(self) -> bool:
        """Whether the connection is to be closed when everything has been sent (E-103)."""
        return any(queue.definition.value(rows.CLOSE_IDLE) for queue in self._queues.values())

    def opened(self) -> None:
        """The connection is there: what is in doubt is settled first, and lanes that were held may go on."""
        self.reconsider()
        for found in self.lanes.values():
            if found.lane.in_doubt:
                self._looks[found] = None

    def cut(self) -> None:
        """The connection is gone; the next one may give more."""
        self.reconsider()
        for found in self.lanes.values():
            if found.line is not None:
                if found.under_way or found.lane.in_doubt:
                    self._looks[found] = None
                found.cut()

    def reconsider(self) -> None:
        """The channel may be good enough for the lanes that were held."""
        for lane in self._held:
            self._looks[self.lanes[lane]] = None

    def compare(self, line: CallingLine) -> None:
        """Ask for numbers while the other end looks at the proof; the answers come when it has believed it."""
        for found in list(self._looks):
            if line.proving and found.line is not line:
                found.connected(line)

    def go_on(self, line: CallingLine) -> None:
        """Push what can be pushed."""
        for found in list(self._looks):
            if line.ended:
                return
            if found.line is line and found.under_way:
                continue  # its answer comes first; there may be many such lanes, and this is called for every frame
            if not self._is_allowed(found.lane.name.queue):
                self._looks.pop(found, None)
                continue
            if found.line is not line:
                found.connected(line)
            else:
                found.go_on(self._context.milliseconds)
            if not found.under_way:
                self._looks.pop(found, None)
                lane = found.lane.name.queue
                if lane in self._drained and not found.lane.in_doubt and not found.lane.waiting:
                    self._drop(lane)

    def _is_allowed(self, lane: str) -> bool:
        """Whether the channel gives what the queue of a lane demands; the lane is held otherwise, with an alarm."""
        queue = self._queues[lane]
        try:
            self._check(queue)
        except EveryplaceError as error:
            self._held.add(lane)
            self._context.alarms.raise_for((self, lane), str(queue), error.text)
            return False
        if lane in self._held:
            self._held.discard(lane)
            self._context.alarms.clear((self, lane))
        return True

    def troubles(self) -> list[str]:
        """Return what does not go on, and why."""
        return [text for lane in self.lanes if (text := self._context.alarms.text((self, lane)))]

    def forgive(self) -> None:
        """What was wrong was looked at; it is told again if it is still so."""
        for lane in self.lanes:
            self._context.alarms.clear((self, lane))

    def _trouble(self, lane: str, error: EveryplaceError | None) -> None:
        context = self._context
        if error is None:
            context.alarms.clear((self, lane))
            self._retries.pop(lane, None)
            return
        queue = self._queues.get(lane)
        context.alarms.raise_for((self, lane), lane if queue is None else str(queue), error.text)
        retry = self._retries.setdefault(lane, context.retry())
        context.timers.after((self, lane), retry.failed(context.timers.steady), partial(self._retry, lane))

    def _retry(self, lane: str) -> None:
        queue = self._queues.get(lane)
        if queue is not None and self._gates.may_begin(queue):
            self._again(lane)

    def _again(self, lane: str) -> None:
        found = self.lanes.get(lane)
        if found is not None:
            found.unblock()
            self._looks[found] = None
