"""Units of work: what was put and got under syncpoint, and what becomes of it (mqi.md 16.1)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeAlias

from attrs import define, field

from bridge.store.interface import Operation

from .errors import MQError

Then: TypeAlias = Callable[["MQError | None"], None]
"""A continuation: called once, with None when it is on disk, else with the reason why it is not."""


class UnitState(Enum):
    """Life of a unit of work."""

    ACTIVE = "active"
    COMMITTING = "committing"
    COMMITTED = "committed"
    BACKED_OUT = "backed out"


@define(eq=False)
class UnitOfWork:
    """Puts and gets that happen together or not at all.

    ``owner`` is for the caller. ``count`` is the number of messages put and got (MAXUMSGS limits it).
    """

    owner: Any
    state: UnitState = UnitState.ACTIVE
    count: int = 0


@define(eq=False)
class PendingCommit:
    """A transaction that the store must do: ``store.commit([pending.operations])``, then
    ``queue_manager.committed(pending, error, now)``, in the order in which they were taken."""

    operations: list[Operation] = field(factory=list)
    unit: UnitOfWork | None = None
    then: Then | None = None
