"""The rule of a queue manager, as its operations call it (E-494 to E-503)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.protocol.everyplace.calls import Call, Delete, Get, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .guard import Guard
from .owners import RuleOwner
from .parameters import split
from .plug_ins import Kind, PlugIns
from .queue_manager_rule import QueueManagerRule


class ManagerRules:
    """The present rule of a queue manager. One that fails where it might refuse, refuses: nobody knows what it would
    have said; one that is not registered sends nothing. ``present``: None for the rule that agrees to all."""

    def __init__(self, plug_ins: PlugIns, guard: Guard) -> None:
        self._plug_ins = plug_ins
        self._guard = guard
        self._owner: RuleOwner | None = None
        self._text = ""
        self._missing = False
        self.present: QueueManagerRule | None = None

    def start(self, owner: RuleOwner, text: str, now: float) -> None:
        """The queue manager begins to work (E-494). ``text``: name and parameters of its rule. Raises
        `EveryplaceError` RULE for one that is not registered."""
        self._owner = owner
        try:
            rule = self._plug_ins.make(Kind.QUEUE_MANAGER_RULE, text) if text else None
        except EveryplaceError as error:
            self._missing = True
            raise EveryplaceError(Code.RULE, error.text) from None
        self._text, self.present, self._missing = text, rule, False
        if rule is not None:
            self._guard.observe(partial(rule.activate, owner, now), text)

    def follow(self, text: str, now: float) -> None:
        """Take the rule that the properties of the queue manager name now (E-492). Raises `EveryplaceError` RULE."""
        if text == self._text or self._owner is None:
            return
        before, name = self.present, self._text
        self.start(self._owner, text, now)
        if before is not None:
            self._guard.observe(partial(before.close, now), name)

    def check_replacement(self, text: str) -> None:
        """Ask the present rule whether another may take its place. Raises `EveryplaceError` NOT_ALLOWED."""
        rule, name = self.present, split(self._text)[0]
        if rule is None or text == self._text:
            return
        if not self._guard.answer(partial(rule.allows_replacement, split(text)[0]), True, self._text):
            raise EveryplaceError(Code.NOT_ALLOWED, f"rule {name} does not allow that another takes its place")

    def close(self, now: float) -> None:
        """The queue manager begins to close (E-495)."""
        if self.present is not None:
            self._guard.observe(partial(self.present.close, now), self._text)

    def before_add(self, queue: Queue) -> None:
        """Ask whether a queue may be added (E-496). Raises `EveryplaceError` RULE."""
        if self.present is not None:
            self._ask(f"add of {queue}", partial(self.present.add_queue, queue))

    def before_remove(self, queue: Queue) -> None:
        """Ask whether a queue may be removed (E-496). Raises `EveryplaceError` RULE."""
        if self.present is not None:
            self._ask(f"removal of {queue}", partial(self.present.remove_queue, queue))

    def before_put(self, address: Address, message: Message, confirm: int) -> None:
        """Ask whether a message may be put (E-497). Raises `EveryplaceError` RULE."""
        if self.present is not None:
            self._ask(f"put to {address}", partial(self.present.put, address, message, confirm))

    def before(self, call: Call, address: Address) -> None:
        """Ask whether another call may be made (E-498 to E-500). Raises `EveryplaceError` RULE."""
        rule = self.present
        if rule is None:
            return
        match call:
            case Get():
                self._ask(f"get from {address}", partial(rule.get, address, call.wanted, call.confirm))
            case Delete():
                self._ask(f"delete on {address}", partial(rule.delete, address, call.uid))
            case Undo():
                self._ask(f"undo on {address}", partial(rule.undo, address, call.confirm))

    def may_trigger(self, pending: Callable[[], int], message: Message | None, now: float) -> bool:
        """Whether something may be sent now (E-501). ``pending``: counts what waits."""
        rule = self.present
        if rule is None or self._missing:
            return not self._missing
        return self._guard.answer(lambda: rule.trigger_transmission(pending(), message, now), True, self._text)

    def may_transmit(self, queue: Queue, now: float) -> bool:
        """Whether a queue may send now (E-502)."""
        rule = self.present
        if rule is None or self._missing:
            return not self._missing
        return self._guard.answer(partial(rule.transmit, queue, now), True, self._text)

    def activates_queues(self) -> bool:
        """Whether queues send and pull from the start on (E-503)."""
        return self.present is None or self._guard.answer(self.present.activate_queues, True, self._text)

    def next_trigger(self, now: float) -> float | None:
        """When transmission is triggered next without anybody's call (E-505)."""
        rule = self.present
        return None if rule is None else self._guard.answer(partial(rule.next_trigger, now), None, self._text)

    def _ask(self, what: str, hook: Callable[[], None]) -> None:
        self._guard.ask(what, hook, self._text, strict=True)
