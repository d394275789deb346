"""States of a connection at both its ends, and which frames each takes: the tables of the two machines (E-245, E-247).

A frame that a row does not name is an error in that state, and so is an action of the own side.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Final

from .frames import Kind


@unique
class Calling(Enum):
    """State of the end that calls."""

    NEW = "new"
    GREETING = "HELLO sent"
    PROVING = "PROOF sent"
    READY = "ready"
    ENDED = "ended"


@unique
class Called(Enum):
    """State of the end that is called."""

    WAITING = "waiting for HELLO"
    DECIDING = "HELLO came"
    """It is to be said how the caller proves its name."""
    CHALLENGED = "CHALLENGE sent"
    PROVEN = "PROOF came"
    """It is to be welcomed."""
    READY = "ready"
    ENDED = "ended"


@unique
class Action(Enum):
    """What an end does by itself."""

    BEGIN = "begin"
    ASK = "ask"
    ADMIT = "admit"
    WELCOME = "welcome"
    ANSWER = "answer"
    CLOSE = "close"


ANSWERS: Final[dict[Kind, frozenset[Kind]]] = {
    Kind.STATE: frozenset({Kind.STATE}),
    Kind.PUSH: frozenset({Kind.TAKEN}),
    Kind.CONFIRM: frozenset({Kind.CONFIRMED}),
    Kind.PULL: frozenset({Kind.PUSH, Kind.PART, Kind.NOTHING}),
    Kind.TAKEN: frozenset({Kind.CONFIRM, Kind.NOTHING}),
    Kind.NEXT: frozenset({Kind.PUSH, Kind.NOTHING}),
    Kind.PART: frozenset({Kind.HAVE}),
    Kind.HAVE: frozenset({Kind.PART, Kind.PUSH, Kind.ANSWER}),
    Kind.REQUEST: frozenset({Kind.ANSWER, Kind.PART}),
    Kind.PING: frozenset({Kind.PONG}),
}
"""What a caller asks, and the kinds of its answer beside ERROR."""
EMPTY: Final = frozenset({Kind.PING, Kind.PONG, Kind.CLOSE})
"""Frames without body."""
AHEAD: Final = frozenset({Kind.STATE})
"""What may be asked behind a PROOF, before READY; it is answered behind that."""
SINCE: Final[dict[Kind, int]] = {Kind.NEXT: 2}
"""The version of the protocol that a frame came with, if not with the first."""
_ASKED: Final = frozenset().union(*ANSWERS.values()) | {Kind.ERROR}

CALLING: Final[dict[Calling, dict[Kind | Action, Calling]]] = {
    Calling.NEW: {Action.BEGIN: Calling.GREETING, Action.CLOSE: Calling.ENDED},
    Calling.GREETING: {
        Kind.CHALLENGE: Calling.PROVING,
        Kind.READY: Calling.READY,
        Kind.ERROR: Calling.ENDED,
        Action.CLOSE: Calling.ENDED,
    },
    Calling.PROVING: {
        Kind.READY: Calling.READY,
        Kind.ERROR: Calling.ENDED,
        Action.ASK: Calling.PROVING,
        Action.CLOSE: Calling.ENDED,
    },
    Calling.READY: {
        **dict.fromkeys(sorted(_ASKED), Calling.READY),
        Action.ASK: Calling.READY,
        Action.CLOSE: Calling.ENDED,
    },
    Calling.ENDED: {Action.CLOSE: Calling.ENDED},
}
"""State, what comes or is done, and the next state; of the end that calls."""
CALLED: Final[dict[Called, dict[Kind | Action, Called]]] = {
    Called.WAITING: {Kind.HELLO: Called.DECIDING, Action.CLOSE: Called.ENDED},
    Called.DECIDING: {
        Action.ADMIT: Called.CHALLENGED,
        Action.WELCOME: Called.READY,
        Action.CLOSE: Called.ENDED,
    },
    Called.CHALLENGED: {Kind.PROOF: Called.PROVEN, Action.CLOSE: Called.ENDED},
    Called.PROVEN: {Action.WELCOME: Called.READY, Action.CLOSE: Called.ENDED},
    Called.READY: {
        **dict.fromkeys(ANSWERS, Called.READY),
        Kind.CLOSE: Called.ENDED,
        Action.ANSWER: Called.READY,
        Action.CLOSE: Called.ENDED,
    },
    Called.ENDED: {Action.CLOSE: Called.ENDED},
}
"""The same of the end that is called."""
