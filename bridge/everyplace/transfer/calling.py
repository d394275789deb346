"""The end that calls: pushes batches of its lanes, and pulls those that wait at the other end (mqe.md 10, E-325)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from mqbridge.bridge.everyplace.changes import Unsettled
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.protocol.everyplace.batches import (
    Numbered,
    Pull,
    Push,
    RefusedMessage,
    Taken,
    read_body,
    write_body,
)
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.names import Address

from .conversation import Committer, Line
from .receiving_lane import ReceivingLane
from .sending_lane import LaneState, SendingLane

BATCH: Final = 50
"""Most messages of a batch."""
Expected = TypeVar("Expected", Numbered, Push, Taken)


class Pushing:
    """One lane's batches to the queue manager that was called. ``line``: None without connection."""

    def __init__(self, lane: SendingLane, messages: StoredMessages, committer: Committer, lane_name: str) -> None:
        self.lane = lane
        self._messages = messages
        self._committer = committer
        self._name = lane_name
        self.line: Line | None = None

    def connected(self, line: Line) -> None:
        """The connection is there: compare numbers, then push."""
        self.line = line
        self._ask(Kind.STATE, Numbered(self._name, 0), self._settle)

    def cut(self) -> None:
        """The connection is gone."""
        self.line = None
        self.lane.cut()

    def go_on(self, now: int) -> None:
        """Push the next batch, if there are messages and the last one is done. ``now``: milliseconds since 1970."""
        batch = None if self.line is None else self.lane.next_batch(BATCH, now)
        if batch is not None:
            messages = tuple((entry.target or Address("", ""), self._messages.read(entry)) for entry in batch.entries)
            self._ask(Kind.PUSH, Push(self._name, batch.number, messages), partial(self._taken, now))
        else:
            self._tidy()

    def _ask(self, kind: Kind, body: Numbered | Push, then: Callable[[Frame], None]) -> None:
        line = self.line
        assert line is not None, "asks over a connection"

        def answered(frame: Frame) -> None:
            if self.line is line:
                then(frame)

        line.ask(kind, write_body(body), answered)

    def _settle(self, frame: Frame) -> None:
        found = _expected(frame, Kind.STATE, Numbered)
        line = self.line
        assert line is not None, "an answer came over a connection"
        try:
            self.lane.settle(line.incarnation, found.number)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: self._settle(frame) if self.line is line else None)

    def _taken(self, now: int, frame: Frame) -> None:
        found = _expected(frame, Kind.TAKEN, Taken)
        change = self.lane.taken(found.number, found.refused)
        if change is None:
            return
        line = self.line

        def written(committed: bool) -> None:
            if committed and self.line is line and self.lane.state is LaneState.IN_DOUBT:
                self._ask(Kind.CONFIRM, Numbered(self._name, found.number), partial(self._confirmed, now))

        self._committer.submit(change, written)

    def _confirmed(self, now: int, frame: Frame) -> None:
        self.lane.confirmed(_expected(frame, Kind.CONFIRMED, Numbered).number)
        self.go_on(now)

    def _tidy(self) -> None:
        """Delete what the other end has placed, when no further batch does it."""
        change = self.lane.deletes()
        if change is not None:
            self._committer.submit(change, lambda _: None)


class Pulling:
    """What waits at the queue manager that was called for this one: a home-server queue's work (E-135)."""

    def __init__(self, lane: ReceivingLane, own: str, committer: Committer) -> None:
        self.lane = lane
        self._own = own
        self._committer = committer
        self.line: Line | None = None
        self.idle = True
        """Whether nothing is asked, and the last answer was that nothing waits."""

    def connected(self, line: Line) -> None:
        """The connection is there."""
        self.line = line
        self.idle = True

    def cut(self) -> None:
        """The connection is gone."""
        self.line = None
        self.lane.cut()

    def pull(self, wait: int) -> None:
        """Ask for what waits; the other end may keep the question for ``wait`` milliseconds."""
        line = self.line
        if line is None or not self.idle:
            return
        self.idle = False
        try:
            self.lane.settle(line.incarnation, self._committer, partial(self._settled, line, wait))
        except Unsettled as unsettled:
            self.idle = True
            unsettled.change.afterwards(lambda: self.pull(wait))

    def _settled(self, line: Line, wait: int, found: int | Refused) -> None:
        if self.line is not line:
            return
        if isinstance(found, Refused):  # MQ cannot be asked now
            self.idle = True
        else:
            self._ask(line, Kind.PULL, Pull(self._own, found, wait), partial(self._pushed, line, wait))

    def _ask(self, line: Line, kind: Kind, body: Pull | Taken, then: Callable[[Frame], None]) -> None:
        line.ask(kind, write_body(body), lambda frame: then(frame) if self.line is line else None)

    def _pushed(self, line: Line, wait: int, frame: Frame) -> None:
        if frame.kind is Kind.NOTHING:
            self.idle = True
            return
        found = _expected(frame, Kind.PUSH, Push)
        pairs = [(message, address) for address, message in found.messages]
        self.lane.push(line.incarnation, found.number, pairs, partial(self._prepared, line, wait, found.number))

    def _prepared(self, line: Line, wait: int, number: int, refused: list[RefusedMessage]) -> None:
        if self.line is line:
            body = Taken(self._own, number, tuple(refused))
            self._ask(line, Kind.TAKEN, body, partial(self._confirm, line, wait))

    def _confirm(self, line: Line, wait: int, frame: Frame) -> None:
        if frame.kind is Kind.NOTHING:  # all were refused
            self.lane.cut()
            self.idle = True
            return

        def placed(committed: bool) -> None:
            self.idle = True
            if committed:
                self.pull(wait)

        number = _expected(frame, Kind.CONFIRM, Numbered).number
        self.lane.confirm(line.incarnation, number, self._committer, placed)


def _expected(frame: Frame, kind: Kind, body: type[Expected]) -> Expected:
    """Return the body of an answer of the right kind. Raises `EveryplaceError` DATA."""
    if frame.kind is not kind:
        raise EveryplaceError(Code.DATA, f"a {frame.kind.name} came where a {kind.name} was expected")
    found = read_body(kind, frame.body)
    assert isinstance(found, body)
    return found
