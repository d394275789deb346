"""Kinds of failures: what goes away by itself, what is the target's state, and what is wrong with a message."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from mqbridge.protocol.constants import MQRC


class FailureKind(Enum):
    """What a route does about a failure."""

    WAIT = "wait"
    """No message of the route can be put or got now: it waits, and no message is counted as failed."""
    FULL = "full"
    """The target has no room: the message counts as failed, those behind it are not tried."""
    MESSAGE = "message"
    """This message fails; those behind it go on."""


class Failure(NamedTuple):
    """Why a message could not be transformed or put. ``reason``: MQRC. ``text``: for the log."""

    reason: int
    text: str


_WAITING: Final = frozenset(
    map(
        int,
        (
            MQRC.ALIAS_BASE_Q_TYPE_ERROR,
            MQRC.CONNECTION_BROKEN,
            MQRC.DEF_XMIT_Q_TYPE_ERROR,
            MQRC.DEF_XMIT_Q_USAGE_ERROR,
            MQRC.NOT_AUTHORIZED,
            MQRC.OBJECT_CHANGED,
            MQRC.OBJECT_IN_USE,
            MQRC.PUT_INHIBITED,
            MQRC.Q_DELETED,
            MQRC.Q_MGR_QUIESCING,
            MQRC.Q_MGR_STOPPING,
            MQRC.Q_SPACE_NOT_AVAILABLE,
            MQRC.REMOTE_Q_NAME_ERROR,
            MQRC.RESOURCE_PROBLEM,
            MQRC.STORAGE_MEDIUM_FULL,
            MQRC.STORAGE_NOT_AVAILABLE,
            MQRC.UNKNOWN_ALIAS_BASE_Q,
            MQRC.UNKNOWN_DEF_XMIT_Q,
            MQRC.UNKNOWN_OBJECT_NAME,
            MQRC.UNKNOWN_REMOTE_Q_MGR,
            MQRC.UNKNOWN_XMIT_Q,
            MQRC.XMIT_Q_TYPE_ERROR,
            MQRC.XMIT_Q_USAGE_ERROR,
        ),
    )
)


def kind_of(reason: int) -> FailureKind:
    """Return the kind of a failed put by its reason code."""
    if reason in _WAITING:
        return FailureKind.WAIT
    return FailureKind.FULL if reason == MQRC.Q_FULL else FailureKind.MESSAGE
