"""Units of work: messages put and got under syncpoint (mqi.md 16.1). See ``committing`` for their end."""

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
"""Continuation of a commit, called once: with None when it is on disk, else with the error."""


class UnitState(Enum):
    """State of a unit of work."""

    ACTIVE = "active"
    COMMITTING = "committing"
    COMMITTED = "committed"
    BACKED_OUT = "backed out"


@dataclass(slots=True, eq=False)
class UnitOfWork:
    """Puts and gets that are committed or backed out together.

    ``implicit``: of a single call outside syncpoint, which fails with the store's reason instead of 2003. ``in_turns``:
    long work in it may be done in turns, and its commit waits for that. ``stays``: a commit that the store refuses
    leaves it unchanged instead of backing it out. ``gets``: queue and row of each message. ``bytes_held``: message data
    in memory. ``own``: its puts for its own gets, None until the first of these. ``working``: a task in turns is
    unfinished. ``pending``: a commit that waits for its end.
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
        """Number of messages put and got, which MAXUMSGS limits."""
        return len(self.puts) + len(self.gets)


@dataclass(slots=True, eq=False)
class PendingCommit:
    """A transaction for the store: the host calls ``store.commit([pending.operations])``, then
    ``queue_manager.committed(pending, error, now)``, in the order in which it has taken them.

    ``finish``: the queue manager's own continuation, called first. ``then``: the caller's. Both get None, or the error
    if nothing was committed. ``found``: result of a task in turns (NumPubs).
    """

    operations: list[Operation] = field(default_factory=list)
    unit: UnitOfWork | None = None
    then: Then | None = None
    finish: Then | None = None
    found: int = 0

    def decided(self, error: MQError | None) -> None:
        """Call the continuations with the outcome."""
        if self.finish is not None:
            self.finish(error)
        if self.then is not None:
            self.then(error)


def on_complete(pending: PendingCommit | None, then: Then | None) -> None:
    """Set the continuation of a transaction; without a transaction call it at once."""
    if then is None:
        return
    if pending is None:
        then(None)
    else:
        pending.then = then
