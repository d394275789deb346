"""The states of our end of a client's connection, and of a get on a shared one.

Theory of operation
-------------------

A connection and its conversation go through the states that the queue manager's end has (``protocol.mqi.states``),
seen from the other side. One conversation is on a connection; it has at most one call at a time.

**A get** on a shared connection asks for one message (REQUEST_MSGS). Without a wait it is a *check*: a message may
come, and a NOTIFICATION ends it in any case. A get that waits asks without wanting an answer and has the clock: a
message ends it, else a check does when the time is up (client-observed.md O-081, O-082). The message that was on its
way then comes before the answer to the check, so none is lost. A message that nobody asked for is kept for the next get
(O-105); what was kept when the object is closed goes back to the queue, since the close tells the last message that
was taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mqbridge.protocol.mqi.states import CONNECTION, CONVERSATION, ConversationState, ConversationTrigger
from mqbridge.protocol.states import Member

__all__ = [
    "CONNECTION",
    "CONVERSATION",
    "GETTING",
    "ConversationState",
    "ConversationTrigger",
    "GetState",
    "GetTrigger",
]


class GetState(Member):
    """State of the gets of one handle; the value is how the diagrams write it."""

    IDLE = "Idle"
    """No get."""
    WAITING = "Waiting"
    """A message was asked for, and the clock runs."""
    CHECKING = "Checking"
    """A message was asked for, or the answer that there is none."""
    FOUND = "Found"
    """The message of a check is here, its answer is not."""
    CLOSED = "Closed"
    """The object is being closed: what still comes is dropped."""


class GetTrigger(Member):
    """What moves it."""

    WAIT = "get that waits"
    CHECK = "get, or the time is up"
    MESSAGE = "message"
    ANSWERED = "NOTIFICATION"
    CLOSE = "MQCLOSE"


GETTING: Final[Mapping[GetState, Mapping[GetTrigger, GetState]]] = {
    GetState.IDLE: {
        GetTrigger.WAIT: GetState.WAITING,
        GetTrigger.CHECK: GetState.CHECKING,
        GetTrigger.MESSAGE: GetState.IDLE,
        GetTrigger.ANSWERED: GetState.IDLE,
        GetTrigger.CLOSE: GetState.CLOSED,
    },
    GetState.WAITING: {
        GetTrigger.CHECK: GetState.CHECKING,
        GetTrigger.MESSAGE: GetState.IDLE,
        GetTrigger.ANSWERED: GetState.IDLE,
        GetTrigger.CLOSE: GetState.CLOSED,
    },
    GetState.CHECKING: {
        GetTrigger.MESSAGE: GetState.FOUND,
        GetTrigger.ANSWERED: GetState.IDLE,
        GetTrigger.CLOSE: GetState.CLOSED,
    },
    GetState.FOUND: {
        GetTrigger.MESSAGE: GetState.FOUND,
        GetTrigger.ANSWERED: GetState.IDLE,
        GetTrigger.CLOSE: GetState.CLOSED,
    },
    GetState.CLOSED: {
        GetTrigger.MESSAGE: GetState.CLOSED,
        GetTrigger.ANSWERED: GetState.CLOSED,
        GetTrigger.CLOSE: GetState.CLOSED,
    },
}
"""The gets of one handle."""

TABLES: Final[Mapping[str, Mapping[Any, Mapping[Any, Any]]]] = {"Gets of a client": GETTING}
"""All tables by what they are of."""
