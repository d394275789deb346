"""States of a connection at both its ends: the tables of the two machines (M-005, M-006, M-019, M-036)."""

from __future__ import annotations

from enum import Enum, unique
from typing import Final


@unique
class Called(Enum):
    """State of the end that is called."""

    WAITING = "waiting for a packet"
    READING = "part of a packet is there"
    ASKED = "a packet waits for its answer"
    REFUSING = "what came cannot be read; the answer ends the connection"
    ENDED = "ended"


@unique
class Calling(Enum):
    """State of the end that calls."""

    IDLE = "nothing is asked"
    ASKED = "waiting for the answer"
    ENDED = "ended"


@unique
class Cause(Enum):
    """What changes the state of an end."""

    PART = "a part of a packet comes"
    PACKET = "a packet is whole"
    UNREADABLE = "what comes is no packet"
    ANSWER = "answer"
    LAST_ANSWER = "answer for the last time"
    ASK = "ask"
    ANSWERED = "the answer is whole"
    END = "end"


CALLED: Final[dict[Called, dict[Cause, Called]]] = {
    Called.WAITING: {
        Cause.PART: Called.READING,
        Cause.PACKET: Called.ASKED,
        Cause.UNREADABLE: Called.REFUSING,
        Cause.END: Called.ENDED,
    },
    Called.READING: {
        Cause.PART: Called.READING,
        Cause.PACKET: Called.ASKED,
        Cause.UNREADABLE: Called.REFUSING,
        Cause.END: Called.ENDED,
    },
    Called.ASKED: {Cause.ANSWER: Called.WAITING, Cause.LAST_ANSWER: Called.ENDED, Cause.END: Called.ENDED},
    Called.REFUSING: {Cause.LAST_ANSWER: Called.ENDED, Cause.END: Called.ENDED},
    Called.ENDED: {Cause.END: Called.ENDED},
}

CALLING: Final[dict[Calling, dict[Cause, Calling]]] = {
    Calling.IDLE: {Cause.ASK: Calling.ASKED, Cause.END: Calling.ENDED},
    Calling.ASKED: {Cause.ANSWERED: Calling.IDLE, Cause.LAST_ANSWER: Calling.ENDED, Cause.END: Calling.ENDED},
    Calling.ENDED: {Cause.END: Calling.ENDED},
}
