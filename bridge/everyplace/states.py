"""States of a message on a queue, and what each operation makes of them: the table of mqe.md 7 (E-151).

`TABLE` has a row for each event that meets a message. A state that a row does not name is not affected: the message is
as good as absent to the caller. Whether a lock or confirm id fits is asked before the row is used.
"""

from __future__ import annotations

from enum import Enum, IntEnum, unique
from typing import Final, NamedTuple


@unique
class State(IntEnum):
    """State of a message, as stored."""

    PUT_UNCONFIRMED = 1
    """PU: seen by confirmPut and undo alone (E-145)."""
    UNLOCKED = 2
    """U: seen by everything (E-146)."""
    LOCKED = 3
    """LB, locked for browse: seen by who has the lock id, and by undo (E-147)."""
    GET_UNCONFIRMED = 4
    """GU: seen by confirmGet and undo (E-148)."""
    BROWSE_GET_UNCONFIRMED = 5
    """BG: got with a confirm id while locked; seen by confirmGet and undo (E-149)."""


@unique
class Event(Enum):
    """What meets a message that a queue holds. A put of a UID that it holds is E-155, in the queue."""

    CONFIRM_PUT = "confirmPut"
    GET = "get"
    GET_WITH_CONFIRM = "get with confirm id"
    GET_LOCKED = "get with lock id"
    GET_LOCKED_WITH_CONFIRM = "get with lock id and confirm id"
    CONFIRM_GET = "confirmGet"
    BROWSE_AND_LOCK = "browse and lock"
    UNLOCK = "unlock"
    DELETE = "delete"
    DELETE_LOCKED = "delete with lock id"
    UNDO = "undo"
    EXPIRY = "expiry"
    TRANSMITTED = "transmitted"


class Step(NamedTuple):
    """What becomes of a message. ``state``: the next one; None: it is deleted. ``takes_place``: it gets the last place
    of its priority (E-183)."""

    state: State | None
    takes_place: bool = False


_PU, _U, _LB, _GU, _BG = State
_DELETED: Final = Step(None)

TABLE: Final[dict[Event, dict[State, Step]]] = {
    Event.CONFIRM_PUT: {_PU: Step(_U, takes_place=True)},
    Event.GET: {_U: _DELETED},
    Event.GET_WITH_CONFIRM: {_U: Step(_GU)},
    Event.GET_LOCKED: {_LB: _DELETED},
    Event.GET_LOCKED_WITH_CONFIRM: {_LB: Step(_BG)},
    Event.CONFIRM_GET: {_GU: _DELETED, _BG: _DELETED},
    Event.BROWSE_AND_LOCK: {_U: Step(_LB)},
    Event.UNLOCK: {_LB: Step(_U)},
    Event.DELETE: {_U: _DELETED},
    Event.DELETE_LOCKED: {_LB: _DELETED},
    Event.UNDO: {_PU: _DELETED, _LB: Step(_U), _GU: Step(_U), _BG: Step(_LB)},
    Event.EXPIRY: {_PU: _DELETED, _U: _DELETED},
    Event.TRANSMITTED: {_U: _DELETED},
}
"""Event, state before, and what becomes of the message."""


def step(event: Event, state: State) -> Step | None:
    """Return what an event makes of a message; None if it does not affect it."""
    return TABLE[event].get(state)
