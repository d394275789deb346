"""Events of connections, in the order in which they passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, TypeAlias

from mqbridge.protocol.direction import Direction


class Began(NamedTuple):
    """A connection, by its number. ``initiator``, ``responder``: ``host:port``, empty where unknown. ``port``: of the
    responder, 0 where unknown. ``from_start``: its first bytes are there."""

    connection: int
    initiator: str = ""
    responder: str = ""
    port: int = 0
    from_start: bool = True


class Sent(NamedTuple):
    """The next bytes of one end. ``time``: seconds since the epoch, ``nan`` where unknown. ``packet``: its number in a
    capture, of text the line."""

    connection: int
    direction: Direction
    time: float
    data: bytes
    packet: int


class Lost(NamedTuple):
    """Bytes of one end that passed, but are not there."""

    connection: int
    direction: Direction
    length: int


class Ended(NamedTuple):
    """A connection is over. ``whole``: both ends closed it, so that nothing is missing at its end."""

    connection: int
    whole: bool


Event: TypeAlias = Began | Sent | Lost | Ended


class Dialogues(Protocol):
    """A source of events, to be iterated once. ``notes``: what could not be read, and ``remarks``: what was assumed or
    repaired, both complete afterwards. ``are_messages``: each piece of bytes is one message."""

    notes: list[str]
    remarks: list[str]
    are_messages: bool

    def __iter__(self) -> Iterator[Event]:
        """Yield the events."""
        ...
