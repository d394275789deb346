"""One lane's messages in transit elsewhere: what is asked for them in turn, and which puts are to be confirmed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.store.interface import PutRecord, RemoveRecord
from mqbridge.protocol.everyplace.calls import Browse, ConfirmPut, Done, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

TABLE: Final = "everyplace-onward"
"""Puts elsewhere that are to be confirmed, a row for each lane."""
Ended: TypeAlias = Callable[[], None]
Step: TypeAlias = Callable[[Ended], None]
"""Something to be asked; calls what it is given when it has been answered."""


class _Decided(NamedTuple):
    """A put that is to be confirmed. ``repeated``: its confirm may have been done."""

    address: Address
    uid: MessageUid
    repeated: bool = False


class LaneOwner(Protocol):
    """What the lanes of a queue manager share, as one of them sees it. ``incarnation``: of the queue manager."""

    incarnation: bytes

    def ask(self, call: Browse | Put | ConfirmPut | Undo, then: Callable[[Outcome], None]) -> None:
        """Make a call elsewhere."""
        ...

    def submit(self, change: Change[Any], then: Callable[[bool], None]) -> None:
        """Have a change committed."""
        ...

    def alarm(self, lane: OnwardLane, text: str) -> None:
        """Tell of what cannot be mended here."""
        ...

    def stopped(self, lane: OnwardLane, text: str) -> None:
        """Something cannot be confirmed now: it is tried again."""
        ...

    def went_on(self, lane: OnwardLane) -> None:
        """Nothing of a lane is to be confirmed."""
        ...


class OnwardLane:
    """``stopped``: why no further batch can go on; None if it can."""

    def __init__(self, onward: LaneOwner, name: LaneName) -> None:
        self.onward = onward
        self.name = name
        self._steps: deque[Step] = deque()
        self._busy = False
        self._decided: deque[_Decided] = deque()
        self.stopped: Refused | None = None

    # One after the other

    def in_turn(self, step: Step) -> None:
        """Do something when everything that was asked before has been answered."""
        self._steps.append(step)
        self._next()

    def _next(self) -> None:
        while self._steps and not self._busy:
            self._busy = True
            self._steps.popleft()(self._ended)

    def _ended(self) -> None:
        self._busy = False
        self._next()

    # Confirms

    def row(self, taken: Sequence[tuple[Address, MessageUid]]) -> PutRecord:
        """Return the operation that decides on puts. There are no others, since batches end one after the other."""
        return PutRecord(TABLE, self.name.key, "\0".join("\0".join((*to, str(uid))) for to, uid in taken).encode())

    def read(self, row: bytes) -> None:
        """Take on what was decided before a restart. Raises `EveryplaceError` STORE."""
        try:
            parts = row.decode("ascii").split("\0")
            groups = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
            self._decided.extend(_Decided(Address(at, of), MessageUid.parse(uid), True) for at, of, uid in groups)
        except (ValueError, EveryplaceError):
            raise EveryplaceError(Code.STORE, f"what is to be confirmed of lane {self.name} is damaged") from None

    def confirm(self, taken: Sequence[tuple[Address, MessageUid]]) -> None:
        """Confirm puts that are decided."""
        self._decided.extend(_Decided(*each) for each in taken)
        self.go_on()

    def go_on(self) -> None:
        """Confirm what is decided, in order (E-183)."""
        if self._decided:
            self.in_turn(self._confirm_next)

    def _confirm_next(self, over: Ended) -> None:
        if not self._decided:
            self.onward.went_on(self)
            over()
            return
        decided = self._decided[0]

        def answered(outcome: Outcome) -> None:
            unknown = isinstance(outcome, Refused) and outcome.code is Code.NOT_FOUND
            if isinstance(outcome, Done) or unknown:
                if unknown and not decided.repeated:
                    self.onward.alarm(self, f"{decided.address} has {decided.uid} no longer: it was undone or restored")
                self._decided.popleft()
                self._written_off()
                self._confirm_next(over)
                return
            assert isinstance(outcome, Refused), "a confirm is done or refused"
            self._decided[0] = decided._replace(repeated=True)
            text = f"{decided.uid} is on {decided.address} and not confirmed: {outcome.text}"
            self.stopped = Refused(outcome.code, text)
            self.onward.stopped(self, text)
            over()

        self.onward.ask(ConfirmPut(decided.address, decided.uid), answered)

    def _written_off(self) -> None:
        if not self._decided:
            self.stopped = None
            self.onward.submit(Change(None, [RemoveRecord(TABLE, self.name.key)]), lambda _: None)
