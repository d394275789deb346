"""A message channel agent as a program of its queue manager: requests out, outcomes back to who has asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

from mqbridge.bridge.queue_manager import Application, MQError, QueueManager
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Outcome
from mqbridge.bridge.queue_manager.calls.requests import Commit, Request, Wait
from mqbridge.bridge.queue_manager.session import ChannelSession

Told: TypeAlias = Callable[["MQError | None"], None]
"""Called once: with None when all is on disk, else with the reason why it is not."""


class ChannelProgram:
    """One session of a message channel agent.

    Requests whose outcome may come later have a tag of `next_tag`.
    """

    __slots__ = ("_asking", "_tag", "session")

    def __init__(self, manager: QueueManager, application: Application) -> None:
        self.session = ChannelSession(manager, application, self)
        self._tag = 0
        self._asking: dict[int, Callable[[Outcome], None]] = {}

    def next_tag(self) -> int:
        """A tag that no other request of the session has."""
        self._tag += 1
        return self._tag

    def ask(self, request: Wait | Commit, then: Callable[[Outcome], None], now: float) -> None:
        """Makes a request, and has ``then`` told its outcome, at once or later."""
        outcome = self.session.submit(request, now)
        if outcome is None:
            self._asking[request.tag] = then
        else:
            then(outcome)

    def do(self, request: Request, now: float) -> Outcome:
        """Makes a request that is answered at once. Raises `MQError` where it fails."""
        outcome = self.session.submit(request, now)
        assert outcome is not None
        if type(outcome) is Failed:
            raise outcome.error()
        return outcome

    def commit(self, request: Commit, then: Told, now: float) -> None:
        """Commits, and has ``then`` told when all is on disk, or why it is not."""
        self.ask(request, partial(_tell, then), now)

    def attempt(self, request: DisposeUndelivered, then: Told, now: float) -> MQError | None:
        """Makes a request that the store decides last: why it fails before that, or None. ``then``: as of `commit`."""
        outcome = self.session.submit(request, now)
        if type(outcome) is Failed:
            return outcome.error()
        if outcome is None:
            self._asking[request.tag] = partial(_tell, then)
        else:
            then(None)
        return None

    def forget(self, tag: int) -> None:
        """The outcome of a request is not wanted any more."""
        self._asking.pop(tag, None)

    def break_off(self, now: float) -> None:
        """No operator ends a session that DISPLAY CONN does not show."""

    def completed(self, _now: float) -> None:
        """Tell outcomes that have come to those who have asked."""
        for tag, outcome in self.session.completions():
            then = self._asking.pop(tag, None)
            if then is not None:
                then(outcome)


def _tell(then: Told, outcome: Outcome) -> None:
    then(outcome.error() if type(outcome) is Failed else None)


class InDoubtBatch(NamedTuple):
    """The messages of a batch in doubt: hidden on the transmission queue until it is settled, in the session that has
    got them."""

    program: ChannelProgram
    tokens: tuple[bytes, ...]
