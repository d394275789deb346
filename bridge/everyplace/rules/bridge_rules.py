"""Rules of the bridge to MQ: undelivered messages, start-up, records left on the sync queue (E-522 to E-525)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, Protocol, TypeAlias

from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.names import Address

from .parameters import Parameters

DEFAULT_TRIES: Final = 3
"""After so many tries the default rule stops the listener (E-422)."""


@unique
class Disposal(Enum):
    """What is done with a message of MQ that cannot be delivered, other than to try again."""

    STOP_LISTENER = "stop listener"
    USE_REPORT_OPTIONS = "use MQ report options"
    """Discarded if the message says so, else put to MQ's dead-letter queue (E-523)."""


@dataclass(frozen=True, slots=True)
class RetryAfter:
    """Try again after this many seconds."""

    seconds: float


Decision: TypeAlias = RetryAfter | Disposal


@dataclass(frozen=True, slots=True)
class UndeliveredMessage:
    """A message of MQ that Everyplace refuses. ``codes``: why. ``target``: where it was to go. ``tries``: how many
    there were, from 1. ``message_id``: of MQ."""

    codes: Sequence[Code]
    target: Address
    tries: int
    message_id: bytes


class UndeliveredMessageRule(Protocol):
    """Decides on a message that cannot be delivered."""

    def undelivered(self, message: UndeliveredMessage) -> Decision:
        """Return what is to be done (E-522)."""
        ...


class StartUpRule(Protocol):
    """Decides what starts."""

    def starts(self, resource: str, name: str) -> bool:
        """Whether an object of the bridge starts with the queue manager (E-524). ``resource``: its kind."""
        ...


@dataclass(frozen=True, slots=True)
class SyncRecord:
    """A record on the sync queue. ``key``: gateway, connection and direction. ``batch``: its number. ``written``:
    seconds since 1970."""

    key: str
    batch: int
    written: float


class PurgerRule(Protocol):
    """Decides on records that nobody has taken off the sync queue."""

    def purge(self, record: SyncRecord, now: float) -> bool:
        """Whether a record is to be deleted (E-525); what is not is reported."""
        ...


class RetryRule:
    """Tries again, then stops the listener, or goes by the report options (E-422).

    ``undelivered:seconds=5,tries=3,then=stop``: ``then`` is ``stop`` or ``report``; ``tries=0`` tries for ever.
    """

    def __init__(self, text: str = "") -> None:
        parameters = Parameters("undelivered", text)
        self._seconds = parameters.number("seconds", 5.0)
        self._tries = parameters.integer("tries", DEFAULT_TRIES)
        then = parameters.word("then", "stop", ("stop", "report"))
        parameters.end()
        self._then = Disposal.STOP_LISTENER if then == "stop" else Disposal.USE_REPORT_OPTIONS

    def undelivered(self, message: UndeliveredMessage) -> Decision:
        """Return what is to be done."""
        if self._tries and message.tries >= self._tries:
            return self._then
        return RetryAfter(self._seconds)


class ReportRule:
    """Goes by the report options of the message at once (E-523): ``report-options``."""

    def __init__(self, text: str = "") -> None:
        Parameters("report-options", text).end()

    def undelivered(self, message: UndeliveredMessage) -> Decision:
        """Return what is to be done."""
        return Disposal.USE_REPORT_OPTIONS


class NamedStartUp:
    """Starts all objects but some: ``start:SATURN,SVRCONN.1`` leaves these stopped, ``start:none`` all."""

    def __init__(self, text: str = "") -> None:
        parameters = Parameters("start", text)
        self._stopped = frozenset(parameters.words())
        parameters.end()

    def starts(self, resource: str, name: str) -> bool:
        """Whether an object starts."""
        return not ({"none", name} & self._stopped)


class AgePurger:
    """Deletes records that are old: ``purge:hours=24``. Without hours, the default, it reports alone."""

    def __init__(self, text: str = "") -> None:
        parameters = Parameters("purge", text)
        self._hours = parameters.number("hours", 0.0)
        parameters.end()

    def purge(self, record: SyncRecord, now: float) -> bool:
        """Whether a record is to be deleted."""
        return bool(self._hours) and now - record.written > self._hours * 3600
