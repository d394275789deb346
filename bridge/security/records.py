"""What this package asks of definitions, which others keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol


class Record(Protocol):
    """A definition: a name and attributes by their MQSC words."""

    name: str

    def text(self, keyword: str) -> str:
        """A word or text; empty where there is none of this name."""
        ...

    def texts(self, keyword: str) -> tuple[str, ...]:
        """A list; empty where there is none of this name."""
        ...

    def integer(self, keyword: str) -> int:
        """A number; 0 where there is none of this name."""
        ...


@dataclass(frozen=True, slots=True)
class Definitions:
    """Where the records of a queue manager come from; each is asked anew after `Security.definitions_changed`.

    ``channel_rules``: CHLAUTH records; ``authorities``: AUTHREC records; ``queue_manager``: its attributes (CHLAUTH,
    CONNAUTH, REVDNS); ``authentication``: the AUTHINFO object of a name, None if there is none.
    """

    channel_rules: Callable[[], Iterable[Record]]
    authorities: Callable[[], Iterable[Record]]
    queue_manager: Callable[[], Record]
    authentication: Callable[[str], Record | None]
