"""The long messages of a batch, part by part, at the end that sends them."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.everyplace.queues.entry import Entry
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.store.interface import StoreError
from mqbridge.protocol.everyplace.batches import Part
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .parts_in import LONG, PART

NOWHERE = Address("", "")


class PartsOut:
    """``uid``: of the message whose parts go now; None when all have gone. ``length``: of its body."""

    def __init__(self, lane: str, entries: Sequence[Entry], messages: StoredMessages) -> None:
        self._lane = lane
        self._entries = [entry for entry in entries if entry.length >= LONG]
        self._messages = messages
        self._body = b""
        self.uid: MessageUid | None = None
        self.length = 0
        self.next()

    def next(self) -> None:
        """Begin with the next message."""
        if not self._entries:
            self.uid, self.length, self._body = None, 0, b""
            return
        entry = self._entries.pop(0)
        (self._body,) = _bodies(self._messages, (entry,))
        self.uid, self.length = entry.uid, len(self._body)

    def part(self, offset: int) -> Part:
        """Return the part at an offset; at the end of the message an empty one."""
        assert self.uid is not None, "a long message is on its way"
        return Part(self._lane, self.uid, self.length, offset, self._body[offset : offset + PART])

    def question(self) -> Part:
        """Return an empty part, whose answer says how much is at the other end."""
        return self.part(0)._replace(data=b"")


def pushed(entries: Sequence[Entry], messages: StoredMessages) -> tuple[tuple[Address, MessageUid | bytes], ...]:
    """Return what a PUSH has of the messages of a batch: their bodies as they are kept, of long ones the UID, because
    they have gone ahead.

    Raises `EveryplaceError` STORE for a message that cannot be read.
    """
    bodies = iter(_bodies(messages, [entry for entry in entries if entry.length < LONG]))
    return tuple((entry.target or NOWHERE, entry.uid if entry.length >= LONG else next(bodies)) for entry in entries)


def _bodies(messages: StoredMessages, entries: Sequence[Entry]) -> list[bytes]:
    try:
        return messages.held.bodies(entries)
    except StoreError as error:
        names = str(entries[0].uid) if len(entries) == 1 else f"{entries[0].uid} or one behind it"
        raise EveryplaceError(Code.STORE, f"message {names} cannot be read: {error}") from None
