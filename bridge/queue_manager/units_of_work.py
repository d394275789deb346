"""Units of work: what was put and got under syncpoint (mqi.md 16.1). What becomes of it: ``committing``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from mqbridge.bridge.store.interface import Operation

from .errors import MQError

if TYPE_CHECKING:
    from .queues.local_queue import LocalQueue
    from .uncommitted_puts import UncommittedPut, UnitPuts

Then: TypeAlias = Callable[["MQError | None"], None]
"""A continuation: called once, with None when it is on disk, else with the reason why it is not."""


class UnitState(Enum):
    """Life of a unit of work."""

    ACTIVE = "active"
    COMMITTING = "committing"
    COMMITTED = "committed"
    BACKED_OUT = "backed out"


@dataclass(slots=True, eq=False)
class UnitOfWork:
    """Puts and gets that happen together or not at all.

    ``implicit``: the unit is that of a single call outside syncpoint, whose caller is told
    the store's reason instead of 2003. ``in_turns``: what is long may be done in turns, and its commit waits for that.
    ``stays``: when the store refuses its commit it is not backed out but stays as
    it was, for a caller who decides otherwise about its messages than by backing out. ``puts`` and ``gets`` are kept by
    the queue manager; a got message is its queue and row. ``bytes_held``: message data in memory. ``own``: its puts as
    its gets see them, None until one has looked. ``working``: something is done in turns; ``pending``: a commit that
    waits for the end of that.
    """

    implicit: bool = False
    in_turns: bool = False
    stays: bool = False
    state: UnitState = UnitState.ACTIVE
    puts: list[UncommittedPut] = field(default_factory=list)
    gets: list[tuple[LocalQueue, bytes]] = field(default_factory=list)
    bytes_held: int = 0
    own: UnitPuts | None = None
    working: bool = False
    pending: PendingCommit | None = None

    @property
    def count(self) -> int:
        """Messages put and got, which MAXUMSGS limits."""
        return len(self.puts) + len(self.gets)


@dataclass(slots=True, eq=False)
class PendingCommit:
    """A transaction that the store must do: ``store.commit([pending.operations])``, then
    ``queue_manager.committed(pending, error, now)``, in the order in which they were taken.

    ``finish``: what the queue manager itself does with the outcome; ``then``: told it after that. Both are given None,
    or why nothing of it has happened. ``found``: what was counted by work that was done in turns.
    """

    operations: list[Operation] = field(default_factory=list)
    unit: UnitOfWork | None = None
    then: Then | None = None
    finish: Then | None = None
    found: int = 0

    def decided(self, error: MQError | None) -> None:
        """Tell the outcome."""
        if self.finish is not None:
            self.finish(error)
        if self.then is not None:
            self.then(error)


def tell(pending: PendingCommit | None, then: Then | None) -> None:
    """Have ``then`` told the outcome of a commit: at once where nothing is left to do."""
    if then is None:
        return
    if pending is None:
        then(None)
    else:
        pending.then = then
