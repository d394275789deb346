"""When a queue manager sends: hours, days, minimum priority and count (E-505 to E-508)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, TypeAlias

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.message import Message

from .owners import RuledQueue, RuleOwner
from .parameters import Parameters
from .queue_manager_rule import QueueManagerRule

NAME: Final = "transmission-window"
Zones: TypeAlias = Callable[[str], tzinfo]
"""Finds a time zone by its name; raises `LookupError`."""
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS: Final = re.compile(r"(\d\d):(\d\d)-(\d\d):(\d\d)")
_DAY: Final = 24 * 60


class TransmissionWindow(QueueManagerRule):
    """Sends in a window of time alone.

    ``transmission-window:18:00-09:00,days=mon-fri,zone=Europe/Berlin,priority=6,count=11,every=15,at-close=yes``; all
    parts may be left out. The begin of the hours belongs to them, their end does not; a window over midnight belongs to
    the day on which it begins. ``priority``: of queues that send, at least. ``count``: messages that must wait, at
    least. ``every``: seconds between looks. ``at-close``: empty the queues when the queue manager closes, whatever the
    hours. ``zone``: without it, UTC.
    """

    def __init__(self, text: str = "", zones: Zones | None = None) -> None:
        parameters = Parameters(NAME, text)
        hours = parameters.words()
        self._begin, self._end = _hours(parameters, hours)
        self._days = _days(parameters, parameters.text("days", "mon-sun"))
        self._zone = _zone(parameters, parameters.text("zone"), zones)
        self._priority = parameters.integer("priority", 0)
        self._count = parameters.integer("count", 1)
        self._every = parameters.number("every", 15.0)
        self._at_close = parameters.word("at-close", "no", ("yes", "no")) == "yes"
        parameters.end()
        self._owner: RuleOwner | None = None
        self._closing = False

    def activate(self, owner: RuleOwner, now: float) -> None:
        """Note the queue manager."""
        self._owner = owner

    def close(self, now: float) -> None:
        """Send what waits, if that was asked for (E-506)."""
        if self._at_close and self._owner is not None:
            self._closing = True
            self._owner.trigger(now)

    def is_open(self, now: float) -> bool:
        """Whether a time, in seconds since 1970, is in the window."""
        local = datetime.fromtimestamp(now, self._zone)
        minute = local.hour * 60 + local.minute
        if self._begin < self._end:
            return self._begin <= minute < self._end and local.weekday() in self._days
        if minute >= self._begin:
            return local.weekday() in self._days
        return minute < self._end and (local - timedelta(days=1)).weekday() in self._days

    def trigger_transmission(self, pending: int, message: Message | None, now: float) -> bool:
        """Whether it is time, and enough messages wait."""
        return self._closing or (pending >= self._count and self.is_open(now))

    def transmit(self, queue: RuledQueue, now: float) -> bool:
        """Whether it is time, and the queue is important enough."""
        if not self._closing and not self.is_open(now):
            return False
        return queue.kind is QueueKind.HOME_SERVER or queue.priority >= self._priority

    def next_trigger(self, now: float) -> float | None:
        """Look again after a while."""
        return now + max(1.0, self._every)


def _hours(parameters: Parameters, words: list[str]) -> tuple[int, int]:
    if not words:
        return 0, _DAY
    found = _HOURS.fullmatch(words[0])
    if found is None or len(words) > 1:
        raise parameters.error(f"{words[-1][:40]!r} is no time such as 18:00-09:00")
    begin, end = (int(found[at]) * 60 + int(found[at + 1]) for at in (1, 3))
    if int(found[2]) > 59 or int(found[4]) > 59 or begin >= _DAY or end > _DAY or begin == end:
        raise parameters.error(f"{words[0]} is no span of a day")
    return begin, end


def _days(parameters: Parameters, text: str) -> frozenset[int]:
    first, dash, last = text.partition("-")
    try:
        if not dash:
            return frozenset(_DAYS.index(each) for each in text.split("+"))
        begin, end = _DAYS.index(first), _DAYS.index(last)
    except ValueError:
        raise parameters.error(f"days={text[:40]} is not such as mon-fri or sat+sun") from None
    return frozenset((begin + each) % 7 for each in range((end - begin) % 7 + 1))


def _zone(parameters: Parameters, name: str, zones: Zones | None) -> tzinfo:
    if name in ("", "UTC"):
        return UTC
    try:
        if zones is not None:
            return zones(name)
    except (LookupError, ValueError, OSError):
        pass
    raise parameters.error(f"time zone {name[:40]!r} is not known here")
