"""A program beside the channels of a queue manager, which makes the requests of one unit of work."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.calls.outcomes import Failed
from mqbridge.bridge.queue_manager.calls.requests import Disconnect, Request
from mqbridge.bridge.queue_manager.calls.units import disconnect
from mqbridge.bridge.queue_manager.connections import Connection, ConnectOptions
from mqbridge.bridge.queue_manager.session import Session

Told = Callable[[MQError | None], None]


def commit_and_leave(connection: Connection, now: float) -> None:
    """A fault in place of `Connection.lost`: what a program that is gone has not committed is committed."""
    if not connection.ended:
        disconnect(connection, Disconnect(0), now)


class Program:
    """Makes requests; whoever waits for an outcome is told when it comes."""

    def __init__(self, manager: QueueManager, now: float) -> None:
        self._session = Session(manager, ConnectOptions(program=self, inside=True), now)
        self._waiting: dict[int, Told] = {}

    def ask(self, request: Request, now: float, told: Told) -> None:
        """Makes a request. Raises `MQError` for one that fails at once, of which nobody is told."""
        outcome = self._session.submit(request, now)
        if outcome is None:
            self._waiting[request.tag] = told
        elif isinstance(outcome, Failed):
            raise outcome.error()
        else:
            told(None)

    def completed(self, _now: float) -> None:
        for tag, outcome in self._session.completions():
            self._waiting.pop(tag)(outcome.error() if isinstance(outcome, Failed) else None)

    def connection_stopped(self, now: float) -> None:
        self._session.lost(now)
