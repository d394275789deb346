"""Calls with confirm id: their routes are on disk before messages are in doubt, and go when they are not (E-204)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.calls import (
    Call,
    ConfirmGet,
    ConfirmPut,
    Get,
    Got,
    Outcome,
    Put,
    Refused,
    Undo,
)
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .changes import Change
from .commits import Commits
from .effects import Then
from .queues.queue import Queue
from .routes_in_doubt import RoutesInDoubt


class CallsInDoubt:
    """``routes``: those that are remembered."""

    __slots__ = ("_commits", "_routes")

    def __init__(self, routes: RoutesInDoubt, commits: Commits) -> None:
        self._routes = routes
        self._commits = commits

    def find(self, call: Call) -> tuple[Queue, Address] | None:
        """Return the route of what a confirm or undo means, if it is remembered."""
        return self._routes.find(call)

    def settling(self, call: Call, then: Then) -> Then:
        """Return what forgets the route of a call that ends doubt."""

        def answered(outcome: Outcome) -> None:
            operations = self._routes.settled(call, outcome)
            if operations:
                self._commits.submit(Change(None, operations), lambda _: None)
            then(outcome)

        return answered if isinstance(call, ConfirmPut | ConfirmGet | Undo) else then

    def beside(
        self,
        call: Call,
        queue: Queue,
        address: Address,
        uid: MessageUid | None,
        operations: list[Operation],
        then: Callable[[Any], None],
    ) -> Callable[[Any], None]:
        """Add the route of what will be in doubt to ``operations``; returns what to call when they are written."""
        route = self._routes.remember(call, queue, address, uid)
        if not route:
            return then
        operations += route

        def written(outcome: Any) -> None:
            if isinstance(outcome, Refused):
                self._routes.not_written(call, uid)
            then(outcome)

        return written

    def ask_behind(
        self,
        call: Call,
        queue: Queue,
        address: Address,
        uid: MessageUid | None,
        operations: list[Operation],
        ask: Callable[[], None],
        then: Then,
    ) -> None:
        """Have a call made elsewhere when the route of what will be in doubt there is on disk.

        One without confirm id does not wait for ``operations``.
        """
        if not isinstance(call, Put | Get) or not call.confirm:
            if operations:
                self._commits.submit(Change(None, operations), lambda _: None)
            ask()
            return

        def written(refused: Refused | None) -> None:
            if refused is not None:
                then(refused)
                return
            try:
                ask()
            except EveryplaceError as error:
                then(Refused(error.code, error.text))

        told = self.beside(call, queue, address, uid, operations, written)
        self._commits.submit(Change(None, operations), told)

    def got_elsewhere(self, call: Get, queue: Queue, address: Address, then: Then) -> Then:
        """Return what writes the route of a message that was got before the program hears of it."""

        def answered(outcome: Outcome) -> None:
            operations: list[Operation] = []
            told: Then = then
            if isinstance(outcome, Got):
                told = self.beside(call, queue, address, outcome.message.uid, operations, then)
            self._commits.submit(Change(outcome, operations), told)

        return answered if call.confirm else then
