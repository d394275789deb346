"""Gets that look at so much that others must have their turn in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.hconn import Hconn
    from mqbridge.bridge.agents.svrconn.waits import ProgramWait


class Searches:
    """The searches of one connection that go on when it is their turn again."""

    __slots__ = ("_searches",)

    def __init__(self) -> None:
        self._searches: dict[ProgramWait, Hconn] = {}

    def add(self, search: ProgramWait, program: Hconn, now: float) -> None:
        """Has a search go on as soon as others had their turn."""
        if search not in self._searches:
            self._searches[search] = program
            program.end.manager.turns.again(lambda at: self._turn(search, at), now)

    def _turn(self, search: ProgramWait, now: float) -> None:
        program = self._searches.pop(search, None)
        if program is None:
            return
        program.end.channel_manager.now = now
        search.search_on(now)

    def drop(self, search: ProgramWait) -> None:
        """A search is over; nothing if it was."""
        if self._searches.pop(search, None) is not None:
            search.search.end()

    def end(self, program: Hconn, reason: int) -> None:
        """Ends the searches of a program's gets."""
        for search, owner in list(self._searches.items()):
            if owner is program and search.called:
                self.drop(search)
                search.search_ended(reason)

    def forget(self, program: Hconn) -> None:
        """Nobody hears the program any more."""
        for search in [search for search, owner in self._searches.items() if owner is program]:
            self.drop(search)
