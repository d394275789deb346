"""The rule of a queue: its hooks, which do nothing by themselves (E-510 to E-520)."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.uid import MessageUid

from .owners import RuledQueue, RuleOwner


class QueueRule:
    """Hooks of a queue; a rule derives from it and overrides what it needs.

    Hooks that return nothing and stand before an operation refuse it by `RuleRefusal`; any other exception counts as
    if the rule had not been called (E-490).
    """

    def activate(self, queue: RuledQueue, owner: RuleOwner) -> None:
        """The queue is there (E-510)."""

    def close(self) -> None:
        """The queue goes, or its queue manager closes (E-510)."""

    def put(self, message: Message, confirm: int) -> None:
        """Before a put (E-511)."""

    def get(self, wanted: Fields, confirm: int) -> None:
        """Before a get (E-512). Fields that the rule takes out of the filter are not compared (E-071)."""

    def delete(self, uid: MessageUid) -> None:
        """Before a delete (E-513)."""

    def browse(self, wanted: Fields) -> None:
        """Before a browse, with or without lock (E-514)."""

    def undo(self, confirm: int) -> None:
        """Before an undo (E-515)."""

    def add_listener(self, wanted: Fields) -> None:
        """A listener has been added (E-516). ``wanted``: its filter."""

    def remove_listener(self, wanted: Fields) -> None:
        """A listener has been removed (E-516)."""

    def message_expired(self, event: MessageEvent, message: Message, now: float) -> None:
        """A message has expired, and is deleted whatever this does (E-517)."""

    def attribute_change(self, name: str, value: Any) -> None:
        """Before authenticator, cryptor or compressor is changed (E-518). ``name``: of the property."""

    def duplicate_message(self, message: Message) -> bool:
        """A message was put whose UID the queue holds, without Resend (E-519).

        True: the new copy is dropped and the caller gets success. False: the put is refused as a duplicate (E-155).
        """
        return False

    def transmit(self, event: MessageEvent) -> None:
        """A message has left the queue: the next queue manager has it (E-520)."""
