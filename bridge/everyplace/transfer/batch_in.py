"""A batch that has been pushed: its messages prepared here, or put in a unit of work of MQ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.batches import RefusedMessage
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .lane_records import LaneName

if TYPE_CHECKING:
    from mqbridge.bridge.everyplace.mq_units import MqTarget, MqUnit, ToMq

Place = Callable[[Message, Address], Change[Any]]
"""Prepares the put of a message that another queue manager has sent. Raises `EveryplaceError`."""
HERE = ""
"""The way of messages that stay at this queue manager."""


class _Item(NamedTuple):
    """A message of the batch. ``target``: None for a queue of this queue manager."""

    message: Message
    address: Address
    target: MqTarget | None


class BatchIn:
    """One batch, unconfirmed. ``prepared``: whether it is known what of it is taken. ``unit``: that of MQ in which its
    messages are; None if they stay here."""

    __slots__ = ("_blocked", "_changes", "_given_up", "_lane", "_place", "_refused", "_to_mq", "number", "prepared",
                 "unit")  # fmt: skip

    def __init__(self, lane: LaneName, number: int, place: Place, to_mq: ToMq | None) -> None:
        self._lane = lane
        self.number = number
        self._place = place
        self._to_mq = to_mq
        self._refused: list[RefusedMessage] = []
        self._changes: list[Change[Any]] = []
        self._blocked = ""
        self._given_up = False
        self.prepared = False
        self.unit: MqUnit | None = None

    def prepare(
        self, messages: Sequence[tuple[Message, Address]], then: Callable[[list[RefusedMessage]], None]
    ) -> None:
        """Prepare the messages; ``then`` gets those that are not taken, unless the batch is given up before."""
        ways: dict[str, list[_Item]] = {}
        for message, address in messages:
            if self._blocked:
                self._refuse(message, Refused(Code.LATER, self._blocked))
                continue
            try:
                target = None if self._to_mq is None else self._to_mq.target(message, address)
                way = HERE if target is None or self._to_mq is None else self._to_mq.bridge.way(target.queue)
            except EveryplaceError as error:
                self._block(message, error)
                continue
            ways.setdefault(way, []).append(_Item(message, address, target))
        self._try_next(iter(list(ways.items())), then)

    def _try_next(self, ways: Iterator[tuple[str, list[_Item]]], then: Callable[[list[RefusedMessage]], None]) -> None:
        """Try the way of the first message that is not refused; of the others' if it takes none of its messages."""
        way, items = next(ways, (HERE, []))
        if not items:
            self.prepared = True
            then(self._refused)
        elif way == HERE:
            self._tried(self._place_here(items), ways, then)
        else:
            self._put_to_mq(items, lambda taken: self._tried(taken, ways, then))

    def _tried(
        self,
        taken: bool,
        ways: Iterator[tuple[str, list[_Item]]],
        then: Callable[[list[RefusedMessage]], None],
    ) -> None:
        if not taken:
            self._try_next(ways, then)
            return
        for _, items in ways:
            for item in items:
                self._refuse(item.message, Refused(Code.LATER, "it does not go where others of its batch go"))
        self.prepared = True
        then(self._refused)

    def _place_here(self, items: Sequence[_Item]) -> bool:
        for item in items:
            if self._blocked:
                self._refuse(item.message, Refused(Code.LATER, self._blocked))
                continue
            try:
                self._changes.append(self._place(item.message, item.address))
            except EveryplaceError as error:
                self._block(item.message, error)
        return bool(self._changes)

    def _put_to_mq(self, items: Sequence[_Item], then: Callable[[bool], None]) -> None:
        assert self._to_mq is not None, "a way to MQ was found"
        unit = self.unit = self._to_mq.bridge.begin(self._lane)
        missing = len(items)
        taken = 0

        def answered(item: _Item, refused: Refused | None) -> None:
            nonlocal missing, taken
            if self._given_up:
                return
            missing -= 1
            if refused is None:
                taken += 1
            else:
                self._refuse(item.message, refused)
            if missing == 0:
                if not taken:
                    self.unit = None
                    unit.back_out()
                then(taken > 0)

        for item in items:
            assert item.target is not None, "it goes to MQ"
            unit.put(item.target, item.message, partial(answered, item))

    def _block(self, message: Message, error: EveryplaceError) -> None:
        """A message cannot be placed: those behind it wait (E-214, E-346)."""
        self._refuse(message, Refused(error.code, error.text))
        self._blocked = f"it waits behind {message.uid}"

    def _refuse(self, message: Message, refused: Refused) -> None:
        uid = message.uid
        assert uid is not None, "messages without UID are not taken apart"
        self._refused.append(RefusedMessage(uid, refused.code, refused.text))

    def operations(self) -> list[Operation]:
        """Return the operations of what was prepared here."""
        return [each for change in self._changes for each in change.operations]

    def ended(self, *, committed: bool) -> None:
        """What was prepared here is on disk, or was refused by the store."""
        for each in self._changes:
            each.ended(committed=committed)

    def give_up(self) -> None:
        """Forget what was prepared."""
        self._given_up = True
        self.ended(committed=False)
        if self.unit is not None:
            self.unit.back_out()
