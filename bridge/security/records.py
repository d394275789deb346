"""Interface of the definitions that this package reads; others keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol


class SecurityRecord(Protocol):
    """A definition: a name, and attributes by MQSC keyword."""

    name: str

    def text(self, keyword: str) -> str:
        """Return a keyword or text; empty if there is no such attribute."""
        ...

    def texts(self, keyword: str) -> tuple[str, ...]:
        """Return a list; empty if there is no such attribute."""
        ...

    def integer(self, keyword: str) -> int:
        """Return a number; 0 if there is no such attribute."""
        ...


@dataclass(frozen=True, slots=True)
class SecurityDefinitions:
    """Sources of a queue manager's records, read again after `Security.definitions_changed`.

    ``channel_rules``: CHLAUTH records. ``authorities``: AUTHREC records. ``queue_manager``: its attributes (CHLAUTH,
    CONNAUTH, REVDNS). ``authentication``: the AUTHINFO object with a name, or None.
    """

    channel_rules: Callable[[], Iterable[SecurityRecord]]
    authorities: Callable[[], Iterable[SecurityRecord]]
    queue_manager: Callable[[], SecurityRecord]
    authentication: Callable[[str], SecurityRecord | None]
