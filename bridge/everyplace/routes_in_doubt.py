"""The routes of messages in doubt: a confirm goes where its message went, even if an alias has moved (E-204).

A confirm that takes a new route finds nothing, which a program reads as done, and the message stays hidden on the old
queue. So the route is a row of the store before a put or get with confirm id goes to another queue manager, or in the
same transaction where the message stays here under another address than was said; one on the queue of just that address
is looked for there. So programs may confirm or undo after a restart, whatever has been defined meanwhile. Rows go when
the doubt is over.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store
from mqbridge.protocol.everyplace.calls import Call, ConfirmGet, ConfirmPut, Done, Get, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .definitions.queue_definition import QueueDefinition
from .definitions.queue_kinds import QueueKind
from .queues.queue import Queue

TABLE: Final = "everyplace-routes-in-doubt"
_MOST: Final = 1000
"""Most routes that are remembered; the oldest are forgotten."""
_KEY: Final = struct.Struct(">Q")

_Means: TypeAlias = tuple[Address, MessageUid | int]
"""What a confirm (UID) or an undo (confirm id) says."""


class _Doubt(NamedTuple):
    """What a program may confirm or undo. ``uid``: None for a get, until it is known which message it has got."""

    said: Address
    confirm: int
    uid: MessageUid | None

    def means(self) -> list[_Means]:
        """Return what ends it."""
        found: list[_Means] = [(self.said, self.confirm)]
        return found if self.uid is None else [*found, (self.said, self.uid)]


class _Route(NamedTuple):
    """``at``: of the queue's definition. ``address``: with aliases resolved. ``elsewhere``: whether another queue
    manager has the message. ``number``: of the row, 0 without one. ``queue``: None after a restart."""

    at: Address
    address: Address
    elsewhere: bool
    number: int = 0
    queue: Queue | None = None


class RoutesInDoubt:
    """Routes by the address that the program has said, and UID or confirm id. ``named``: finds a queue by the address
    of its definition. Raises `EveryplaceError` STORE for a damaged row."""

    __slots__ = ("_last", "_named", "_routes", "_said", "_store")

    def __init__(self, store: Store, named: Callable[[Address], Queue | None]) -> None:
        self._store = store
        self._named = named
        self._routes: dict[_Doubt, _Route] = {}
        self._said: dict[_Means, dict[_Doubt, None]] = {}
        self._last = 0
        for key, row in store.records(TABLE):
            self._last = _KEY.unpack(key)[0]
            self._add(*_read(row, self._last))

    def find(self, call: Call) -> tuple[Queue, Address] | None:
        """Return the route of what a confirm or undo means, if it is remembered."""
        means = _means(call)
        if means is None:
            return None
        doubts = self._said.get(means)
        if not doubts:
            return self._held_here(*means)
        route = self._routes[next(reversed(doubts))]
        queue = route.queue or self._named(route.at)
        if queue is None or (queue.messages is None) != route.elsewhere:
            if not route.elsewhere:
                return None
            queue = Queue(QueueDefinition(QueueKind.REMOTE, route.address), self._store)
        return queue, route.address

    def remember(self, call: Call, queue: Queue, address: Address, uid: MessageUid | None = None) -> list[Operation]:
        """Remember the route of a put or get with confirm id; returns what is to be on disk before it is in doubt.

        ``uid``: of the message, if it is known.
        """
        if not isinstance(call, Put | Get) or not call.confirm:
            return []
        doubt = _Doubt(call.address, call.confirm, uid)
        elsewhere = queue.messages is None
        route = _Route(queue.definition.address, address, elsewhere)
        known = self._routes.get(doubt)
        if known is not None and known[:3] == route[:3]:
            return []
        operations = self._remove(doubt)
        while len(self._routes) >= _MOST:
            operations += self._remove(next(iter(self._routes)))
        number = 0
        if elsewhere or doubt.said != route.at:
            number = self._last = self._last + 1
            operations.append(PutRecord(TABLE, _KEY.pack(number), _row(doubt, route)))
        self._add(doubt, route._replace(number=number, queue=queue))
        return operations

    def not_written(self, call: Call, uid: MessageUid | None = None) -> None:
        """What `remember` returned is not on disk."""
        if isinstance(call, Put | Get):
            self._remove(_Doubt(call.address, call.confirm, uid))

    def settled(self, call: Call, outcome: Outcome) -> list[Operation]:
        """Forget the route of what is not in doubt any more; returns what removes its rows."""
        means = _means(call)
        over = isinstance(outcome, Done) or (isinstance(outcome, Refused) and outcome.code is Code.NOT_FOUND)
        if means is None or not over:
            return []
        return [each for doubt in list(self._said.get(means, ())) for each in self._remove(doubt)]

    def _held_here(self, said: Address, what: MessageUid | int) -> tuple[Queue, Address] | None:
        """Return the queue of just this address if it has the message: there is no row of that."""
        queue = self._named(said)
        if queue is None or queue.messages is None:
            return None
        held = queue.messages.held.list
        if isinstance(what, MessageUid):
            there = held.find(what) is not None
        else:
            there = any(what in (entry.marks.confirm, entry.marks.lock_confirm) for entry in held)
        return (queue, said) if there else None

    def _add(self, doubt: _Doubt, route: _Route) -> None:
        self._routes[doubt] = route
        for each in doubt.means():
            self._said.setdefault(each, {})[doubt] = None

    def _remove(self, doubt: _Doubt) -> list[Operation]:
        route = self._routes.pop(doubt, None)
        if route is None:
            return []
        for each in doubt.means():
            doubts = self._said[each]
            del doubts[doubt]
            if not doubts:
                del self._said[each]
        return [RemoveRecord(TABLE, _KEY.pack(route.number))] if route.number else []


def _means(call: Call) -> _Means | None:
    match call:
        case ConfirmPut() | ConfirmGet():
            return call.address, call.uid
        case Undo():
            return call.address, call.confirm
        case _:
            return None


def _row(doubt: _Doubt, route: _Route) -> bytes:
    texts = (
        *doubt.said,
        str(doubt.confirm),
        str(doubt.uid or ""),
        *route.at,
        *route.address,
        str(int(route.elsewhere)),
    )
    return "\0".join(texts).encode("ascii")


def _read(row: bytes, number: int) -> tuple[_Doubt, _Route]:
    try:
        queue, owner, confirm, uid, *at, elsewhere = row.decode("ascii").split("\0")
        doubt = _Doubt(Address(queue, owner), int(confirm), MessageUid.parse(uid) if uid else None)
        return doubt, _Route(Address(at[0], at[1]), Address(at[2], at[3]), elsewhere == "1", number)
    except (ValueError, IndexError, EveryplaceError):
        raise EveryplaceError(Code.STORE, f"row {number} of routes in doubt is damaged") from None
