"""Messages on their way through routes: steps applied to all of a batch, and calls of Python functions under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.transformations import CallPython, Limits, Run, StepFailed, Surroundings, apply_steps

from .definitions import RouteDefinition
from .failures import Failure
from .step_calls import CallStep, StepAnswer


class Work:
    """A message that a route has got.

    ``token``: identifies it in the session, blank if it came from an input. ``route``: index of the route that takes
    it, -1 for none. ``is_stored``: whether it is in the store. ``made``: what its steps have made of it, and what is
    put. ``failure``: why it cannot be put. ``progress``: not None while a Python function must be called for it.
    """

    __slots__ = ("failure", "is_stored", "made", "message", "progress", "route", "token")

    def __init__(self, token: bytes, message: Message, route: int, is_stored: bool = False) -> None:
        self.token = token
        self.is_stored = is_stored
        self.message = message
        self.route = route
        self.made: tuple[Message, ...] = (message,) if route >= 0 else ()
        self.failure: Failure | None = None
        self.progress: Progress | None = None


class Progress:
    """A work among those of its route whose steps call functions. ``waits``: its call must not be made yet."""

    __slots__ = ("ahead", "behind", "run", "waits", "work")

    def __init__(self, work: Work, run: Run, ahead: Progress | None) -> None:
        self.work = work
        self.run = run
        self.ahead = ahead
        self.behind: Progress | None = None
        self.waits = False

    def may_call(self) -> bool:
        """Return whether the work ahead has called the function of this step for all its messages."""
        run, ahead = self.run, self.ahead
        if ahead is None or ahead.run.position > run.position:
            return True
        return ahead.run.position == run.position and ahead.run.on_last and not ahead.waits


Call: TypeAlias = tuple[Work, CallPython]


class Works:
    """Works of one batch. ``ready``: the first ones of them, whose steps are applied, until they are taken.

    Functions are called for many works at once; calls of one function are answered in order. Where one makes several
    messages of one, the works behind it wait, so that each step calls its function for the messages of a route in their
    order.
    """

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
    def left(self) -> Sequence[Work]:
        """Works that are not ready."""
        return self._waiting

    def start(self) -> list[Call]:
        """Apply steps to all works. Returns the calls to be made, in their order."""
        routes = self._routes
        calling = [route.calls_python for route in routes]
        last: dict[int, Progress] = {}
        calls: list[Call] = []
        for work in self._waiting:
            number = work.route
            steps = routes[number].steps if number >= 0 else ()
            if not steps:
                continue
            if calling[number]:
                run = Run(steps, work.message, self._surroundings, self._limits)
                ahead = last.get(number)
                work.progress = last[number] = progress = Progress(work, run, ahead)
                if ahead is not None:
                    ahead.behind = progress
                self._advance(progress, calls)
                continue
            made = apply_steps(steps, work.message, self._surroundings, self._limits)
            if isinstance(made, StepFailed):
                _fail(work, made)
            else:
                work.made = (made,)
        self._collect()
        return calls

    def answered(self, work: Work, answer: StepAnswer) -> list[Call]:
        """Take what a function has returned for a work that is left. Returns the calls that can be made now."""
        progress = work.progress
        assert progress is not None
        if answer.reason:
            progress.run.failed(answer.reason, answer.text)
        else:
            progress.run.answered(answer.messages)
        calls: list[Call] = []
        behind = progress.behind
        self._advance(progress, calls)
        while behind is not None and behind.waits:
            progress, behind = behind, behind.behind
            self._advance(progress, calls)
        self._collect()
        return calls

    def _advance(self, progress: Progress, calls: list[Call]) -> None:
        work = progress.work
        outcome = progress.run.advance()
        if isinstance(outcome, CallPython):
            progress.waits = not progress.may_call()
            if not progress.waits:
                calls.append((work, outcome))
            return
        if isinstance(outcome, StepFailed):
            _fail(work, outcome)
        else:
            work.made = outcome.messages
        work.progress = None
        if progress.ahead is not None:
            progress.ahead.behind = progress.behind
        if progress.behind is not None:
            progress.behind.ahead = progress.ahead

    def _collect(self) -> None:
        """Move works from the front to those that are ready."""
        waiting, ready = self._waiting, self.ready
        while waiting and waiting[0].progress is None:
            ready.append(waiting.popleft())

    def take_ready(self) -> list[Work]:
        """Return the works that are ready, once."""
        ready, self.ready = self.ready, []
        return ready


def emit_calls(
    host: CarrierHost,
    works: Works,
    calls: Iterable[Call],
    answered: Callable[[Works, Work, StepAnswer, Time], None],
) -> None:
    """Have functions called elsewhere; ``answered`` gets what each has returned, and the time."""
    for work, call in calls:
        host.emit(CallStep(call, partial(answered, works, work)))


def _fail(work: Work, outcome: StepFailed) -> None:
    work.made = ()
    work.failure = Failure(outcome.reason, f"step {outcome.step.number} ({outcome.step.shown}): {outcome.text}")
