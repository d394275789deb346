"""The end that calls: pushes the batches of a lane (mqe.md 10 and 16, E-320, E-324).

PUSH n+1 goes out behind CONFIRM n without waiting for CONFIRMED n, so that a batch takes one round trip. Long messages,
which go ahead of their batch in parts, wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mqbridge.bridge.everyplace.changes import Unsettled
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.protocol.everyplace.batches import (
    Confirm,
    Have,
    Numbered,
    Part,
    Push,
    RefusedMessage,
    State,
    Taken,
    write_body,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind

from .conversation import Committer, Line, Trouble, expected
from .parts_in import LONG, WINDOW
from .parts_out import PartsOut, pushed
from .sending_lane import Batch, LaneState, SendingLane

BATCH: Final = 200
"""Most messages of a batch."""


class Pushing:
    """One lane's batches to the queue manager that was called.

    ``gate``: whether a further batch may go now. ``line``: None without connection. ``blocked``: nothing is pushed
    until `unblock` (E-213, E-214).
    """

    def __init__(
        self,
        lane: SendingLane,
        messages: StoredMessages,
        committer: Committer,
        lane_name: str,
        trouble: Trouble = lambda _: None,
        gate: Callable[[], bool] = lambda: True,
    ) -> None:
        self.lane = lane
        self._messages = messages
        self._committer = committer
        self._name = lane_name
        self._trouble = trouble
        self._parts: PartsOut | None = None
        self._now = self._next = self._on_the_way = self._turn = 0
        self._gate = gate
        self.line: Line | None = None
        self.blocked = False

    def connected(self, line: Line) -> None:
        """The connection is there: compare numbers, then push."""
        self.line = line
        self.blocked = False
        self._compare()

    def cut(self) -> None:
        """The connection is gone."""
        self.line = self._parts = None
        self._turn += 1
        self.lane.cut()

    def unblock(self) -> None:
        """Try again what was refused."""
        if self.blocked and self.line is not None:
            self.blocked = False
            if self.lane.state in (LaneState.UNSETTLED, LaneState.HELD):
                self._compare()

    @property
    def under_way(self) -> bool:
        """Whether a batch is at the other end, or the ends compare numbers."""
        return self.line is not None and not self.blocked and self.lane.state is not LaneState.READY

    def go_on(self, now: int) -> None:
        """Push the next batch, if there are messages and the last one is done. ``now``: milliseconds since 1970."""
        batch = self.lane.next_batch(BATCH, now) if self._may() else None
        if batch is None:
            self._tidy()
        else:
            self._begin(batch, now)

    def _may(self) -> bool:
        return self.line is not None and not self.blocked and self._gate()

    def _begin(self, batch: Batch, now: int) -> None:
        self._now = now
        try:
            self._parts = PartsOut(self._name, batch.entries, self._messages)
            self._go_ahead(batch)
        except EveryplaceError as error:
            self._failed(error)

    def _compare(self) -> None:
        question = State(self._name, self.lane.number, self.lane.in_doubt)
        self._ask(Kind.STATE, question, self._settle)

    # Long messages

    def _go_ahead(self, batch: Batch) -> None:
        """Send the next long message of a batch ahead of it, or the batch."""
        parts = self._parts
        if parts is None or parts.uid is None:
            self._parts = None
            push = Push(self._name, batch.number, pushed(batch.entries, self._messages))
            self._ask(Kind.PUSH, push, partial(self._taken, self._now))
            return
        first = parts.question() if self.lane.begun == parts.uid else parts.part(0)
        self.lane.begun = parts.uid
        self._next = self._on_the_way = 0
        self._send_part(batch, parts, first)

    def _send_part(self, batch: Batch, parts: PartsOut, part: Part) -> None:
        self._on_the_way += 1
        self._ask(Kind.PART, part, partial(self._has, batch, parts))

    def _has(self, batch: Batch, parts: PartsOut, frame: Frame) -> None:
        if parts is not self._parts:
            return
        found = expected(frame, Kind.HAVE, Have)
        if found.uid != parts.uid:
            return
        self._on_the_way -= 1
        if found.offset >= parts.length:
            parts.next()
            self._go_ahead(batch)
            return
        self._next = max(self._next, found.offset)
        while self._on_the_way < WINDOW and self._next < parts.length:
            part = parts.part(self._next)
            self._next += len(part.data)
            self._send_part(batch, parts, part)

    # Batches

    def _ask(self, kind: Kind, body: Confirm | State | Push | Part, then: Callable[[Frame], None]) -> None:
        line, turn = self.line, self._turn
        assert line is not None, "asks over a connection"

        def answered(frame: Frame) -> None:
            if self.line is line and self._turn == turn:
                try:
                    then(frame)
                except EveryplaceError as error:
                    self._failed(error)

        line.ask(kind, write_body(body), answered)

    def _failed(self, error: EveryplaceError) -> None:
        """The other end cannot go on with this lane; it settles when it is tried again.

        What it still answers does not count: behind a CONFIRM that has failed it cannot take the next batch.
        """
        if error.code is Code.DATA and self.line is not None:
            self.line.fail(error)
            return
        self.lane.cut()
        self._parts = None
        self._turn += 1
        self.blocked = True
        self._trouble(error)

    def _settle(self, frame: Frame) -> None:
        found = expected(frame, Kind.STATE, State)
        line = self.line
        assert line is not None, "an answer came over a connection"
        try:
            self.lane.settle(line.incarnation, found.number, found.mark)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: self._settled_later(line, frame))

    def _settled_later(self, line: Line, frame: Frame) -> None:
        if self.line is line:
            try:
                self._settle(frame)
            except EveryplaceError as error:
                self._failed(error)

    def _taken(self, now: int, frame: Frame) -> None:
        found = expected(frame, Kind.TAKEN, Taken)
        change = self.lane.taken(found.number, found.refused)
        self._judge(found.refused, nothing_taken=change is None)
        if change is None:
            return
        line = self.line

        def written(committed: bool) -> None:
            if self.line is not line:
                return
            if committed and self.lane.state is LaneState.IN_DOUBT:
                self._confirm(now, found.number)
            elif not committed:
                self._failed(EveryplaceError(Code.STORE, f"lane {self.lane.name}: what is in doubt cannot be written"))

        self._committer.submit(change, written)

    def _confirm(self, now: int, number: int) -> None:
        """Have a batch placed, and push the next one behind it."""
        self._ask(Kind.CONFIRM, Confirm(self._name, number, self.lane.mark), partial(self._confirmed, now))
        batch = self.lane.batch_behind(BATCH, now, LONG) if self._may() else None
        if batch is not None:
            self._begin(batch, now)

    def _judge(self, refused: tuple[RefusedMessage, ...], *, nothing_taken: bool) -> None:
        """What is refused for good blocks those behind it; what goes elsewhere comes in the next batch."""
        blocking = [each for each in refused if each.code != Code.LATER]
        if blocking or (refused and nothing_taken):
            first = (blocking or list(refused))[0]
            self.blocked = True
            code = Code(first.code) if first.code in tuple(Code) else Code.DATA
            self._trouble(EveryplaceError(code, self.lane.alarm or f"{first.uid} is refused: {first.text}"))
        elif not refused:
            self._trouble(None)

    def _confirmed(self, now: int, frame: Frame) -> None:
        self.lane.confirmed(expected(frame, Kind.CONFIRMED, Numbered).number)
        self.go_on(now)

    def _tidy(self) -> None:
        """Delete what the other end has placed, when no further batch does it."""
        change = self.lane.deletes()
        if change is not None:
            self._committer.submit(change, lambda _: None)
