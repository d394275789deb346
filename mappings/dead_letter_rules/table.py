"""A rules table: control data, and rules that are tried in order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from .facts import DeadLetter
from .patterns import Pattern

DEFAULT_RETRY_INTERVAL: Final = 60


class Action(Enum):
    """What a rule does with a message."""

    DISCARD = "DISCARD"
    IGNORE = "IGNORE"
    RETRY = "RETRY"
    FWD = "FWD"


@dataclass(frozen=True, slots=True)
class Control:
    """Control data. ``queue`` and ``queue_manager``: blank for the defaults. ``retry_interval``: seconds between
    attempts. ``wait``: seconds to wait for further messages, 0 not at all, None for ever."""

    queue: str = ""
    queue_manager: str = ""
    retry_interval: int = DEFAULT_RETRY_INTERVAL
    wait: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``line``: where it begins. ``queue`` and ``queue_manager`` of FWD may be ``&DESTQ``, ``&REPLYQ``,
    ``&DESTQM``, ``&REPLYQM``. ``header``: whether FWD keeps the MQDLH. ``as_user``: puts with the authority of the
    user in the message's context. ``attempts``: how often its action is attempted."""

    line: int
    patterns: tuple[Pattern, ...]
    action: Action
    queue: str = ""
    queue_manager: str = ""
    header: bool = True
    as_user: bool = False
    attempts: int = 1

    def matches(self, letter: DeadLetter) -> bool:
        """Return whether all patterns of the rule match."""
        return all(pattern.matches(letter) for pattern in self.patterns)

    def target(self, letter: DeadLetter) -> tuple[str, str]:
        """Return the queue and queue manager to which the rule puts a message."""
        if self.action is Action.RETRY:
            return letter.destq, letter.destqm
        queues = {"&DESTQ": letter.destq, "&REPLYQ": letter.replyq}
        managers = {"&DESTQM": letter.destqm, "&REPLYQM": letter.replyqm}
        return queues.get(self.queue, self.queue), managers.get(self.queue_manager, self.queue_manager)


@dataclass(frozen=True, slots=True)
class RulesTable:
    """Control data and at least one rule."""

    control: Control
    rules: tuple[Rule, ...]

    def first(self, letter: DeadLetter, start: int = 0) -> int | None:
        """Return the number, from 0, of the first matching rule from ``start`` on; None if there is none."""
        for number in range(start, len(self.rules)):
            if self.rules[number].matches(letter):
                return number
        return None
