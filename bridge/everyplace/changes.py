"""Changes: what an operation wants on disk, and what it does when it is there.

Nothing is seen and nothing is answered before its change is committed. The caller submits the operations to the store,
alone or beside others of its own in one transaction, and says afterwards whether they were committed. Until then the
messages concerned are reserved: other programs do not see them, and an operation that names one of them raises
`Unsettled` and is repeated when the change has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from mqbridge.bridge.store.interface import Operation

Result_co = TypeVar("Result_co", covariant=True)
Answer = TypeVar("Answer")


class Change(Generic[Result_co]):
    """One change. ``operations``: for the store. ``result``: what the caller gets once it is committed."""

    __slots__ = ("_apply", "_ended", "_revert", "_waiting", "operations", "result")

    def __init__(
        self,
        result: Result_co,
        operations: Sequence[Operation] = (),
        apply: Callable[[], None] | None = None,
        revert: Callable[[], None] | None = None,
    ) -> None:
        self.result = result
        self.operations = list(operations)
        self._apply = apply
        self._revert = revert
        self._waiting: list[Callable[[], None]] = []
        self._ended = False

    def ended(self, *, committed: bool) -> None:
        """Make it visible, or give up what it reserved; then repeat what waits for it. To be called once."""
        assert not self._ended, "a change ends once"
        self._ended = True
        done = self._apply if committed else self._revert
        if done is not None:
            done()
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each()

    def then(self, answer: Callable[[Result_co], Answer]) -> Change[Answer]:
        """Return the same change with another result, made of this one's. One of the two is to be ended."""
        return Change(
            answer(self.result),
            self.operations,
            lambda: self.ended(committed=True),
            lambda: self.ended(committed=False),
        )

    def afterwards(self, call: Callable[[], None]) -> None:
        """Call this when the change has ended; at once if it has."""
        if self._ended:
            call()
        else:
            self._waiting.append(call)


def joined(changes: Sequence[Change[Any]], result: Answer, operations: Sequence[Operation] = ()) -> Change[Answer]:
    """Return changes as one, which is committed whole or not at all; ``operations``: more of them."""

    def end(*, committed: bool) -> None:
        for each in changes if committed else reversed(changes):
            each.ended(committed=committed)

    everything = [operation for change in changes for operation in change.operations]
    return Change(result, [*everything, *operations], lambda: end(committed=True), lambda: end(committed=False))


class Unsettled(Exception):
    """An operation names a message whose change is not on disk yet. ``change``: which; repeat the call afterwards."""

    def __init__(self, change: Change[Any]) -> None:
        super().__init__("the message is being changed")
        self.change = change
