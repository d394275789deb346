"""The rule of a queue manager: its hooks, which do nothing by themselves (E-494 to E-503)."""

from __future__ import annotations

from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .owners import RuledQueue, RuleOwner


class QueueManagerRule:
    """Hooks of a queue manager; a rule derives from it and overrides what it needs.

    Hooks that return nothing and stand before an operation refuse it by `RuleRefusal`. Addresses are those after
    resolution. Times are seconds since 1970.
    """

    def activate(self, owner: RuleOwner, now: float) -> None:
        """The queue manager has started (E-494)."""

    def close(self, now: float) -> None:
        """It begins to close (E-495); what is triggered here is the last that it sends (E-506)."""

    def allows_replacement(self, by: str) -> bool:
        """Whether another rule, of this name, may take its place at run time (E-492)."""
        return True

    def add_queue(self, queue: RuledQueue) -> None:
        """Before a queue is added (E-496)."""

    def remove_queue(self, queue: RuledQueue) -> None:
        """Before a queue is removed (E-496)."""

    def put(self, address: Address, message: Message, confirm: int) -> None:
        """Before a put (E-497)."""

    def get(self, address: Address, wanted: Fields, confirm: int) -> None:
        """Before a get (E-498). Fields that the rule takes out of the filter are not compared (E-071)."""

    def delete(self, address: Address, uid: MessageUid) -> None:
        """Before a delete (E-499)."""

    def undo(self, address: Address, confirm: int) -> None:
        """Before an undo (E-500)."""

    def trigger_transmission(self, pending: int, message: Message | None, now: float) -> bool:
        """Whether something may be sent now (E-501).

        ``pending``: messages that wait for other queue managers. ``message``: that has just been put; None for a
        trigger without one.
        """
        return True

    def transmit(self, queue: RuledQueue, now: float) -> bool:
        """Whether this queue may send now; asked after `trigger_transmission` has agreed (E-502)."""
        return True

    def activate_queues(self) -> bool:
        """Whether queues send and pull from the start on (E-503)."""
        return True

    def next_trigger(self, now: float) -> float | None:
        """When the queue manager shall trigger transmission by itself, and ask this again; None for never (E-505)."""
        return None
