"""The end that calls: pulls the batches that wait for it at the other end (mqe.md 10 and 16, E-135, E-325).

NEXT goes out behind TAKEN n and asks for batch n+1, which comes behind CONFIRM n, so that a batch takes one round trip.
TAKEN n+1 then says that n is placed. Nothing is asked behind a batch of one message, since most come alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mqbridge.bridge.everyplace.changes import Unsettled
from mqbridge.protocol.everyplace.batches import (
    Confirm,
    Have,
    Numbered,
    Part,
    Pull,
    Push,
    RefusedMessage,
    Taken,
    write_body,
)
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.transitions import SINCE
from mqbridge.protocol.everyplace.uid import MessageUid

from .conversation import Committer, Line, Trouble, expected
from .parts_in import PART, WINDOW, PartsIn, whole
from .receiving_lane import ReceivingLane


class Pulling:
    """What waits at the queue manager that was called for this one: a home-server queue's work.

    ``own``: the name of this queue manager, which is that of the lane. ``idle``: nothing is asked. ``empty``: the last
    answer was that nothing waits. ``trouble``: hears why the other end gives nothing.
    """

    def __init__(
        self,
        lane: ReceivingLane,
        own: str,
        committer: Committer,
        parts: PartsIn,
        trouble: Trouble = lambda _: None,
    ) -> None:
        self.lane = lane
        self._own = own
        self._committer = committer
        self._parts = parts
        self._long: MessageUid | None = None
        self._asked = self._turn = 0
        self._placed = self._behind = False
        self._trouble = trouble
        self.line: Line | None = None
        self.idle = True
        self.empty = False

    def connected(self, line: Line) -> None:
        """The connection is there."""
        self.line, self._long = line, None
        self.idle, self.empty = True, False

    def cut(self) -> None:
        """The connection is gone."""
        self.line = None
        self._turn += 1
        self.idle = True
        self.lane.cut()

    def pull(self, wait: int) -> None:
        """Ask for what waits; the other end may keep the question for ``wait`` milliseconds."""
        line = self.line
        if line is None or not self.idle:
            return
        self.idle, self.empty = False, False
        try:
            self.lane.settle(line.incarnation, self._committer, partial(self._settled, line, wait))
        except Unsettled as unsettled:
            self.idle = True
            unsettled.change.afterwards(lambda: self.pull(wait))
        except EveryplaceError as error:
            self._failed(error)

    def _settled(self, line: Line, wait: int, found: int | Refused) -> None:
        if self.line is not line:
            return
        if isinstance(found, Refused):  # MQ cannot be asked now
            self._failed(found.error())
        else:
            self._ask(line, Kind.PULL, Pull(self._own, found, wait), partial(self._pushed, line, wait))

    def _ask(self, line: Line, kind: Kind, body: Pull | Taken | Numbered | Have, then: Callable[[Frame], None]) -> None:
        turn = self._turn

        def answered(frame: Frame) -> None:
            if self.line is line and self._turn == turn:
                try:
                    then(frame)
                except EveryplaceError as error:
                    self._failed(error)

        line.ask(kind, write_body(body), answered)

    def _failed(self, error: EveryplaceError) -> None:
        """The other end gives nothing, or what it gave cannot be placed now."""
        if error.code is Code.DATA and self.line is not None:
            self.line.fail(error)
            return
        self.lane.cut()
        self._turn += 1
        self.idle, self.empty = True, True
        self._trouble(error)

    def _pushed(self, line: Line, wait: int, frame: Frame) -> None:
        if frame.kind is Kind.NOTHING:
            self.idle, self.empty = True, True
            self._trouble(None)
            return
        if frame.kind is Kind.PART:
            self._part_came(line, wait, expected(frame, Kind.PART, Part))
            return
        found = expected(frame, Kind.PUSH, Push)
        pairs = whole(found, self.lane.name, self._parts)
        try:
            self.lane.push(line.incarnation, found.number, pairs, partial(self._prepared, line, wait, found))
        except Unsettled as unsettled:
            unsettled.change.afterwards(partial(self._pushed_later, line, wait, frame, self._turn))

    def _pushed_later(self, line: Line, wait: int, frame: Frame, turn: int) -> None:
        if self.line is line and self._turn == turn:
            try:
                self._pushed(line, wait, frame)
            except EveryplaceError as error:
                self._failed(error)

    def _part_came(self, line: Line, wait: int, part: Part) -> None:
        """Keep a part, and ask for those behind it; for what is behind the message when all of it is on disk."""
        name = self.lane.name
        if part.uid != self._long or not part.data:
            self._long, self._asked = part.uid, 0
        ahead = part.offset > self._parts.have(name, part.uid)
        if not ahead:
            self._parts.add(name, part, partial(self._part_kept, line, wait, part))
        have = self._parts.have(name, part.uid)
        size = len(part.data) or PART
        self._asked = max(self._asked, have)
        while not ahead and self._asked < min(part.length, have + WINDOW * size):
            self._ask_part(line, wait, part, self._asked)
            self._asked += size

    def _part_kept(self, line: Line, wait: int, part: Part, found: int | EveryplaceError) -> None:
        if self.line is not line:
            return
        if isinstance(found, EveryplaceError):
            self._failed(found)
        elif found == part.length:
            self._ask_part(line, wait, part, found)

    def _ask_part(self, line: Line, wait: int, part: Part, offset: int) -> None:
        self._ask(line, Kind.HAVE, Have(self._own, part.uid, offset), partial(self._pushed, line, wait))

    def _prepared(self, line: Line, wait: int, push: Push, refused: list[RefusedMessage]) -> None:
        if self.line is not line:
            return
        self._placed = False
        self._behind = line.version >= SINCE[Kind.NEXT] and len(push.messages) > 1
        body = Taken(self._own, push.number, tuple(refused))
        self._ask(line, Kind.TAKEN, body, partial(self._confirm, line, wait))
        if self._behind:
            self._ask(line, Kind.NEXT, Numbered(self._own, push.number), partial(self._came_behind, line, wait))

    def _came_behind(self, line: Line, wait: int, frame: Frame) -> None:
        """The answer to NEXT: a batch is looked at when the one before it is placed."""
        if frame.kind is not Kind.NOTHING:
            self._pushed(line, wait, frame)
            return
        self._behind = False
        if self._placed:
            self._pull_again(wait)

    def _pull_again(self, wait: int) -> None:
        self.idle = True
        self.pull(wait)

    def _confirm(self, line: Line, wait: int, frame: Frame) -> None:
        if frame.kind is Kind.NOTHING:  # all were refused
            self.lane.cut()
            self._turn += 1
            self.idle, self.empty = True, True
            return
        turn = self._turn

        def placed(committed: bool) -> None:
            if self.line is not line or self._turn != turn:
                return
            if committed:
                self._placed = True
                if not self._behind:
                    self._pull_again(wait)
            else:
                self._failed(EveryplaceError(Code.STORE, f"lane {self.lane.name}: a batch cannot be stored"))

        found = expected(frame, Kind.CONFIRM, Confirm)
        self.lane.confirm(line.incarnation, found.number, self._committer, placed, found.mark)
