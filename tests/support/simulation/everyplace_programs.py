"""Programs on simulated devices that put and get with confirm ids, over any cut and crash (SC-03, SC-04, SC-40)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from mqbridge.protocol.everyplace.calls import (
    Call,
    ConfirmGet,
    ConfirmPut,
    Done,
    Get,
    Got,
    Outcome,
    Put,
    Refused,
    Undo,
)
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .everyplace_oracle import identity_of

if TYPE_CHECKING:
    from .everyplace_node import EveryplaceNode
    from .everyplace_oracle import EveryplaceOracle

PATIENCE = 90.0
"""Seconds without an outcome after which a call is repeated: its process has died, or the answer is lost."""
FIRST_TIME = 10**15


class AssuredProgram:
    """One call at a time: puts to one queue, and gets from another one. ``busy``: a call has no outcome yet."""

    def __init__(self, node: EveryplaceNode, gateway: str, oracle: EveryplaceOracle, random: Random) -> None:
        self._node = node
        self._to = Address("CHECKED", gateway)
        self._from = Address("TAKEN", gateway)
        self._oracle = oracle
        self._random = random
        self._count = 0
        self._asked = 0
        self.busy = False

    def put(self) -> None:
        """Put a message, and confirm it."""
        if self.busy:
            return
        self.busy = True
        self._count += 1
        confirm = self._count
        message = self._oracle.message(self._node.name, str(self._to), self._random)
        uid = MessageUid(self._node.name, FIRST_TIME + confirm)
        message.identify(uid)
        # It is the same message whenever the put is repeated, which the target drops.
        message.resend = True
        self._repeat(Put(self._to, message, confirm), lambda _: self._confirm(message, uid))

    def _confirm(self, message: Message, uid: MessageUid) -> None:
        def confirmed(outcome: Outcome) -> None:
            self._oracle.answered(identity_of(message))(Done())
            self.busy = False

        self._repeat(ConfirmPut(self._to, uid), confirmed)

    def get(self) -> None:
        """Get a message, if there is one, and confirm that."""
        if self.busy:
            return
        self.busy = True
        self._count += 1
        confirm = self._count

        def answered(outcome: Outcome) -> None:
            if isinstance(outcome, Got):
                self._got(outcome.message)
            elif isinstance(outcome, Refused) and outcome.code is Code.Q_NO_MATCHING_MSG:
                self.busy = False
            else:
                self._repeat(Undo(self._from, confirm), lambda _: self._ask(get, answered))

        get = Get(self._from, Fields(), confirm)
        self._ask(get, answered)

    def _got(self, message: Message) -> None:
        uid = message.uid
        assert uid is not None
        self._oracle.consumed(identity_of(message), self._node.name)

        def confirmed(outcome: Outcome) -> None:
            self.busy = False

        self._repeat(ConfirmGet(self._from, uid), confirmed)

    def _repeat(self, call: Call, then: Callable[[Outcome], None], attempt: int = 0) -> None:
        """Make a call until it is done; a confirm that finds nothing when it is repeated has been done."""

        def answered(outcome: Outcome) -> None:
            missing = isinstance(outcome, Refused) and outcome.code is Code.NOT_FOUND
            if isinstance(outcome, Done) or (attempt and missing and isinstance(call, ConfirmPut | ConfirmGet)):
                then(outcome)
            else:
                self._node.clock.after(1.0, lambda: self._repeat(call, then, attempt + 1))

        self._ask(call, answered)

    def _ask(self, call: Call, then: Callable[[Outcome], None]) -> None:
        """``then`` gets one outcome, perhaps that nobody knows any."""
        self._asked += 1
        number = self._asked

        def answered(outcome: Outcome) -> None:
            if number == self._asked:
                self._asked += 1
                then(outcome)

        lost = Refused(Code.OUTCOME_UNKNOWN, "there was no outcome")
        self._node.clock.after(PATIENCE, lambda: answered(lost))
        self._node.ask(call, answered)
