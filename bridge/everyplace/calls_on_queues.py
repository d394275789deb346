"""Calls on a queue that stores its messages, as changes (mqe.md 8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.protocol.everyplace.calls import (
    Browse,
    BrowseAndLock,
    Browsed,
    Call,
    ConfirmGet,
    ConfirmPut,
    Delete,
    Discover,
    Done,
    Get,
    Got,
    Outcome,
    Put,
    Undo,
    Unlock,
)
from mqbridge.protocol.everyplace.filters import Filter
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.uid import MessageUid

from .changes import Change
from .definitions.queue_kinds import Operation
from .queues.stored_messages import StoredMessages

OPERATIONS: Final[dict[type, Operation]] = {
    Put: Operation.PUT,
    ConfirmPut: Operation.CONFIRM_PUT,
    Get: Operation.GET,
    ConfirmGet: Operation.CONFIRM_GET,
    Browse: Operation.BROWSE,
    BrowseAndLock: Operation.LOCK,
    Unlock: Operation.LOCK,
    Delete: Operation.DELETE,
    Undo: Operation.UNDO,
    Discover: Operation.PUT,
}
"""The operation that each call is."""


def change_of(call: Call, messages: StoredMessages, new_lock: Callable[[], int], now: int) -> Change[Outcome]:
    """Return what a call other than a put does to the messages of a queue.

    ``new_lock``: makes lock ids. ``now``: milliseconds since 1970. Raises `EveryplaceError`, `Unsettled`.
    """
    match call:
        case ConfirmPut():
            return messages.confirm_put(call.uid).then(lambda _: Done())
        case Get():
            return messages.get(Filter(call.wanted), call.confirm, now).then(Got)
        case ConfirmGet():
            return messages.confirm_get(call.uid).then(lambda _: Done())
        case Browse(uids_only=True):
            return Change(Browsed(tuple(map(_uid_only, messages.browse_uids(Filter(call.wanted), now)))))
        case Browse():
            return Change(Browsed(tuple(messages.browse(Filter(call.wanted), now))))
        case BrowseAndLock():
            lock = new_lock()
            found = messages.browse_and_lock(Filter(call.wanted), lock, call.confirm, now)
            return found.then(lambda browsed: Browsed(tuple(browsed), lock))
        case Unlock():
            return messages.unlock(call.uid, call.lock).then(lambda _: Done())
        case Delete():
            return messages.delete(call.uid, call.lock, now).then(lambda _: Done())
        case Undo():
            return messages.undo(call.confirm).then(lambda _: Done())
        case Put() | Discover():
            raise AssertionError("a put and a discovery have places of their own")


def _uid_only(uid: MessageUid) -> Message:
    found = Message()
    found.identify(uid)
    return found
