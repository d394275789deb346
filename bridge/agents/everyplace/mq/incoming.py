"""Messages of a transmission queue as messages of Everyplace, placed together (E-418, E-419, E-436)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mqbridge.bridge.everyplace.changes import Change, Unsettled
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.everyplace.transformer import Transformer
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import unwrap
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid


class Arrived:
    """A message of a transmission queue. ``address``: its destination. ``message``: without MQXQH.

    ``error``: why it cannot be delivered, whatever is done here; None if it may be.
    """

    __slots__ = ("address", "error", "message")

    def __init__(self, transmitted: Message) -> None:
        self.error: EveryplaceError | None = None
        try:
            found = unwrap(transmitted)
            self.message = found.message
            self.address = Address(found.remote_q_name.rstrip(), found.remote_q_mgr_name.rstrip())
            self.address.check()
        except EveryplaceError as error:
            self.error = error
        except MQBridgeError as error:
            self.message, self.address = transmitted, Address("", "")
            self.error = EveryplaceError(Code.DATA, f"no message for a transmission queue: {error}")


class Placement:
    """Messages that have been prepared, to be committed together.

    ``confirm``: id with which they are placed, 0 for none. ``placed``: queue and UID of each. ``changes``: one a
    message; ``first``: operations beside these.
    """

    __slots__ = ("_confirm", "_manager", "changes", "first", "placed")

    def __init__(self, manager: QueueManager, confirm: int) -> None:
        self._manager = manager
        self._confirm = confirm
        self.changes: list[Change[Any]] = []
        self.first: list[Operation] = []
        self.placed: list[tuple[Address, MessageUid]] = []

    @property
    def operations(self) -> list[Operation]:
        """All that is to be on disk."""
        return [*self.first, *(operation for each in self.changes for operation in each.operations)]

    def add(self, arrived: Arrived, transformer: Transformer, now: Time) -> None:
        """Prepare one more; one that has expired ends at its queue.

        Raises `EveryplaceError`; `Unsettled` for one that must wait for another change.
        """
        if arrived.error is not None:
            raise arrived.error
        manager = self._manager
        message = transformer.from_mq(arrived.message, arrived.address, now)
        self.first += manager.identify(message, now)
        queue, _ = manager.resolve(arrived.address)
        self.changes.append(manager.place(message, arrived.address, now, confirm=self._confirm))
        uid = message.uid
        assert uid is not None, "it was identified"
        self.placed.append((Address(queue.name, queue.owner), uid))

    def ended(self, *, committed: bool) -> None:
        """They are on disk, or given up."""
        if not committed:
            self._manager.identities.not_written()
        for each in self.changes:
            each.ended(committed=committed)


def together(changes: Sequence[Change[Any]], operations: Sequence[Operation]) -> Change[None]:
    """Return one change of several."""

    def ended(*, committed: bool) -> None:
        for each in changes:
            each.ended(committed=committed)

    return Change(
        None,
        [*operations, *(operation for each in changes for operation in each.operations)],
        lambda: ended(committed=True),
        lambda: ended(committed=False),
    )


def confirmations(manager: QueueManager, placed: Sequence[tuple[Address, MessageUid]], now: Time) -> list[Change[Any]]:
    """Return the changes that make messages visible; one that somebody has removed has none. Raises `Unsettled`."""
    found: list[Change[Any]] = []
    for address, uid in placed:
        queue = manager.queues.named(address)
        if queue is None or queue.messages is None:
            continue
        try:
            found.append(manager.confirm_placed(queue, uid, now))
        except Unsettled:
            for each in found:
                each.ended(committed=False)
            raise
        except EveryplaceError:
            continue
    return found


def removals(manager: QueueManager, placed: Sequence[tuple[Address, MessageUid]], confirm: int) -> list[Change[Any]]:
    """Return the changes that remove messages again that were placed with a confirm id. Raises `Unsettled`."""
    found: list[Change[Any]] = []
    for address in dict.fromkeys(address for address, _ in placed):
        queue = manager.queues.named(address)
        if queue is None or queue.messages is None:
            continue
        try:
            found.append(queue.messages.undo(confirm))
        except Unsettled:
            for each in found:
                each.ended(committed=False)
            raise
    return found
