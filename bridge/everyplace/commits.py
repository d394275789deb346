"""Changes on their way to disk, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mqbridge.bridge.store.interface import Operation, StoreError
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code

from .changes import Change


@dataclass(slots=True, eq=False)
class Pending:
    """A change on its way to disk. ``operations``: for the store."""

    change: Change[Any]
    then: Callable[[Any], None]
    operations: list[Operation]


class Commits:
    """What a queue manager wants on disk. ``open``: how many changes have not ended."""

    __slots__ = ("_new", "open")

    def __init__(self) -> None:
        self._new: list[Pending] = []
        self.open = 0

    def submit(self, change: Change[Any], then: Callable[[Any], None]) -> None:
        """Have a change committed; ``then`` gets its result, or `Refused`. One without operations ends at once."""
        if not change.operations:
            change.ended(committed=True)
            then(change.result)
            return
        self.open += 1
        self._new.append(Pending(change, then, change.operations))

    def take(self) -> list[Pending]:
        """Return the changes since the last call."""
        found, self._new = self._new, []
        return found

    def committed(self, pending: Pending, error: StoreError | None) -> None:
        """Say that a change is on disk, or why it is not; in the order in which they were taken."""
        self.open -= 1
        pending.change.ended(committed=error is None)
        pending.then(pending.change.result if error is None else Refused(Code.STORE, f"the store says: {error}"))
