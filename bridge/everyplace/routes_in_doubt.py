"""The routes of messages in doubt: a confirm goes where its message went, even if an alias has moved (E-204)."""

from __future__ import annotations

from typing import Final, NamedTuple

from mqbridge.protocol.everyplace.calls import Call, ConfirmGet, ConfirmPut, Done, Get, Got, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .effects import Then
from .queues.queue import Queue

_MOST: Final = 1000
"""Most routes that are remembered; the oldest are forgotten, and a restart forgets all."""


class _Key(NamedTuple):
    address: Address
    what: MessageUid | int
    """The UID for a confirm, the confirm id for an undo."""


class RoutesInDoubt:
    """Routes by the address that the program has said, and UID or confirm id."""

    __slots__ = ("_routes",)

    def __init__(self) -> None:
        self._routes: dict[_Key, tuple[Queue, Address]] = {}

    def find(self, call: Call) -> tuple[Queue, Address] | None:
        """Return the route of what a confirm or undo means, if it is remembered."""
        key = _key(call)
        return None if key is None else self._routes.get(key)

    def watch(self, call: Call, queue: Queue, address: Address, then: Then) -> Then:
        """Remember the route of a call with confirm id, forget that of one that ends doubt; returns what to call with
        its outcome."""
        if isinstance(call, Put | Get) and call.confirm:
            self._remember(_Key(call.address, call.confirm), queue, address)
        elif _key(call) is None:
            return then

        def answered(outcome: Outcome) -> None:
            if isinstance(call, Get) and isinstance(outcome, Got) and outcome.message.uid is not None:
                self._remember(_Key(call.address, outcome.message.uid), queue, address)
            key = _key(call)
            if key is not None and _settles(outcome):
                self._routes.pop(key, None)
            then(outcome)

        return answered

    def put(self, call: Put, queue: Queue, address: Address) -> None:
        """Remember the route of a put with confirm id, whose message has its UID now."""
        if call.confirm and call.message.uid is not None:
            self._remember(_Key(call.address, call.message.uid), queue, address)

    def _remember(self, key: _Key, queue: Queue, address: Address) -> None:
        self._routes.pop(key, None)
        while len(self._routes) >= _MOST:
            del self._routes[next(iter(self._routes))]
        self._routes[key] = queue, address


def _key(call: Call) -> _Key | None:
    match call:
        case ConfirmPut() | ConfirmGet():
            return _Key(call.address, call.uid)
        case Undo():
            return _Key(call.address, call.confirm)
        case _:
            return None


def _settles(outcome: Outcome) -> bool:
    return isinstance(outcome, Done) or (isinstance(outcome, Refused) and outcome.code is Code.NOT_FOUND)
