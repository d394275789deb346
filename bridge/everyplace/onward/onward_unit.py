"""A batch whose messages go on to synchronous queues of another queue manager, as a unit of work (E-192, E-196)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Final

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Done, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .onward_lane import Ended, OnwardLane

MOST: Final = 20
"""Most messages of a unit: each takes a round trip to be put and one to be confirmed."""
_AWAY: Final = range(300, 400)
"""Codes that tell of the connection, not of the message."""


class OnwardUnit:
    """See `elsewhere.UnitElsewhere`. All that it asks elsewhere is asked in turn with what else its lane asks."""

    def __init__(self, lane: OnwardLane) -> None:
        self._lane = lane
        self._taken: list[tuple[Address, MessageUid]] = []
        self._count = 0
        self._over = False
        self._blocked: dict[Address, Refused] = {}
        self._away: Refused | None = None

    def put(self, target: TargetElsewhere, message: Message, then: Callable[[Refused | None], None]) -> None:
        """Put a message hidden. ``then`` gets why it cannot be; those behind it for the same queue cannot be either."""
        self._count += 1
        if self._count > MOST:
            then(Refused(Code.LATER, f"{MOST} messages go on together"))
        else:
            self._lane.in_turn(partial(self._put, target, message, then))

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        """Commit ``rows`` and that the puts are to be confirmed, which begins when that is on disk."""
        self._over = True
        lane = self._lane
        more = [lane.row(self._taken)] if self._taken else []

        def written(committed: bool) -> None:
            if committed:
                lane.confirm(self._taken)
            else:
                self.back_out()
            then(committed)

        lane.onward.submit(Change(None, [*rows, *more]), written)

    def back_out(self) -> None:
        """Undo the puts, as far as the other queue manager is there."""
        self._over = True
        taken, self._taken = self._taken, []
        if taken:
            self._lane.in_turn(partial(self._undo, taken))

    def _put(
        self, target: TargetElsewhere, message: Message, then: Callable[[Refused | None], None], ended: Ended
    ) -> None:
        uid = message.uid
        assert uid is not None, "a message on its way has a UID"
        address = target.address
        stopped = self._lane.stopped or self._away or self._blocked.get(address)
        if self._over or stopped is not None:
            ended()
            if not self._over:
                then(stopped)
            return
        put = Put(address, message.copy(), self._confirm_id(uid))

        def answered(outcome: Outcome) -> None:
            """One that is there may be of an earlier try, with the same confirm id (E-155, E-199)."""
            if _is_there(outcome) and not self._over:
                self._ask(Undo(address, put.confirm), lambda _: self._ask(put, put_again))
            else:
                put_again(outcome)

        def put_again(outcome: Outcome) -> None:
            if _is_there(outcome) and not self._over:
                self._ask(Browse(address, message.uid_fields), partial(browsed, outcome))
            else:
                end(outcome)

        def browsed(refused: Outcome, found: Outcome) -> None:
            """This very message is visible there: it comes again because its sender was readmitted."""
            if isinstance(found, Browsed) and message in found.messages:
                ended()
                then(None)
            else:
                end(refused)

        def end(outcome: Outcome) -> None:
            if self._over:
                if isinstance(outcome, Done):
                    self._ask(Undo(address, put.confirm), lambda _: ended())
                else:
                    ended()
                return
            if isinstance(outcome, Done):
                self._taken.append((address, uid))
            elif isinstance(outcome, Refused):
                self._away = outcome if outcome.code in _AWAY else None
                self._blocked[address] = Refused(Code.LATER, f"it waits behind {uid}")
            ended()
            then(outcome if isinstance(outcome, Refused) else None)

        self._ask(put, answered)

    def _undo(self, taken: list[tuple[Address, MessageUid]], ended: Ended) -> None:
        """Undo one after the other, unless one cannot be."""
        if not taken:
            ended()
            return
        address, uid = taken.pop()

        def undone(outcome: Outcome) -> None:
            if isinstance(outcome, Refused) and outcome.code in _AWAY:
                ended()
            else:
                self._undo(taken, ended)

        self._ask(Undo(address, self._confirm_id(uid)), undone)

    def _ask(self, call: Browse | Put | Undo, then: Callable[[Outcome], None]) -> None:
        self._lane.onward.ask(call, then)

    def _confirm_id(self, uid: MessageUid) -> int:
        """Return a confirm id that the same message has whenever it comes on this lane."""
        name = self._lane.onward.incarnation + self._lane.name.key + str(uid).encode("ascii")
        return int.from_bytes(sha256(name).digest()[:7], "big") + 1


def _is_there(outcome: Outcome) -> bool:
    return isinstance(outcome, Refused) and outcome.code is Code.DUPLICATE
