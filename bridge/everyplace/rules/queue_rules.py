"""The rules of queues, as operations call them (E-510 to E-520)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.properties import Property
from mqbridge.bridge.everyplace.queues.entry import Entry
from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.protocol.everyplace.calls import Browse, BrowseAndLock, Call, Delete, Get, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .guard import Guard
from .owners import RuleOwner
from .plug_ins import Kind, PlugIns
from .queue_rule import QueueRule

_ATTRIBUTES: Final = (rows.AUTHENTICATOR, rows.CRYPTOR, rows.COMPRESSOR)


class _AtWork(NamedTuple):
    """A rule of a queue. ``text``: of the definition. ``messages``: those at which it looks."""

    text: str
    rule: QueueRule
    messages: StoredMessages | None


class QueueRules:
    """Each queue's rule, by the name in its definition. One that fails counts as not called (E-490)."""

    def __init__(self, plug_ins: PlugIns, guard: Guard) -> None:
        self._plug_ins = plug_ins
        self._guard = guard
        self._owner: RuleOwner | None = None
        self._at_work: dict[int, _AtWork] = {}

    def start(self, owner: RuleOwner) -> None:
        """The queue manager begins to work."""
        self._owner = owner
        self._at_work.clear()

    def close(self) -> None:
        """The queue manager closes (E-510)."""
        for at_work in self._at_work.values():
            self._guard.observe(at_work.rule.close, at_work.text)

    def of(self, queue: Queue) -> QueueRule | None:
        """Return the rule of a queue; None for one that has none. One that is named for the first time is made.

        Raises `EveryplaceError` RULE for one that is not registered.
        """
        text = queue.rule
        if not text and not self._at_work:
            return None
        present = self._at_work.get(queue.definition.number)
        if present is None and not text:
            return None
        if present is not None and present.text == text and present.messages is queue.messages:
            return present.rule
        self.removed(queue)
        return self._make(queue, text) if text else None

    def _make(self, queue: Queue, text: str) -> QueueRule:
        try:
            rule: QueueRule = self._plug_ins.make(Kind.QUEUE_RULE, text)
        except EveryplaceError as error:
            raise EveryplaceError(Code.RULE, f"{queue}: {error.text}") from None
        if self._owner is not None:
            self._at_work[queue.definition.number] = _AtWork(text, rule, queue.messages)
            self._guard.observe(partial(rule.activate, queue, self._owner), text)
            if queue.messages is not None:
                queue.messages.outgoing.sent = partial(self._sent, queue)
        return rule

    def removed(self, queue: Queue) -> None:
        """A queue is gone, or its rule (E-510)."""
        present = self._at_work.pop(queue.definition.number, None)
        if present is not None:
            self._guard.observe(present.rule.close, present.text)
            if present.messages is not None:
                present.messages.outgoing.sent = None

    def before_change(self, queue: Queue, row: Property, value: Any) -> None:
        """Ask whether an attribute of a queue may be changed (E-518). Raises `EveryplaceError` RULE."""
        rule = self.of(queue) if row in _ATTRIBUTES else None
        if rule is not None:
            self._ask(f"change of {row.constant}", partial(rule.attribute_change, row.field, value), queue)

    def before_put(self, queue: Queue, address: Address, message: Message, confirm: int) -> None:
        """Ask whether a message may be put (E-511). Raises `EveryplaceError` RULE."""
        rule = self.of(queue)
        if rule is not None:
            self._ask(f"put to {address}", partial(rule.put, message, confirm), queue)

    def before(self, call: Call, queue: Queue, address: Address) -> None:
        """Ask whether another call may be made (E-512 to E-515). Raises `EveryplaceError` RULE."""
        rule = self.of(queue)
        if rule is None:
            return
        match call:
            case Get():
                self._ask(f"get from {address}", partial(rule.get, call.wanted, call.confirm), queue)
            case Browse() | BrowseAndLock():
                self._ask(f"browse of {address}", partial(rule.browse, call.wanted), queue)
            case Delete():
                self._ask(f"delete on {address}", partial(rule.delete, call.uid), queue)
            case Undo():
                self._ask(f"undo on {address}", partial(rule.undo, call.confirm), queue)

    def duplicate(self, queue: Queue, message: Message) -> bool:
        """Say that a queue holds the UID of a message; return whether the new copy is dropped (E-519)."""
        rule, found = self.of(queue), [False]
        if rule is not None:
            hook = rule.duplicate_message
            self._ask(f"put of a duplicate to {queue}", lambda: found.append(bool(hook(message))), queue)
        return found[-1]

    def expired(self, queue: Queue, event: MessageEvent, message: Callable[[], Message], now: float) -> None:
        """Say that a message has expired (E-084). ``message``: reads it."""
        rule = self.of(queue)
        if rule is not None:
            hook = rule.message_expired
            self._guard.observe(lambda: hook(event, message(), now), queue.rule)

    def listener(self, queue: Queue, wanted: Fields, *, added: bool) -> None:
        """Say that a listener has been added or removed (E-516)."""
        rule = self.of(queue)
        if rule is not None:
            hook = rule.add_listener if added else rule.remove_listener
            self._guard.observe(partial(hook, wanted), queue.rule)

    def _sent(self, queue: Queue, entry: Entry) -> None:
        """Say that a message has left a queue (E-520)."""
        present = self._at_work.get(queue.definition.number)
        if present is not None:
            event = MessageEvent.of(queue.definition.address, entry)
            self._guard.observe(partial(present.rule.transmit, event), present.text)

    def _ask(self, what: str, hook: Callable[[], None], queue: Queue) -> None:
        self._guard.ask(what, hook, queue.rule, strict=False)
