"""Start and end of a queue manager (mqe.md 12, E-230 to E-236)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, unique
from typing import Final

from mqbridge.protocol.everyplace.calls import Call, ConfirmGet, ConfirmPut, Undo, Unlock
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .effects import Alarm, Effect, Level, Notice, StopListener, Topic
from .objects.objects import Objects
from .programs import Programs
from .rules.owners import RuleOwner
from .rules.rule_calls import Rules
from .transmission import Transmission

CHECK: Final = 0.1
"""Seconds between two looks whether all is idle (E-234)."""
_ENDING: Final = (ConfirmPut, ConfirmGet, Undo, Unlock)
"""Calls that end what was begun, and may be made while the queue manager closes."""


@unique
class Phase(Enum):
    """Phase of a queue manager."""

    LOADED = "loaded"
    """Its definitions and messages are there; it starts with its first call or timeout."""
    RUNNING = "running"
    QUIESCING = "quiescing"
    """Nothing new begins; what runs may end (E-234)."""
    CLOSED = "closed"


class LifeCycle:
    """The life of one queue manager. Times are seconds since 1970.

    ``activities``: say whether something is under way, such as a batch; whoever transfers adds one. A closed queue
    manager may start again (E-239).
    """

    def __init__(
        self,
        owner: RuleOwner,
        objects: Objects,
        rules: Rules,
        transmission: Transmission,
        programs: Programs,
        tell: Callable[[Effect], None],
    ) -> None:
        self._owner = owner
        self._objects = objects
        self._rules = rules
        self._transmission = transmission
        self._programs = programs
        self._tell = tell
        self._until = 0.0
        self._check = 0.0
        self.phase = Phase.LOADED
        self.activities: list[Callable[[], bool]] = []

    def start(self, now: float) -> None:
        """Begin to work: activate rules, and let queues send and pull (E-231, E-503).

        Raises `EveryplaceError` ACTIVE if it works. A rule that is not registered is an alarm; what it should have
        been asked is refused.
        """
        if self.phase not in (Phase.LOADED, Phase.CLOSED):
            raise EveryplaceError(Code.ACTIVE, f"queue manager {self._owner.name} is {self.phase.value}")
        self.phase = Phase.RUNNING
        self._rules.queues.start(self._owner)
        try:
            self._rules.manager.start(self._owner, self._objects.properties.rule, now)
        except EveryplaceError as error:
            self._tell(Alarm(self._owner.name, error.text))
        for queue in self._objects.queues.table:
            try:
                self._rules.queues.of(queue)
            except EveryplaceError as error:
                self._tell(Alarm(str(queue), error.text))
        self._transmission.activate(now)

    def begin(self, now: float) -> None:
        """Start, if that has not been done."""
        if self.phase is Phase.LOADED:
            self.start(now)

    def begin_call(self, call: Call, now: float) -> None:
        """A program makes a call. Raises `EveryplaceError` STOPPED or CLOSED, if it comes too late; RULE."""
        if self.phase is Phase.QUIESCING and not isinstance(call, _ENDING):
            raise EveryplaceError(Code.STOPPED, f"queue manager {self._owner.name} is closing")
        if self.phase is Phase.CLOSED:
            raise EveryplaceError(Code.CLOSED, f"queue manager {self._owner.name} is closed")
        self.begin_place(now)

    def begin_place(self, now: float) -> None:
        """A message comes from another queue manager; as long as its connection is there, it is kept.

        Raises `EveryplaceError` RULE.
        """
        self.begin(now)
        self._rules.manager.follow(self._objects.properties.rule, now)

    def close_quiesce(self, milliseconds: int, now: float) -> None:
        """Let nothing new begin, and close when all is idle, or after so many milliseconds (E-234)."""
        if self.phase is Phase.CLOSED:
            return
        if self.phase is not Phase.QUIESCING:
            self._stop(now)
            self.phase = Phase.QUIESCING
        self._until = now + milliseconds / 1000
        self._check = min(now + CHECK, self._until)
        if now >= self._until:
            self._close()

    def close_immediate(self, now: float) -> None:
        """Close at once (E-235)."""
        if self.phase is Phase.CLOSED:
            return
        if self.phase is not Phase.QUIESCING:
            self._stop(now)
        self._close()

    def _stop(self, now: float) -> None:
        """End what brings new work: listeners for connections first (E-236), then those of programs, then sending."""
        for definition in self._objects.listeners.table.values():
            if definition.started:
                self._tell(StopListener(definition.name))
        self._programs.close()
        self._rules.manager.close(now)
        self._transmission.closing = True

    def _close(self) -> None:
        self.phase = Phase.CLOSED
        self._transmission.closed = True
        self._rules.queues.close()
        self._tell(Notice(Topic.CLOSE, Level.INFORMATION, self._owner.name, "the queue manager is closed"))

    def set_back(self, seconds: float) -> None:
        """The clock was set back."""
        self._until -= seconds
        self._check -= seconds

    def next_timeout(self) -> float | None:
        """When `timeout` is due; None for never."""
        if self.phase is Phase.LOADED:
            return 0.0
        return self._check if self.phase is Phase.QUIESCING else None

    def timeout(self, now: float) -> None:
        """Start, or close when it is time."""
        if self.phase is Phase.LOADED:
            self.start(now)
        elif self.phase is Phase.QUIESCING and now >= self._check:
            if now >= self._until or not any(activity() for activity in self.activities):
                self._close()
            else:
                self._check = min(now + CHECK, self._until)
