"""Units of work of a partner: what one turn has done, written in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from mqbridge.bridge.agents.linking.commits import OrderedCommits
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram, OnStored
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Commit
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time

MOST_IN_A_TURN: Final = 50
"""Things of one turn after which no further message is got."""


class PartnerUnits:
    """The units of work of one session with the queue manager.

    Whatever is added in a turn, with the puts of the turn, is one unit; `commit` ends the turn. Outcomes come in the
    order of the units.
    """

    __slots__ = ("_commits", "_program", "_rows", "_starved", "_then", "_tokens", "room")

    def __init__(self, program: ChannelProgram) -> None:
        self._program = program
        self._commits = OrderedCommits()
        self._tokens: list[bytes] = []
        self._rows: list[Operation] = []
        self._then: list[OnStored] = []
        self._starved = False
        self.room: Callable[[], None] = lambda: None
        """Called when there is room again after `full`."""

    def full(self) -> bool:
        """Whether so much is being written that nothing more should be begun; `room` is called later."""
        self._starved = self._commits.full or len(self._then) >= MOST_IN_A_TURN
        return self._starved

    @property
    def pending(self) -> bool:
        """Whether one is being written, or to be."""
        return bool(self._commits) or bool(self._then)

    def add(self, then: OnStored, rows: Iterable[Operation] = (), token: bytes = b"") -> None:
        """Add rows, and a message that leaves its queue; ``then`` is called when all is on disk, or not."""
        self._rows += rows
        if token:
            self._tokens.append(token)
        self._then.append(then)

    def commit(self, now: Time) -> None:
        """Commit what the turn has added."""
        if not self._then:
            return
        then, self._then = self._then, []
        rows, self._rows = tuple(self._rows), []
        tokens, self._tokens = tuple(self._tokens), []

        def stored(error: MQError | None) -> None:
            for each in then:
                each(error)
            if self._starved:
                self._starved = False
                self.room()

        self._program.commit(Commit(self._program.next_tag(), rows, tokens), self._commits.add(stored), now)
