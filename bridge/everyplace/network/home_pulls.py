"""What home-server queues pull from one queue manager, and when (mqe.md 16, E-135, E-325 to E-328)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.pulling import Pulling
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .calling_line import CallingLine
from .context import Context
from .gates import Gates

_PAUSE: Final = 1.0
"""Seconds between two pulls that found nothing."""


class HomePulls:
    """Home-server queues whose owner is the queue manager at the end of the connection ``name``.

    ``wanted``: whether something is to be pulled now. ``check``: raises `EveryplaceError` for a queue that demands more
    than the channel gives (E-444).
    """

    def __init__(self, name: str, context: Context, check: Callable[[Queue], None]) -> None:
        self._check = check
        self._name = name
        self._context = context
        self._gates = Gates(context.manager.transmission, context.timers)
        self.queues: dict[str, Queue] = {}
        self._pulling: Pulling | None = None
        self._retry = context.retry()
        self.wanted = self._held = False

    def add(self, queue: Queue) -> None:
        """A home-server queue is there; a new one pulls."""
        name = str(queue)
        if name not in self.queues:
            self.queues[name] = queue
            self._poll(name)

    def keep(self, names: set[str]) -> None:
        """Forget the others."""
        for name in self.queues.keys() - names:
            del self.queues[name]
        self.wanted = self.wanted and bool(self.queues)

    def trigger(self) -> None:
        """Pull now."""
        self._retry.reset()
        self._context.timers.clear((self, "pause"))
        self._pull_if(self._gates.any_goes_on(self.queues.values()))

    def closes_idle(self) -> bool:
        """Whether the connection is to be closed when nothing waits."""
        return any(queue.definition.value(rows.CLOSE_IDLE) for queue in self.queues.values())

    def not_reached(self) -> None:
        """The other end is not there: without poll interval, the next trigger pulls (E-328)."""
        if not any(queue.definition.value(rows.POLL_INTERVAL) for queue in self.queues.values()):
            self.wanted = False

    def cut(self) -> None:
        """The connection is gone; the next one may give more."""
        if self._pulling is not None:
            self._pulling.cut()
        self.reconsider()

    def reconsider(self) -> None:
        """The channel may be good enough for what was held."""
        if self._held:
            self._held = False
            self._again()

    def go_on(self, line: CallingLine) -> None:
        """Pull, if that is wanted and nothing is asked."""
        timers = self._context.timers
        if not self.wanted or timers.has((self, "pause")):
            return
        served = self._served()
        self._held = len(served) < len(self.queues)
        if not self._gates.any_goes_on(served):
            self.wanted = False
            return
        pulling = self._pulling
        if pulling is None:
            own = self._context.manager.name
            lane = self._context.lanes.receiving(self._name, own)
            pulling = self._pulling = Pulling(
                lane, own, self._context.manager, self._context.lanes.parts, self._trouble
            )
        if pulling.line is not line:
            pulling.connected(line)
        if not pulling.idle:
            return
        wait = 0 if self.closes_idle() else int(self._context.settings.pull_wait * 1000)
        if not pulling.empty:
            pulling.pull(wait)
        elif wait:
            timers.after((self, "pause"), _PAUSE, self._go_on_later)
        else:
            self.wanted = pulling.empty = False

    def _served(self) -> list[Queue]:
        """Return the queues for which the channel is good enough; the others are held, with an alarm."""
        found = []
        for name, queue in self.queues.items():
            key = (self, "channel", name)
            try:
                self._check(queue)
            except EveryplaceError as error:
                self._context.alarms.raise_for(key, name, error.text)
            else:
                self._context.alarms.clear(key)
                found.append(queue)
        return found

    def troubles(self) -> list[str]:
        """Return what does not go on, and why."""
        keys: list[object] = [self, *((self, "channel", name) for name in self.queues)]
        return [text for key in keys if (text := self._context.alarms.text(key))]

    def _poll(self, name: str) -> None:
        """Pull, and again after the interval."""
        queue = self.queues.get(name)
        if queue is None:
            return
        self._again()
        interval = queue.definition.value(rows.POLL_INTERVAL)
        if interval:
            self._context.timers.after((self, "poll", name), interval / 1000, partial(self._poll, name))

    def _go_on_later(self) -> None:
        self._pull_if(self._gates.any_goes_on(self.queues.values()))

    def _again(self) -> None:
        self._pull_if(self._gates.any_begins(self.queues.values()))

    def _pull_if(self, allowed: bool) -> None:
        self.wanted = allowed
        if self._pulling is not None:
            self._pulling.empty = False

    def forgive(self) -> None:
        """What was wrong was looked at; it is told again if it is still so."""
        self._context.alarms.clear(self)

    def _trouble(self, error: EveryplaceError | None) -> None:
        alarms, timers = self._context.alarms, self._context.timers
        if error is None:
            alarms.clear(self)
            self._retry.succeeded()
            return
        alarms.raise_for(self, self._name, f"{self._name} hands nothing out: {error.text}")
        self.wanted = False
        timers.after((self, "retry"), self._retry.failed(timers.steady), self._again)
