"""The receiving end of a lane: a batch that waits for its confirm, and the number of the last one placed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.protocol.everyplace.batches import RefusedMessage
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .lane_records import NO_INCARNATION, LaneName, ReceivingRecord

Place = Callable[[Message, Address], Change[Any]]
"""Prepares the put of a message that another queue manager has sent. Raises `EveryplaceError`."""


class ReceivingLane:
    """One queue of another queue manager, as its batches arrive.

    A batch is prepared when it is pushed, so that its messages have their room and place, and takes effect when it is
    confirmed. ``place``: prepares a put.
    """

    def __init__(self, name: LaneName, store: Store, place: Place) -> None:
        self.name = name
        self._place = place
        self._record = ReceivingRecord.read(store, name)
        self._number = 0
        self._prepared: list[Change[Any]] = []
        self._committing: Change[int] | None = None

    @property
    def number(self) -> int:
        """Of the last batch placed."""
        return self._record.number

    def settle(self, sender: bytes) -> int:
        """Return the number of the last batch that the sender with this incarnation has placed here.

        Raises `EveryplaceError` LANE_HELD for another incarnation than before, `Unsettled` while a batch is being
        committed.
        """
        if self._committing is not None:
            raise Unsettled(self._committing)
        known = self._record.sender
        if known not in (NO_INCARNATION, sender):
            raise EveryplaceError(
                Code.LANE_HELD, f"lane {self.name}: this is another {self.name.partner} than the one that sent before"
            )
        return self._record.number

    def cut(self) -> None:
        """The connection is gone: forget what is unconfirmed."""
        prepared, self._prepared, self._number = self._prepared, [], 0
        for each in prepared:
            each.ended(committed=False)

    def push(self, sender: bytes, number: int, messages: Sequence[tuple[Message, Address]]) -> list[RefusedMessage]:
        """Prepare a batch, in place of one that was not confirmed. Returns the messages that cannot be placed.

        Raises `EveryplaceError` DATA for a number that is not the next, LANE_HELD as `settle` does.
        """
        expected = self.settle(sender) + 1
        if number != expected:
            raise EveryplaceError(Code.DATA, f"lane {self.name}: batch {number} was pushed; {expected} is the next")
        self.cut()
        refused = []
        for message, address in messages:
            try:
                self._prepared.append(self._place(message, address))
            except EveryplaceError as error:
                uid = message.uid
                if uid is None:
                    self.cut()
                    raise EveryplaceError(Code.DATA, f"lane {self.name}: a message has no UID") from error
                refused.append(RefusedMessage(uid, error.code, error.text))
        self._number = number
        return refused

    def confirm(self, sender: bytes, number: int) -> Change[int] | None:
        """Place the batch. Returns the change after which CONFIRMED may be sent; None if it was placed before.

        Raises `EveryplaceError` DATA for a batch that is not here: the sender must settle, and never takes it as done.
        `Unsettled` while one is being committed.
        """
        if self._committing is not None:
            raise Unsettled(self._committing)
        if number == self._record.number and self._record.sender == sender:
            return None
        if number != self._number:
            raise EveryplaceError(Code.DATA, f"lane {self.name}: batch {number} is to be confirmed and is not here")
        prepared, self._prepared, self._number = self._prepared, [], 0
        record = ReceivingRecord(sender, number)
        operations: list[Operation] = [each for change in prepared for each in change.operations]
        operations.append(record.write(self.name))

        def ended(*, committed: bool) -> None:
            self._committing = None
            if committed:
                self._record = record
            for each in prepared:
                each.ended(committed=committed)

        self._committing = Change(number, operations, lambda: ended(committed=True), lambda: ended(committed=False))
        return self._committing

    def readmit(self, sender: bytes, number: int) -> Change[None]:
        """Take the sender with this incarnation on from here, as an administrator has said."""
        record = ReceivingRecord(sender, number)

        def admitted() -> None:
            self.cut()
            self._record = record

        return Change(None, [record.write(self.name)], admitted)
