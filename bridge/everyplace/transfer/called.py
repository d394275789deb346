"""The end that is called: takes batches, and hands out what waits for the caller (mqe.md 10, E-131, E-325)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

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
from mqbridge.protocol.everyplace.calls import Refused, outcome_fields
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.names import Address

from .conversation import Committer
from .receiving_lane import ReceivingLane
from .sending_lane import LaneState, SendingLane

BATCH: Final = 50
Reply = Callable[[Kind, bytes], None]


class CalledEnd:
    """One connection of a caller, whose requests it serves.

    ``receiving``: the lane of a name of the caller's. ``handed_out``: the lane of the messages that wait for the
    caller, and those; None if no store-and-forward queue has an entry for it (E-327). Everything that is asked is
    answered by ``reply``, perhaps later; errors are raised, and end the connection or become ERROR.
    """

    def __init__(
        self,
        incarnation: bytes,
        committer: Committer,
        receiving: Callable[[str], ReceivingLane],
        handed_out: tuple[SendingLane, StoredMessages] | None,
    ) -> None:
        self._incarnation = incarnation
        self._committer = committer
        self._receiving = receiving
        self._handed_out = handed_out
        self._lanes: dict[str, ReceivingLane] = {}
        self._pull: tuple[Pull, Reply, float] | None = None
        self._gone = False

    def cut(self) -> None:
        """The connection is gone, or a newer one of this caller is there."""
        self._gone = True
        self._pull = None
        for lane in self._lanes.values():
            lane.cut()
        if self._handed_out is not None:
            self._handed_out[0].cut()

    def receive(self, frame: Frame, reply: Reply, now: int) -> None:
        """Serve a request. ``now``: milliseconds since 1970. Raises `EveryplaceError`."""
        try:
            self._receive(frame, reply, now)
        except Unsettled as unsettled:
            unsettled.change.afterwards(lambda: None if self._gone else self.receive(frame, reply, now))

    def _receive(self, frame: Frame, reply: Reply, now: int) -> None:
        body = read_body(frame.kind, frame.body)
        if isinstance(body, Push):
            lane = self._lane(body.lane)
            pairs = [(message, address) for address, message in body.messages]
            lane.push(self._incarnation, body.number, pairs, partial(self._pushed, body, reply))
        elif isinstance(body, Pull):
            self._pulled(body, reply, now)
        elif isinstance(body, Taken):
            self._taken(body, reply)
        elif frame.kind is Kind.STATE and isinstance(body, Numbered):
            self._lane(body.lane).settle(self._incarnation, self._committer, partial(self._settled, body, reply))
        elif frame.kind is Kind.CONFIRM and isinstance(body, Numbered):
            self._confirm(body, reply)
        else:
            raise EveryplaceError(Code.BAD_REQUEST, f"a caller does not send {frame.kind.name}")

    def _lane(self, name: str) -> ReceivingLane:
        found = self._lanes.get(name)
        if found is None:
            found = self._lanes[name] = self._receiving(name)
        return found

    def _settled(self, body: Numbered, reply: Reply, found: int | Refused) -> None:
        if self._gone:
            return
        if isinstance(found, Refused):
            reply(Kind.ERROR, outcome_fields(found).body())
        else:
            reply(Kind.STATE, write_body(Numbered(body.lane, found)))

    def _pushed(self, body: Push, reply: Reply, refused: list[RefusedMessage]) -> None:
        if not self._gone:
            reply(Kind.TAKEN, write_body(Taken(body.lane, body.number, tuple(refused))))

    def _confirm(self, body: Numbered, reply: Reply) -> None:
        answer = write_body(body)
        self._lane(body.lane).confirm(
            self._incarnation,
            body.number,
            self._committer,
            lambda committed: reply(Kind.CONFIRMED, answer) if committed and not self._gone else None,
        )

    # Handing out

    def _lane_out(self) -> tuple[SendingLane, StoredMessages]:
        if self._handed_out is None:
            raise EveryplaceError(Code.Q_UNKNOWN, "no store-and-forward queue has an entry for this queue manager")
        return self._handed_out

    def _pulled(self, body: Pull, reply: Reply, now: int) -> None:
        lane, _ = self._lane_out()
        if lane.state is LaneState.IN_DOUBT and body.number == lane.number + 1:
            lane.confirmed(body.number)
        elif lane.state is not LaneState.READY or body.number != lane.number:
            lane.cut()
            lane.settle(self._incarnation, body.number)
        self._pull = body, reply, now + body.wait
        self.go_on(now)

    def go_on(self, now: int) -> None:
        """Answer a pull that waits, if there is something now, or its time is over."""
        if self._pull is None:
            return
        pull, reply, until = self._pull
        lane, messages = self._lane_out()
        batch = lane.next_batch(BATCH, now)
        if batch is not None:
            self._pull = None
            pairs = tuple((entry.target or Address("", ""), messages.read(entry)) for entry in batch.entries)
            reply(Kind.PUSH, write_body(Push(pull.lane, batch.number, pairs)))
        elif now >= until:
            self._pull = None
            reply(Kind.NOTHING, write_body(Numbered(pull.lane, lane.number)))
            change = lane.deletes()
            if change is not None:
                self._committer.submit(change, lambda _: None)

    def next_timeout(self) -> float | None:
        """When `go_on` must be called, in milliseconds since 1970; None for never."""
        return None if self._pull is None else self._pull[2]

    def _taken(self, body: Taken, reply: Reply) -> None:
        lane, _ = self._lane_out()
        change = lane.taken(body.number, body.refused)
        answer = write_body(Numbered(body.lane, body.number))
        if change is None:
            reply(Kind.NOTHING, answer)
            return
        self._committer.submit(
            change, lambda committed: reply(Kind.CONFIRM, answer) if committed and not self._gone else None
        )
