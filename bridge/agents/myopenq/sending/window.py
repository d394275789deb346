"""How much may go to another manager while something that it may have got is to be repeated (M-092)."""

from __future__ import annotations

from typing import Final, Protocol

SHARE: Final = 2
"""The part of a digest list that senders use: one by this number. Other programs at our address use it too."""


class Member(Protocol):
    """A sender to the manager."""

    def unblock(self) -> None:
        """There is room again."""
        ...


class Window:
    """The messages that were stamped for one manager, counted.

    The other manager keeps its last digests, ``md5list`` of them, and knows a repeat only while it is among them. So no
    more messages are stamped than its share of them, since the oldest that is not known on disk to have arrived: even
    when all of these go out before that one is repeated, it is known.
    """

    __slots__ = ("_most", "_since", "_stamped", "_waiting")

    def __init__(self, md5list: int) -> None:
        self._most = max(1, md5list // SHARE)
        self._stamped = 0
        self._since: dict[Member, int] = {}
        self._waiting: dict[Member, None] = {}

    def room(self, member: Member) -> int:
        """How many messages a sender may stamp; with none it waits, and is told when there is room."""
        room = self._most - (self._stamped - min(self._since.values(), default=self._stamped))
        if room <= 0:
            self._waiting[member] = None
            return 0
        return room

    def enter(self, member: Member, number: int) -> int:
        """Count messages that a sender stamps. Returns their place, for `moved`."""
        place = self._stamped
        self._since.setdefault(member, place)
        self._stamped += number
        return place

    def doubt(self, member: Member) -> None:
        """What a sender has from an earlier life is to be repeated before anything new is stamped: nobody knows how
        much went out since."""
        self._since[member] = self._stamped - self._most

    def moved(self, member: Member, place: int) -> None:
        """All that a sender has stamped before a place has arrived, and that is on disk."""
        self._since[member] = place
        self._wake()

    def leave(self, member: Member) -> None:
        """All that a sender has stamped has arrived, or is not repeated for now."""
        if self._since.pop(member, None) is not None:
            self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for each in waiting:
            each.unblock()
