"""Messages on their way through routes: steps applied one message after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import CallPython, Limits, Run, StepFailed, Surroundings

from .definitions import RouteDefinition
from .failures import Failure


class Work:
    """A message that a route has got.

    ``token``: identifies it in the session, blank if it came from an input. ``route``: index of the route that takes
    it, -1 for none. ``made``: what its steps have made of it, and what is put. ``failure``: why it cannot be put.
    """

    __slots__ = ("failure", "made", "message", "route", "run", "token")

    def __init__(self, token: bytes, message: Message, route: int) -> None:
        self.token = token
        self.message = message
        self.route = route
        self.made: tuple[Message, ...] = (message,) if route >= 0 else ()
        self.failure: Failure | None = None
        self.run: Run | None = None


class Works:
    """Works of one batch whose steps are applied in order. ``ready``: those for which that is done."""

    __slots__ = ("_limits", "_routes", "_surroundings", "_waiting", "ready")

    def __init__(
        self,
        works: Iterable[Work],
        routes: Sequence[RouteDefinition],
        surroundings: Surroundings,
        limits: Limits,
    ) -> None:
        self._waiting = deque(works)
        self._routes = routes
        self._surroundings = surroundings
        self._limits = limits
        self.ready: list[Work] = []

    @property
    def left(self) -> Iterable[Work]:
        """Works that are not ready."""
        return self._waiting

    def advance(self) -> tuple[Work, CallPython] | None:
        """Apply steps until all works are ready, or until a Python function must be called for one of them."""
        waiting = self._waiting
        while waiting:
            work = waiting[0]
            steps = self._routes[work.route].steps if work.route >= 0 else ()
            if steps:
                run = work.run
                if run is None:
                    run = work.run = Run(steps, work.message, self._surroundings, self._limits)
                outcome = run.advance()
                if isinstance(outcome, CallPython):
                    return work, outcome
                if isinstance(outcome, StepFailed):
                    work.made = ()
                    work.failure = Failure(
                        outcome.reason, f"step {outcome.step.number} ({outcome.step.shown}): {outcome.text}"
                    )
                else:
                    work.made = outcome.messages
            waiting.popleft()
            self.ready.append(work)
        return None

    def take_ready(self) -> list[Work]:
        """Return the works that are ready, once."""
        ready, self.ready = self.ready, []
        return ready
