"""A message channel agent as a program of its queue manager: one session, with callbacks for later outcomes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from mqbridge.bridge.queue_manager import Application, MQError, QueueManager
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Outcome
from mqbridge.bridge.queue_manager.calls.requests import Commit, Request, Wait
from mqbridge.bridge.queue_manager.session import ChannelSession
from mqbridge.mappings.moment import Time

OnStored: TypeAlias = Callable[["MQError | None"], None]
"""Called once: with None when all is on disk, else with the reason why it is not."""


class ChannelProgram:
    """One session of a message channel agent, or of another agent; ``trusted``: see `ChannelSession`.

    Requests whose outcome may come later have a tag from `next_tag`.
    """

    __slots__ = ("_asking", "_tag", "session")

    def __init__(self, manager: QueueManager, application: Application, *, trusted: bool = False) -> None:
        self.session = ChannelSession(manager, application, self, trusted=trusted)
        self._tag = 0
        self._asking: dict[int, Callable[[Outcome], None]] = {}

    def next_tag(self) -> int:
        """A unique tag for a request of the session."""
        self._tag += 1
        return self._tag

    def ask(self, request: Wait | Commit, then: Callable[[Outcome], None], now: Time) -> None:
        """Submit a request; ``then`` is called with its outcome, at once or later."""
        outcome = self.session.submit(request, now)
        if outcome is None:
            self._asking[request.tag] = then
        else:
            then(outcome)

    def do(self, request: Request, now: Time) -> Outcome:
        """Submit a request that completes at once. Raises `MQError` if it fails."""
        outcome = self.session.submit(request, now)
        assert outcome is not None
        if type(outcome) is Failed:
            raise outcome.error()
        return outcome

    def commit(self, request: Commit, then: OnStored, now: Time) -> None:
        """Commit; ``then`` is called when all is on disk, or with the reason why not."""
        self.ask(request, partial(_call_back, then), now)

    def attempt(self, request: DisposeUndelivered, then: OnStored, now: Time) -> MQError | None:
        """Submit a request that ends with a write to the store. Returns why it failed before that, or None; then
        ``then`` is called as by `commit`."""
        outcome = self.session.submit(request, now)
        if type(outcome) is Failed:
            return outcome.error()
        if outcome is None:
            self._asking[request.tag] = partial(_call_back, then)
        else:
            then(None)
        return None

    def forget(self, tag: int) -> None:
        """Ignore the outcome of a request."""
        self._asking.pop(tag, None)

    def connection_stopped(self, now: Time) -> None:
        """Do nothing: DISPLAY CONN does not show this session, so no operator can end it."""

    def completed(self, _now: Time) -> None:
        """Pass outcomes that have arrived to their callbacks."""
        for tag, outcome in self.session.completions():
            then = self._asking.pop(tag, None)
            if then is not None:
                then(outcome)


def _call_back(then: OnStored, outcome: Outcome) -> None:
    then(outcome.error() if type(outcome) is Failed else None)


class InDoubtBatch(NamedTuple):
    """The messages of a batch in doubt, hidden on the transmission queue until it is resolved; held by the session that
    got them."""

    program: ChannelProgram
    tokens: tuple[bytes, ...]
