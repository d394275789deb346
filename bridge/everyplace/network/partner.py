"""A queue manager that this one calls: its connection, what is pushed and pulled there, and calls of programs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum, unique
from functools import partial
from typing import Final, NamedTuple

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.effects import AskPartner
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.pulling import Pulling
from mqbridge.bridge.everyplace.transfer.pushing import Pushing
from mqbridge.protocol.everyplace.calls import Refused, call_fields, read_outcome
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.handshakes import Failure, Ready, read_greeting

from .alarms import Alarms
from .calling_line import CallingLine
from .lane_table import LaneTable, lane_of
from .retry import Retry
from .settings import NetworkSettings
from .timers import Timers

_PULL_PAUSE: Final = 1.0
"""Seconds between two pulls that found nothing."""


@unique
class Contact(Enum):
    """State of the connection."""

    AWAY = "away"
    OPENING = "opening"
    """Its host makes the transport."""
    GREETING = "greeting"
    READY = "ready"


class Waiting(NamedTuple):
    """A call that waits for the connection."""

    number: int
    ask: AskPartner


class Partner:
    """One connection in use.

    ``name``: of its definition. ``retry``: when it is tried again. ``believed``: hears what the other end says of
    itself.
    """

    def __init__(
        self,
        name: str,
        manager: QueueManager,
        lanes: LaneTable,
        timers: Timers,
        alarms: Alarms,
        retry: Callable[[], Retry],
        settings: NetworkSettings,
        believed: Callable[[str, Ready], None],
    ) -> None:
        self.name = name
        self._manager = manager
        self._lanes = lanes
        self._timers = timers
        self._alarms = alarms
        self._new_retry = retry
        self._settings = settings
        self._believed = believed
        self.retry = retry()
        self.contact = Contact.AWAY
        self.line: CallingLine | None = None
        self.pushes: dict[str, Pushing] = {}
        self._looks: dict[Pushing, None] = {}
        self._retries: dict[str, Retry] = {}
        self._queues: dict[str, Queue] = {}
        self.homes: dict[str, Queue] = {}
        self._pulling: Pulling | None = None
        self._pull_wanted = False
        self._calls: deque[Waiting] = deque()
        self._sent: dict[int, AskPartner] = {}
        self._number = 0

    # What is to be done

    def push(self, queue: Queue, target: str = "") -> None:
        """A queue may have messages to push, to one target if it is given."""
        lane = lane_of(queue, target)
        found = self.pushes.get(lane)
        if found is None:
            assert queue.messages is not None, "a queue that is pushed stores messages"
            sending = self._lanes.sending(self.name, queue, target)
            found = Pushing(sending, queue.messages, self._manager, lane, partial(self._push_trouble, lane))
            self.pushes[lane] = found
            self._queues[lane] = queue
        if not found.blocked:
            self._looks[found] = None

    def drop(self, lane: str) -> None:
        """A queue or entry is gone."""
        found = self.pushes.pop(lane, None)
        if found is not None:
            self._looks.pop(found, None)
            found.cut()
        self._queues.pop(lane, None)
        self._retries.pop(lane, None)
        self._timers.clear((self, lane))

    def add_home(self, queue: Queue) -> None:
        """A home-server queue pulls over this connection."""
        self.homes[str(queue)] = queue
        self._poll(str(queue))

    def _poll(self, name: str) -> None:
        """Pull, and again after the interval (E-325)."""
        queue = self.homes.get(name)
        if queue is None:
            return
        self._pull_wanted = True
        interval = queue.definition.value(rows.POLL_INTERVAL)
        if interval:
            self._timers.after((self, "poll", name), interval / 1000, partial(self._poll, name))

    def trigger(self) -> None:
        """Try everything now (E-211)."""
        self.retry.reset()
        for found in self.pushes.values():
            found.unblock()
            self._looks[found] = None
        for retry in self._retries.values():
            retry.reset()
        self._pull_wanted = bool(self.homes)

    def call(self, ask: AskPartner) -> None:
        """Make a call there."""
        self._number += 1
        waiting = Waiting(self._number, ask)
        self._calls.append(waiting)
        self._timers.after((self, waiting.number), self._settings.call, partial(self._too_late, waiting))

    def wants_connection(self) -> bool:
        """Whether it is to be opened now."""
        if self.contact is not Contact.AWAY:
            return False
        if self._calls:
            return True
        return bool(self._looks or self._pull_wanted) and self.retry.due(self._timers.now)

    # The connection

    def opened(self, line: CallingLine) -> None:
        """The transport is there."""
        self.line = line
        self.contact = Contact.GREETING

    def failed(self, error: EveryplaceError) -> None:
        """The transport is not there, or the other end refuses: try later (E-328, E-484)."""
        self.contact, self.line = Contact.AWAY, None
        self._alarms.raise_for((self, "line"), self.name, f"no connection to {self.name}: {error.text}")
        if self._pull_wanted and not self.retry.reached and not self._polls():
            self._pull_wanted = False
        self._timers.after((self, "retry"), self.retry.failed(self._timers.now), lambda: None)
        calls, self._calls = self._calls, deque()
        for waiting in calls:
            self._timers.clear((self, waiting.number))
            waiting.ask.then(Refused(error.code, f"not done, {self.name} is not reached: {error.text}"))

    def line_opened(self, line: CallingLine, ready: Ready) -> None:
        """Both ends know each other."""
        self.contact = Contact.READY
        self.retry.succeeded()
        self._alarms.clear((self, "line"))
        self._believed(self.name, ready)
        for found in self.pushes.values():
            if found.lane.in_doubt:
                self._looks[found] = None

    def line_ended(self, line: CallingLine, error: EveryplaceError | None) -> None:
        """It is over; without error because nothing was to be done."""
        if line is not self.line:
            return
        was_ready = self.contact is Contact.READY
        self.contact, self.line = Contact.AWAY, None
        for found in self.pushes.values():
            if found.line is not None:
                if found.under_way or found.lane.in_doubt:
                    self._looks[found] = None
                found.cut()
        if self._pulling is not None:
            self._pulling.cut()
        sent, self._sent = self._sent, {}
        for ask in sent.values():
            text = f"the connection to {self.name} was lost: it is not known whether the call was done"
            ask.then(Refused(Code.OUTCOME_UNKNOWN, text))
        if error is not None and not was_ready:
            self.failed(error)
        elif error is not None:
            if error.code is not Code.ADAPTER_EXCEPTION:
                self._alarms.raise_for((self, "line"), self.name, f"connection to {self.name}: {error.text}")
            self._timers.after((self, "retry"), self.retry.lost(self._timers.now), lambda: None)

    def readmitted(self, why: EveryplaceError) -> None:
        """An administrator takes the other end on as it is: begin anew."""
        if self.line is not None:
            self.line.fail(why)
        self.trigger()

    def go_on(self) -> None:
        """Do what can be done over the connection now."""
        line = self.line
        if line is None or self.contact is not Contact.READY:
            return
        while self._calls and self.line is line:
            self._send(line, self._calls.popleft())
        now = int(self._timers.now * 1000)
        for found in list(self._looks):
            if self.line is not line:
                return
            if found.line is not line:
                found.connected(line)
            else:
                found.go_on(now)
            if not found.under_way:
                self._looks.pop(found, None)
        self._pull(line)
        if self.line is line and self._can_close(line):
            line.close()

    # Pulls

    def _pull(self, line: CallingLine) -> None:
        if not self._pull_wanted or self._timers.has((self, "pull")):
            return
        pulling = self._pulling
        if pulling is None:
            own = self._manager.name
            lane = self._lanes.receiving(self.name, own)
            pulling = self._pulling = Pulling(lane, own, self._manager, self._pull_trouble)
        if pulling.line is not line:
            pulling.connected(line)
        if not pulling.idle:
            return
        wait = 0 if self._closes_idle() else int(self._settings.pull_wait * 1000)
        if pulling.empty:
            if not wait:
                pulling.empty, self._pull_wanted = False, False
                return
            self._timers.after((self, "pull"), _PULL_PAUSE, pulling_again(pulling))
            return
        pulling.pull(wait)

    def _polls(self) -> bool:
        return any(queue.definition.value(rows.POLL_INTERVAL) for queue in self.homes.values())

    def _pull_trouble(self, error: EveryplaceError | None) -> None:
        key = (self, "pull trouble")
        if error is None:
            self._alarms.clear(key)
            self._retries.pop("", None)
            return
        self._alarms.raise_for(key, self.name, f"{self.name} hands nothing out: {error.text}")
        retry = self._retries.setdefault("", self._new_retry())
        self._pull_wanted = False
        self._timers.after((self, "pull again"), retry.failed(self._timers.now), self._pull_again)

    def _pull_again(self) -> None:
        self._pull_wanted = bool(self.homes)
        if self._pulling is not None:
            self._pulling.empty = False

    # Pushes

    def _push_trouble(self, lane: str, error: EveryplaceError | None) -> None:
        key = (self, "push trouble", lane)
        if error is None:
            self._alarms.clear(key)
            self._retries.pop(lane, None)
            return
        queue = self._queues.get(lane)
        self._alarms.raise_for(key, lane if queue is None else str(queue), error.text)
        retry = self._retries.setdefault(lane, self._new_retry())
        self._timers.after((self, lane), retry.failed(self._timers.now), partial(self._push_again, lane))

    def _push_again(self, lane: str) -> None:
        found = self.pushes.get(lane)
        if found is not None:
            found.unblock()
            self._looks[found] = None

    def blocks(self) -> list[str]:
        """Return what does not go on, and why."""
        keys = [(self, "line"), (self, "pull trouble"), *((self, "push trouble", lane) for lane in self.pushes)]
        return [text for key in keys if (text := self._alarms.text(key))]

    # Calls

    def _send(self, line: CallingLine, waiting: Waiting) -> None:
        number, ask = waiting
        self._timers.clear((self, number))
        self._sent[number] = ask
        line.ask(Kind.REQUEST, call_fields(ask.call).body(), partial(self._answered, number))

    def _answered(self, number: int, frame: Frame) -> None:
        ask = self._sent.pop(number)
        try:
            if frame.kind is Kind.ERROR:
                failure = read_greeting(Kind.ERROR, frame.body)
                assert isinstance(failure, Failure), "the body of an ERROR"
                raise failure.error()
            outcome = read_outcome(Fields.of_body(frame.body))
        except EveryplaceError as error:
            outcome = Refused(error.code, error.text)
        ask.then(outcome)

    def _too_late(self, waiting: Waiting) -> None:
        if waiting in self._calls:
            self._calls.remove(waiting)
            text = f"not done, {self.name} was not reached within {self._settings.call:g} seconds"
            waiting.ask.then(Refused(Code.ADAPTER_EXCEPTION, text))

    # Closing

    def _closes_idle(self) -> bool:
        return any(queue.definition.value(rows.CLOSE_IDLE) for queue in (*self.homes.values(), *self._queues.values()))

    def _can_close(self, line: CallingLine) -> bool:
        """Whether everything has been transmitted, and a queue wants the connection closed then (E-103)."""
        busy = self._looks or self._pull_wanted or self._calls or self._sent or not line.idle
        return not busy and self._closes_idle() and not any(each.under_way for each in self.pushes.values())


def pulling_again(pulling: Pulling) -> Callable[[], None]:
    """Return what lets a pull be asked again."""

    def again() -> None:
        pulling.empty = False

    return again
