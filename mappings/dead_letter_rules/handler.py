"""Decisions about messages on a dead-letter queue, with the attempts that rules allow."""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import dataclass
from typing import Final, TypeAlias

from mqbridge.mappings.message import Message

from .facts import dead_letter_of
from .table import Action, Rule, RulesTable

MAX_REMEMBERED: Final = 100_000
"""Most messages whose attempts are counted; further ones are attempted once in each pass."""


@dataclass(frozen=True, slots=True)
class Leave:
    """The message stays: no rule wants anything else, or its next attempt is not due. ``why``: for the report, blank
    if it is waiting."""

    why: str


@dataclass(frozen=True, slots=True)
class Discard:
    """The message is removed."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class Move:
    """The message is put elsewhere and removed here. ``user``: whose authority is needed, blank for the handler's."""

    rule: Rule
    message: Message
    queue: str
    queue_manager: str
    user: str


Decision: TypeAlias = Leave | Discard | Move


@dataclass(slots=True)
class _Attempts:
    """Failed attempts of the rule with a number; the next attempt is due at a time."""

    rule: int
    failed: int = 0
    due: float = 0.0


class RulesHandler:
    """The handler of one queue.

    For each message `decide` says what is to be done; `done` and `failed` tell how it went. Once a rule's attempts are
    used up, the next matching rule is tried; once all are, the message stays. Attempts are counted for the life of the
    handler, as runmqdlq does.
    """

    def __init__(self, table: RulesTable) -> None:
        self.table = table
        self._attempts: dict[bytes, _Attempts] = {}

    def decide(self, key: bytes, message: Message, now: float) -> Decision:
        """Return what is to be done with a message. ``key``: identifies it on its queue. ``now``: seconds."""
        attempts = self._attempts.get(key)
        if attempts is not None and attempts.due > now:
            return Leave("" if attempts.due < math.inf else "all attempts failed")
        letter = dead_letter_of(message)
        if letter is None:
            return Leave("it does not begin with an MQDLH")
        number = self.table.first(letter, 0 if attempts is None else attempts.rule)
        if attempts is not None and (number is None or self.table.rules[number].action is Action.IGNORE):
            attempts.due = math.inf
        if number is None:
            return Leave("no rule matches" if attempts is None else "all attempts failed")
        if attempts is not None and attempts.rule != number:
            attempts.rule, attempts.failed = number, 0
        rule = self.table.rules[number]
        if rule.action is Action.IGNORE:
            return Leave(f"the rule of line {rule.line}")
        if rule.action is Action.DISCARD:
            return Discard(rule)
        queue, queue_manager = rule.target(letter)
        kept = message if rule.action is Action.FWD and rule.header else letter.message
        return Move(rule, kept, queue, queue_manager, letter.userid if rule.as_user else "")

    def done(self, key: bytes) -> None:
        """The action was carried out: the message is gone."""
        self._attempts.pop(key, None)

    def failed(self, key: bytes, rule: Rule, now: float) -> None:
        """An attempt of the rule has failed: the next one is due later, or the rule is given up."""
        attempts = self._attempts.get(key)
        number = self.table.rules.index(rule)
        if attempts is None:
            if len(self._attempts) >= MAX_REMEMBERED:
                return
            attempts = self._attempts[key] = _Attempts(number)
        attempts.rule = number
        attempts.failed += 1
        attempts.due = now + self.table.control.retry_interval
        if attempts.failed >= rule.attempts:
            attempts.rule, attempts.failed, attempts.due = number + 1, 0, 0.0
            if attempts.rule >= len(self.table.rules):
                attempts.due = math.inf

    def still_there(self, keys: Set[bytes]) -> None:
        """Forget the attempts of messages that are gone; ``keys``: those seen in a whole pass."""
        for key in self._attempts.keys() - keys:
            del self._attempts[key]

    def next_attempt(self) -> float | None:
        """When the next attempt is due; None if none is."""
        due = min((attempts.due for attempts in self._attempts.values()), default=math.inf)
        return None if due == math.inf else due
