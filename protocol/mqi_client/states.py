"""States of the program's end of a client connection, and of a get on a shared one.

Theory of operation
-------------------

A connection and its conversation have the states of the queue manager's end (``protocol.mqi.states``), seen from the
other side. A connection has one conversation with at most one pending call.

**A get** on a shared connection requests one message (REQUEST_MSGS). Without a wait it is a *check*: a message may
arrive, and a NOTIFICATION ends it in any case. A waiting get demands no answer and keeps the time: a message ends it,
or a check when the wait expires (client-observed.md O-081, O-082). A message in transit then arrives before the answer
to the check, so none is lost. An unrequested message is kept for the next get (O-105); messages still kept when the
object is closed return to the queue, because the close states the last message taken.
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
    """State of the gets of one handle; the values are the names in the diagrams."""

    IDLE = "Idle"
    """No get."""
    WAITING = "Waiting"
    """A message was requested, and the wait is running."""
    CHECKING = "Checking"
    """A message was requested, or the answer that there is none."""
    FOUND = "Found"
    """The message of a check has arrived, its answer has not."""
    CLOSED = "Closed"
    """The object is being closed: messages that still arrive are dropped."""


class GetTrigger(Member):
    """Cause of a transition."""

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
"""All tables by subject."""
