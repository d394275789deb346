"""A batch that has been pushed: its messages prepared here, or put in a unit of work of MQ or of synchronous queues."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.routes import Undiscovered
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.batches import RefusedMessage
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .lane_records import LaneName

if TYPE_CHECKING:
    from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere, UnitElsewhere
    from mqbridge.bridge.everyplace.onward.ways import Ways

Place = Callable[[Message, Address], Change[Any]]
"""Prepares the put of a message that another queue manager has sent. Raises `EveryplaceError`."""
HERE = ""
"""The way of messages that stay at this queue manager."""


class _Item(NamedTuple):
    """A message of the batch. ``target``: None for a queue that keeps it here."""

    message: Message
    address: Address
    target: TargetElsewhere | None


class BatchIn:
    """One batch, unconfirmed. ``prepared``: whether it is known what of it is taken. ``unit``: that in which its
    messages go elsewhere; None if they stay here."""

    __slots__ = ("_changes", "_given_up", "_lane", "_place", "_refused", "_ways", "number", "prepared",
                 "unit")  # fmt: skip

    def __init__(self, lane: LaneName, number: int, place: Place, ways: Ways | None) -> None:
        self._lane = lane
        self.number = number
        self._place = place
        self._ways = ways
        self._refused: list[RefusedMessage] = []
        self._changes: list[Change[Any]] = []
        self._given_up = False
        self.prepared = False
        self.unit: UnitElsewhere | None = None

    def prepare(
        self, messages: Sequence[tuple[Message, Address]], then: Callable[[list[RefusedMessage]], None]
    ) -> None:
        """Prepare the messages; ``then`` gets those that are not taken, unless the batch is given up before."""
        self._sort(list(messages), {}, None, then)

    def _sort(
        self,
        messages: list[tuple[Message, Address]],
        ways: dict[str, list[_Item]],
        discovered: Address | None,
        then: Callable[[list[RefusedMessage]], None],
    ) -> None:
        """Find out where messages go, up to one that goes nowhere. ``discovered``: where the first leads, as others
        have just said."""
        for at, (message, address) in enumerate(messages):
            try:
                target = None if self._ways is None else self._ways.target(message, address)
                way = HERE if target is None or self._ways is None else self._ways.way(target.queue)
            except Undiscovered as unknown:
                if self._ways is not None and unknown.address != discovered:
                    self._ways.discover(
                        unknown.address, partial(self._discovered, messages[at:], ways, unknown.address, then)
                    )
                    return
                self._block(messages[at:], Refused(unknown.code, unknown.text))
                break
            except EveryplaceError as error:
                self._block(messages[at:], Refused(error.code, error.text))
                break
            ways.setdefault(way, []).append(_Item(message, address, target))
        self._try_next(iter(list(ways.items())), then)

    def _discovered(
        self,
        messages: list[tuple[Message, Address]],
        ways: dict[str, list[_Item]],
        address: Address,
        then: Callable[[list[RefusedMessage]], None],
        refused: Refused | None,
    ) -> None:
        """Another queue manager has said whether it has the queue of the first message."""
        if self._given_up:
            return
        if refused is None:
            self._sort(messages, ways, address, then)
        else:
            self._block(messages, refused)
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
            self._put_elsewhere(way, items, lambda taken: self._tried(taken, ways, then))

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
        for at, item in enumerate(items):
            try:
                self._changes.append(self._place(item.message, item.address))
            except EveryplaceError as error:
                self._block([each[:2] for each in items[at:]], Refused(error.code, error.text))
                break
        return bool(self._changes)

    def _put_elsewhere(self, way: str, items: Sequence[_Item], then: Callable[[bool], None]) -> None:
        assert self._ways is not None, "a way was found"
        unit = self.unit = self._ways.begin(self._lane, way)
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
            assert item.target is not None, "it goes elsewhere"
            unit.put(item.target, item.message, partial(answered, item))

    def _block(self, messages: Sequence[tuple[Message, Address]], why: Refused) -> None:
        """The first of some messages cannot be placed: those behind it wait (E-214, E-346)."""
        first, *behind = (message for message, _ in messages)
        self._refuse(first, why)
        for each in behind:
            self._refuse(each, Refused(Code.LATER, f"it waits behind {first.uid}"))

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
