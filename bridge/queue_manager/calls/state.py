"""What the calls of one session share."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.queue_manager.connections import Connection, PutNames
from mqbridge.bridge.queue_manager.core import Core
from mqbridge.bridge.queue_manager.effects import Completed
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.manager import QueueManager
from mqbridge.bridge.queue_manager.options import GetOptions
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork

from .outcomes import DONE, Completion, Outcome, failed
from .requests import Wanted


class GoesOn(Protocol):
    """A get or a wait that has not come to its end."""

    def cancel(self, reason: int, now: float) -> None:
        """Ends it with a reason, or unseen."""
        ...


class TakenUp(Protocol):
    """A wait that was told that there may be a message."""

    def taken_up(self) -> None:
        """The message is asked for."""
        ...


class SessionState:
    """The state of a session; see `Session`.

    ``prepared``: options of the gets of a handle, read once for each `Wanted`. ``names``: of the puts of a handle.
    ``waits``: by tag, gets and waits that go on. ``available``: by handle, waits that were told that there may be a
    message, until it is asked for. ``separate``: by token, units of work of single messages, in the order of the gets.
    """

    __slots__ = (
        "available", "completions", "connection", "core", "manager", "names", "prepared", "program",
        "separate", "waits",
    )  # fmt: skip

    def __init__(self, manager: QueueManager, connection: Connection) -> None:
        self.manager = manager
        self.core: Core = manager.connections.core
        self.connection = connection
        self.program = connection.options.program
        self.completions: list[Completion] = []
        self.prepared: dict[int, tuple[Wanted, GetOptions]] = {}
        self.names: dict[tuple[int, bool], PutNames] = {}
        self.waits: dict[int, GoesOn] = {}
        self.available: dict[int, TakenUp] = {}
        self.separate: dict[bytes, UnitOfWork] = {}

    def complete(self, tag: int, outcome: Outcome) -> None:
        """A request that was not answered at once has its outcome."""
        if not self.completions:
            self.core.emit(Completed(self))
        self.completions.append(Completion(tag, outcome))

    def tell(self, now: float) -> None:
        """Has the program take its completions."""
        if self.program is not None and self.completions:
            self.program.completed(now)

    def end_waits(self) -> None:
        """The program has gone: nothing that goes on is told any more."""
        self.waits.clear()
        self.available.clear()

    def closed(self, hobj: int) -> None:
        """A handle is closed."""
        self.prepared.pop(hobj, None)
        self.available.pop(hobj, None)
        for key in (hobj, False), (hobj, True):
            self.names.pop(key, None)


class Awaited:
    """The outcome of a request that the store decides: it is called when that has answered, at once or later."""

    __slots__ = ("_decided", "_error", "_outcome", "_state", "_tag")

    def __init__(self, state: SessionState, tag: int) -> None:
        self._state = state
        self._tag = tag
        self._decided = False
        self._error: MQError | None = None
        self._outcome: Outcome | None = None

    def __call__(self, error: MQError | None) -> None:
        """The store has answered: None, or why it has not taken the transaction."""
        outcome = self._outcome
        if outcome is not None:
            self._state.complete(self._tag, outcome if error is None else failed(error))
        else:
            self._decided, self._error = True, error

    def outcome(self, outcome: Outcome = DONE) -> Outcome | None:
        """The request has been carried out but for the store, whose answer decides between ``outcome`` and a failure:
        what is known already, None where it comes."""
        if self._decided:
            return outcome if self._error is None else failed(self._error)
        self._outcome = outcome
        return None
