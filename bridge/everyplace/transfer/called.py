"""The end that is called: takes batches, and hands out what waits for the caller (mqe.md 10, E-131, E-325)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from mqbridge.bridge.everyplace.changes import Unsettled
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.protocol.everyplace.batches import (
    Confirm,
    Have,
    Numbered,
    Part,
    Pull,
    Push,
    RefusedMessage,
    State,
    Taken,
    lane_of,
    read_body,
    write_body,
)
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind

from .conversation import Committer, Reply, Trouble, refusal
from .parts_in import LONG, PartsIn, whole
from .parts_out import PartsOut, pushed
from .pushing import BATCH
from .receiving_lane import ReceivingLane
from .sending_lane import Batch, LaneState, SendingLane

MAX_WAIT: Final = 600_000
"""Most milliseconds that a pull waits, whatever it asks for."""
MAX_LANES: Final = 1000
"""Most lanes of one connection."""


class _Waiting(NamedTuple):
    """A pull that waits for a message. ``until``: milliseconds since 1970."""

    pull: Pull
    reply: Reply
    until: int


class _Behind(NamedTuple):
    """The question for the batch behind one whose CONFIRM has not gone out. ``now``: milliseconds since 1970."""

    asked: Numbered
    reply: Reply
    now: int


class CalledEnd:
    """One connection of a caller, whose requests it serves.

    ``receiving``: the lane of a name of the caller's. ``handed_out``: finds the lane of the messages that wait for the
    caller, and those; None if no store-and-forward queue has an entry for it (E-327). Everything that is asked is
    answered by a reply, perhaps later; errors are raised, and end the connection or become ERROR. ``blocked``: nothing
    is handed out, because the caller has refused it, until its next pull.
    """

    def __init__(
        self,
        incarnation: bytes,
        committer: Committer,
        receiving: Callable[[str], ReceivingLane],
        handed_out: Callable[[], tuple[SendingLane, StoredMessages] | None],
        parts: PartsIn,
        trouble: Trouble = lambda _: None,
    ) -> None:
        self._incarnation = incarnation
        self._committer = committer
        self._receiving = receiving
        self._find = handed_out
        self._handed_out: tuple[SendingLane, StoredMessages] | None = None
        self._parts = parts
        self._ahead: tuple[PartsOut, Batch] | None = None
        self._trouble = trouble
        self._lanes: dict[str, ReceivingLane] = {}
        self._waiting: _Waiting | None = None
        self._behind: _Behind | None = None
        self._writing = False
        self._gone = False
        self.blocked = False

    def cut(self) -> None:
        """The connection is gone, or a newer one of this caller is there."""
        self._gone = True
        self._waiting = self._ahead = self._behind = None
        for lane in self._lanes.values():
            lane.cut()
        if self._handed_out is not None:
            self._handed_out[0].cut()

    @property
    def pulls(self) -> bool:
        """Whether the caller has pulled."""
        return self._handed_out is not None

    def receive(self, frame: Frame, reply: Reply, now: int) -> None:
        """Serve a request. ``now``: milliseconds since 1970. Raises `EveryplaceError`."""
        try:
            self._receive(frame, reply, now)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: self._receive_later(frame, reply, now))

    def _receive_later(self, frame: Frame, reply: Reply, now: int) -> None:
        if not self._gone:
            try:
                self.receive(frame, reply, now)
            except EveryplaceError as error:
                self._trouble(error)
                reply(Kind.ERROR, refusal(error))

    def _receive(self, frame: Frame, reply: Reply, now: int) -> None:
        if frame.kind is Kind.PUSH:  # behind CONFIRM: it is not taken apart before its turn
            waiting = self._lanes.get(lane_of(frame.body))
            if waiting is not None:
                waiting.require_settled()
        body = read_body(frame.kind, frame.body)
        if isinstance(body, Push):
            lane = self._lane(body.lane)
            pairs = whole(body, lane.name, self._parts)
            lane.push(self._incarnation, body.number, pairs, partial(self._pushed, body, reply))
        elif isinstance(body, Part):
            self._parts.add(self._lane(body.lane).name, body, partial(self._part_kept, body, reply))
        elif isinstance(body, Have):
            self._has(body, reply)
        elif isinstance(body, Pull):
            self._pulled(body, reply, now)
        elif isinstance(body, Taken):
            self._taken(body, reply)
        elif isinstance(body, Numbered):
            self._asked_behind(_Behind(body, reply, now))
        elif isinstance(body, State):
            lane = self._lane(body.lane)
            lane.adopt(self._incarnation, body.number)
            lane.settle(self._incarnation, self._committer, partial(self._settled, lane, body, reply))
        elif isinstance(body, Confirm):
            self._confirm(body, reply)
        else:
            raise EveryplaceError(Code.BAD_REQUEST, f"a caller does not send {frame.kind.name}")

    def _lane(self, name: str) -> ReceivingLane:
        found = self._lanes.get(name)
        if found is None:
            if len(self._lanes) == MAX_LANES:
                raise EveryplaceError(Code.CHNL_LIMIT, f"a connection has {MAX_LANES} lanes")
            found = self._lanes[name] = self._receiving(name)
        return found

    def _settled(self, lane: ReceivingLane, body: State, reply: Reply, found: int | Refused) -> None:
        if self._gone:
            return
        try:
            if isinstance(found, Refused):
                raise found.error()
            lane.explain(found, body.number, in_doubt=body.in_doubt)
        except EveryplaceError as error:
            self._trouble(error)
            reply(Kind.ERROR, refusal(error))
            return
        reply(Kind.STATE, write_body(State(body.lane, found, mark=lane.mark if lane.number == found else 0)))

    def _pushed(self, body: Push, reply: Reply, refused: list[RefusedMessage]) -> None:
        if not self._gone:
            reply(Kind.TAKEN, write_body(Taken(body.lane, body.number, tuple(refused))))

    def _part_kept(self, body: Part, reply: Reply, found: int | EveryplaceError) -> None:
        if isinstance(found, EveryplaceError):
            reply(Kind.ERROR, refusal(found))
        else:
            reply(Kind.HAVE, write_body(Have(body.lane, body.uid, found)))

    def _confirm(self, body: Confirm, reply: Reply) -> None:
        lane = self._lane(body.lane)

        def placed(committed: bool) -> None:
            if self._gone:
                return
            if committed:
                reply(Kind.CONFIRMED, write_body(Numbered(body.lane, body.number)))
            else:
                text = f"batch {body.number} of lane {body.lane} cannot be stored"
                reply(Kind.ERROR, refusal(EveryplaceError(Code.STORE, text)))

        lane.confirm(self._incarnation, body.number, self._committer, placed, body.mark)

    # Handing out

    def _lane_out(self) -> tuple[SendingLane, StoredMessages]:
        found = self._handed_out = self._handed_out or self._find()
        if found is None:
            raise EveryplaceError(Code.Q_UNKNOWN, "no store-and-forward queue has an entry for this queue manager")
        return found

    def _pulled(self, body: Pull, reply: Reply, now: int) -> None:
        if self._waiting is not None:
            raise EveryplaceError(Code.DATA, f"lane {body.lane}: a pull waits already")
        lane, _ = self._lane_out()
        self._ahead = None
        self._nothing_behind()
        if lane.state is LaneState.IN_DOUBT and body.number == lane.number + 1:
            lane.confirmed(body.number)
        elif lane.state is not LaneState.READY or body.number != lane.number:
            lane.cut()
            lane.settle(self._incarnation, body.number)
        self._waiting = _Waiting(body, reply, now + min(body.wait, MAX_WAIT))
        self.go_on(now)

    def go_on(self, now: int) -> None:
        """Answer a pull that waits, if there is something now, or its time is over."""
        if self._waiting is None:
            return
        pull, reply, until = self._waiting
        lane, messages = self._lane_out()
        batch = None if self.blocked else lane.next_batch(BATCH, now)
        if batch is not None:
            self._waiting = None
            try:
                self._ahead = PartsOut(pull.lane, batch.entries, messages), batch
                self._go_ahead(pull.lane, reply)
            except EveryplaceError as error:
                lane.cut()
                self._trouble(error)
                reply(Kind.ERROR, refusal(error))
            return
        change = lane.deletes()
        if change is not None:
            self._committer.submit(change, lambda _: None)
        if not until - MAX_WAIT <= now < until:  # the clock may be set back
            self._waiting, self.blocked = None, False
            reply(Kind.NOTHING, write_body(Numbered(pull.lane, lane.number)))

    def _go_ahead(self, lane_name: str, reply: Reply) -> None:
        """Hand the next long message of a batch out ahead of it, or the batch."""
        lane, messages = self._lane_out()
        assert self._ahead is not None, "a batch is handed out"
        parts, batch = self._ahead
        if parts.uid is None:
            self._ahead = None
            reply(Kind.PUSH, write_body(Push(lane_name, batch.number, pushed(batch.entries, messages))))
            return
        first = parts.question() if lane.begun == parts.uid else parts.part(0)
        lane.begun = parts.uid
        reply(Kind.PART, write_body(first))

    def _has(self, body: Have, reply: Reply) -> None:
        """The caller has so much of a long message, and wants what follows."""
        if self._ahead is None or body.uid != self._ahead[0].uid or body.offset > self._ahead[0].length:
            raise EveryplaceError(Code.DATA, f"lane {body.lane}: no parts of {body.uid} are handed out")
        parts = self._ahead[0]
        if body.offset == parts.length:
            parts.next()
            self._go_ahead(body.lane, reply)
        else:
            reply(Kind.PART, write_body(parts.part(body.offset)))

    def next_timeout(self) -> int | None:
        """When `go_on` must be called, in milliseconds since 1970; None for never."""
        return None if self._waiting is None else self._waiting.until

    # The batch behind

    def _asked_behind(self, behind: _Behind) -> None:
        """Hand the next batch out behind the CONFIRM of the one that has been taken."""
        if self._behind is not None:
            raise EveryplaceError(Code.DATA, f"lane {behind.asked.lane}: a batch is asked for already")
        self._behind = behind
        if not self._writing:
            self._push_behind()

    def _push_behind(self) -> None:
        if self._behind is None:
            return
        asked, reply, now = self._behind
        lane, messages = self._lane_out()
        wanted = not self.blocked and asked.number == lane.number + 1
        batch = lane.batch_behind(BATCH, now, LONG) if wanted else None
        if batch is None:
            self._nothing_behind()
            return
        self._behind = None
        try:
            found = pushed(batch.entries, messages)
        except EveryplaceError as error:
            lane.cut()
            self._trouble(error)
            reply(Kind.ERROR, refusal(error))
            return
        reply(Kind.PUSH, write_body(Push(asked.lane, batch.number, found)))

    def _nothing_behind(self) -> None:
        behind, self._behind = self._behind, None
        if behind is not None:
            behind.reply(Kind.NOTHING, write_body(behind.asked))

    def _taken(self, body: Taken, reply: Reply) -> None:
        lane, _ = self._lane_out()
        if lane.is_behind(body.number):  # the caller looks at it when it has placed the one before
            lane.confirmed(body.number - 1)
        change = lane.taken(body.number, body.refused)
        blocking = [each for each in body.refused if each.code != Code.LATER]
        if blocking or (body.refused and change is None):
            self.blocked = True
            self._trouble(EveryplaceError(Code.RULE, lane.alarm))
        elif not body.refused:
            self._trouble(None)
        if change is None:
            reply(Kind.NOTHING, write_body(Numbered(body.lane, body.number)))
            return

        self._writing = True

        def written(committed: bool) -> None:
            self._writing = False
            if self._gone:
                return
            if committed:
                reply(Kind.CONFIRM, write_body(Confirm(body.lane, body.number, lane.mark)))
                self._push_behind()
            else:
                self._nothing_behind()
                text = f"what is in doubt of lane {body.lane} cannot be written"
                reply(Kind.ERROR, refusal(EveryplaceError(Code.STORE, text)))

        self._committer.submit(change, written)
