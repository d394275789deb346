"""What a listener is told of a message: its index fields, not the message (E-205)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .entry import Entry


@dataclass(frozen=True, slots=True)
class MessageEvent:
    """A message on a queue. ``priority``: its own, or the queue's. Ids are None where it has none."""

    address: Address
    uid: MessageUid
    priority: int
    message_id: bytes | None = None
    correlation_id: bytes | None = None

    @classmethod
    def of(cls, address: Address, entry: Entry) -> MessageEvent:
        """Return the event of a message on the queue at an address."""
        index = Message("", dict(entry.index))
        return cls(address, entry.uid, entry.priority, index.msg_id, index.correl_id)

    @classmethod
    def of_message(cls, address: Address, message: Message, priority: int) -> MessageEvent:
        """Return the event of a message that is not on the queue. ``priority``: of the queue."""
        uid, own = message.uid, message.priority
        assert uid is not None, "a message that was put has a UID"
        return cls(address, uid, priority if own is None else own, message.msg_id, message.correl_id)

    @property
    def wanted(self) -> Fields:
        """A filter that means this message alone (E-207)."""
        found = Message()
        found.identify(self.uid)
        return found.uid_fields
