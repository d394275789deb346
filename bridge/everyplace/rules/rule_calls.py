"""All rules of one queue manager, as its operations and definitions call them (mqe.md 21)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from mqbridge.bridge.everyplace.definitions import manager_properties, queue_properties
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.effects import Notice
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.protocol.everyplace.calls import Browse, BrowseAndLock, Call, Get
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .guard import Guard
from .manager_rules import ManagerRules
from .plug_ins import Kind, PlugIns
from .queue_rules import QueueRules

_KINDS: Final = {
    manager_properties.RULE: Kind.QUEUE_MANAGER_RULE,
    queue_properties.RULE: Kind.QUEUE_RULE,
}


class Rules:
    """``manager``: the rule of the queue manager. ``queues``: those of its queues.

    A definition that names another rule than before has it from the next operation on, without restart (E-492). One
    that names a rule that is not registered is refused; found at the start, it refuses all operations with code RULE.
    """

    def __init__(self, plug_ins: PlugIns, tell: Callable[[Notice], None]) -> None:
        guard = Guard(tell)
        self._plug_ins = plug_ins
        self.manager = ManagerRules(plug_ins, guard)
        self.queues = QueueRules(plug_ins, guard)

    def check(self, row: Property, text: str) -> None:
        """Check the name of a plug-in in a definition (E-229).

        Raises `EveryplaceError` NOT_FOUND, SYNTAX for its parameters, NOT_ALLOWED if the present rule of the queue
        manager forbids another one.
        """
        kind = _KINDS.get(row)
        if kind is not None and text:
            self._plug_ins.make(kind, text)
        if row is manager_properties.RULE:
            self.manager.check_replacement(text)

    def before_add(self, queue: Queue) -> None:
        """Ask whether a queue may be added. Raises `EveryplaceError` RULE."""
        self.manager.before_add(queue)

    def before_remove(self, queue: Queue) -> None:
        """Ask whether a queue may be removed. Raises `EveryplaceError` RULE."""
        self.manager.before_remove(queue)

    def removed(self, queue: Queue) -> None:
        """A queue is gone."""
        self.queues.removed(queue)

    def before_change(self, queue: Queue, row: Property, value: Any) -> None:
        """Ask whether a property of a queue may be changed. Raises `EveryplaceError` RULE."""
        self.queues.before_change(queue, row, value)

    def ruled(self, queue: Queue) -> bool:
        """Whether a rule is asked before puts to a queue. Raises `EveryplaceError` RULE."""
        return self.manager.present is not None or self.queues.of(queue) is not None

    def before_put(self, queue: Queue, address: Address, message: Message, confirm: int) -> None:
        """Ask whether a message may be put. Raises `EveryplaceError` RULE."""
        self.manager.before_put(address, message, confirm)
        self.queues.before_put(queue, address, message, confirm)

    def before(self, call: Call, queue: Queue, address: Address) -> Call:
        """Ask whether a call other than a put may be made.

        Returns the call with the filter that rules have left of it (E-071). Raises `EveryplaceError` RULE.
        """
        if not self.ruled(queue):
            return call
        if isinstance(call, Get | Browse | BrowseAndLock):
            call = replace(call, wanted=call.wanted.copy())
        self.manager.before(call, address)
        self.queues.before(call, queue, address)
        return call
