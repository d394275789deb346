"""Kinds of queues (mqe.md 6.3), and which operations each has (mqe.md 8, E-160 to E-169)."""

from __future__ import annotations

from enum import Enum, Flag, auto, unique
from typing import Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError


@unique
class QueueKind(Enum):
    """Kind of a queue; the value is its class in administration messages (E-285)."""

    LOCAL = "local"
    """E-127, and the dead-letter queue (E-133)."""
    REMOTE = "remote"
    """A queue of another queue manager, synchronous (E-128) or asynchronous (E-129)."""
    STORE_AND_FORWARD = "store-and-forward"
    """E-131"""
    HOME_SERVER = "home-server"
    """E-135"""
    ADMINISTRATION = "administration"
    """E-134"""
    MQ_BRIDGE = "mq-bridge"
    """E-136"""


class Operation(Flag):
    """What programs do with a queue."""

    PUT = auto()
    GET = auto()
    BROWSE = auto()
    CONFIRM_PUT = auto()
    CONFIRM_GET = auto()
    DELETE = auto()
    UNDO = auto()
    LISTEN = auto()
    WAIT = auto()
    LOCK = auto()


_ALL: Final = Operation.PUT | Operation.GET | Operation.BROWSE | Operation.CONFIRM_PUT | Operation.CONFIRM_GET
_LOCAL: Final = _ALL | Operation.DELETE | Operation.UNDO | Operation.LISTEN | Operation.WAIT | Operation.LOCK
SYNCHRONOUS: Final = _LOCAL & ~Operation.LISTEN
"""Of a synchronous remote queue."""
ASYNCHRONOUS: Final = Operation.PUT | Operation.CONFIRM_PUT | Operation.UNDO
"""Of an asynchronous remote queue; undo of its own unconfirmed puts alone."""
OPERATIONS: Final = {
    QueueKind.LOCAL: _LOCAL,
    QueueKind.STORE_AND_FORWARD: Operation.PUT,
    QueueKind.HOME_SERVER: Operation(0),
    QueueKind.ADMINISTRATION: Operation.PUT,
    QueueKind.MQ_BRIDGE: Operation.PUT
    | Operation.GET
    | Operation.BROWSE
    | Operation.CONFIRM_PUT
    | Operation.UNDO
    | Operation.WAIT,
}
"""Operations of the kinds that have one mode."""


def operations(kind: QueueKind, *, synchronous: bool = True) -> Operation:
    """Return what programs may do with a queue."""
    if kind is QueueKind.REMOTE:
        return SYNCHRONOUS if synchronous else ASYNCHRONOUS
    return OPERATIONS[kind]


def require(operation: Operation, kind: QueueKind, name: str, *, synchronous: bool = True) -> None:
    """Raise `EveryplaceError` NOT_SUPPORTED if the queue does not have an operation (E-169)."""
    if not operation & operations(kind, synchronous=synchronous):
        mode = "" if kind is not QueueKind.REMOTE else "synchronous " if synchronous else "asynchronous "
        word = (operation.name or "").lower().replace("_", " ")
        raise EveryplaceError(Code.NOT_SUPPORTED, f"{name} is a {mode}{kind.value} queue, which has no {word}")
