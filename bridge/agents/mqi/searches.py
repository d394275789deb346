"""Gets whose selector looks at so many messages that others must have their turn in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .program import Program
    from .waits import ProgramWait


class Searches:
    """The searches of one connection that go on when it is their turn again."""

    __slots__ = ("_due", "_searches")

    def __init__(self) -> None:
        self._searches: dict[ProgramWait, Program] = {}
        self._due = 0.0

    def add(self, search: ProgramWait, program: Program, now: float) -> None:
        """Has a search go on as soon as others had their turn."""
        self._searches[search] = program
        self._due = now

    def drop(self, search: ProgramWait) -> None:
        """A search is over; nothing if it was."""
        self._searches.pop(search, None)

    def end(self, program: Program, reason: int) -> None:
        """Ends the searches of a program's gets."""
        for search, owner in list(self._searches.items()):
            if owner is program and search.called:
                del self._searches[search]
                search.search_ended(reason)

    def forget(self, program: Program) -> None:
        """Nobody hears the program any more."""
        self._searches = {search: owner for search, owner in self._searches.items() if owner is not program}

    def next_timeout(self) -> float | None:
        """When `timeout` is to be called."""
        return self._due if self._searches else None

    def timeout(self, now: float) -> None:
        """Lets each search have a turn."""
        searches, self._searches = self._searches, {}
        for search in searches:
            search.search_on(now)
