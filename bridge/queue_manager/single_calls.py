"""Calls outside syncpoint: each is a unit of work of its own, which is committed once the call has been made."""

from __future__ import annotations

from collections.abc import Callable

from .committing import commit
from .core import Core
from .options import RetrievedMessage
from .queues.bodies import in_memory
from .units_of_work import Then, UnitOfWork, tell


def put_alone(core: Core, put: Callable[[UnitOfWork], int], now: float, then: Then | None) -> int:
    """Make a put in a unit of work of its own, and have ``then`` told when that has ended; what the put returns."""
    work = UnitOfWork(implicit=True, in_turns=True)
    warning = put(work)
    tell(commit(core, work, now), then)
    return warning


def end_get(
    core: Core, got: RetrievedMessage | None, work: UnitOfWork, now: float, then: Then | None
) -> RetrievedMessage | None:
    """Commit the unit of work of a get that was made outside another, and have ``then`` told; the message, with its
    data in memory."""
    if got is not None and work.gets:
        got.message.body = in_memory(got.message.body)
        pending = commit(core, work, now)
        got.pending = pending is not None
        tell(pending, then)
    return got
