"""Steps applied to a message: a run (sans-IO).

A run does what it can and returns what came of it: messages, a Python function to be called elsewhere, or a failure::

    run = Run(steps, message, surroundings, limits)
    outcome = run.advance()
    while isinstance(outcome, CallPython):
        run.answered(call_somewhere(outcome))       # or run.failed(reason, text)
        outcome = run.advance()

Each step is applied to all messages that the steps before it made, in their order. The message given stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.errors import LocalProtocolError, MQBridgeError

from .errors import reason_of
from .step import Limits, PythonFunction, Step, Surroundings


@dataclass(frozen=True, slots=True)
class Finished:
    """All steps are applied. ``messages``: what is to be put, in order; none if the message was dropped."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class CallPython:
    """A function to be called with a message. ``target``: ``"module:function"``. ``time_limit``: in seconds."""

    target: str
    message: Message
    time_limit: float
    limits: Limits


@dataclass(frozen=True, slots=True)
class StepFailed:
    """A step that could not be applied. ``reason``: the MQRC for the dead-letter header. ``text``: a sentence for the
    log, which quotes no data."""

    step: Step
    reason: int
    text: str


Outcome: TypeAlias = Finished | CallPython | StepFailed


@dataclass(frozen=True, slots=True)
class Change:
    """One application of a step: the message before it, and what it became."""

    step: Step
    before: Message
    after: tuple[Message, ...]


_NO_SURROUNDINGS: Final = Surroundings()
_NO_LIMITS: Final = Limits()


def apply_steps(
    steps: Sequence[Step], message: Message, surroundings: Surroundings = _NO_SURROUNDINGS, limits: Limits = _NO_LIMITS
) -> Message | StepFailed:
    """Return what a run of steps without Python functions makes of a message."""
    for step in steps:
        made = _applied(step, message, surroundings, limits)
        if type(made) is StepFailed:
            return made
        message = made  # type: ignore[assignment]
    return message


def _applied(step: Step, message: Message, surroundings: Surroundings, limits: Limits) -> Message | StepFailed:
    action = step.action
    if isinstance(action, PythonFunction):
        raise LocalProtocolError("a Python function is called elsewhere")
    try:
        after = action.apply(message, surroundings)
    except MQBridgeError as error:
        return StepFailed(step, reason_of(error), str(error))
    length = len(after.body)
    if length > limits.length and length > len(message.body):
        return StepFailed(step, *_too_long(length, limits))
    return after


def _too_long(length: int, limits: Limits) -> tuple[int, str]:
    return int(MQRC.MSG_TOO_BIG_FOR_Q_MGR), f"{length} bytes of data, {limits.length} are allowed"


class Run:
    """Steps being applied to a message. ``record``: keep what each step changed, for `explain`."""

    __slots__ = ("_failure", "_limits", "_made", "_position", "_steps", "_surroundings", "_waiting", "changes")

    def __init__(
        self,
        steps: Sequence[Step],
        message: Message,
        surroundings: Surroundings = _NO_SURROUNDINGS,
        limits: Limits = _NO_LIMITS,
        *,
        record: bool = False,
    ) -> None:
        self._steps = steps
        self._surroundings = surroundings
        self._limits = limits
        self._position = 0
        """Index of the step that is applied next."""
        self._waiting: list[Message] = [message]
        """Messages that this step is to be applied to, in order."""
        self._made: list[Message] = []
        """What it made of those before them."""
        self._failure: StepFailed | None = None
        self.changes: list[Change] | None = [] if record else None
        """What each step changed so far."""

    def advance(self) -> Outcome:
        """Apply steps until all are applied, one fails, or a Python function must be called.

        `CallPython` comes again until `answered` or `failed` was called.
        """
        if self._failure is not None:
            return self._failure
        steps, made = self._steps, self._made
        while self._position < len(steps):
            step = steps[self._position]
            action = step.action
            while self._waiting:
                message = self._waiting[0]
                if isinstance(action, PythonFunction):
                    return CallPython(action.target, message, action.time_limit, self._limits)
                after = _applied(step, message, self._surroundings, self._limits)
                if isinstance(after, StepFailed):
                    self._failure = after
                    return after
                self._note(message, (after,))
                made.append(after)
                del self._waiting[0]
            self._waiting = made
            self._made = made = []
            self._position += 1
        return Finished(tuple(self._waiting))

    @property
    def position(self) -> int:
        """Index of the step that is applied; the number of steps when all are."""
        return self._position

    @property
    def on_last(self) -> bool:
        """Whether that step is applied to its last message."""
        return len(self._waiting) <= 1

    def answered(self, messages: Sequence[Message]) -> None:
        """Take what the function returned; nothing: the message is dropped. Raises `LocalProtocolError` if none was
        asked for."""
        before = self._asked()
        total = len(self._waiting) - 1 + len(self._made) + len(messages)
        longest = max((len(each.body) for each in messages), default=0)
        if total > self._limits.messages and len(messages) > 1:
            text = f"more than {self._limits.messages} messages of one"
            self._fail(int(MQRC.API_EXIT_ERROR), text)
        elif longest > self._limits.length:
            self._fail(*_too_long(longest, self._limits))
        else:
            self._note(before, tuple(messages))
            self._made += messages
            del self._waiting[0]

    def failed(self, reason: int, text: str) -> None:
        """Take note that the function failed. Raises `LocalProtocolError` if none was asked for."""
        self._asked()
        self._fail(reason, text)

    def _asked(self) -> Message:
        asked = self._failure is None and self._position < len(self._steps) and bool(self._waiting)
        if not asked or not isinstance(self._steps[self._position].action, PythonFunction):
            raise LocalProtocolError("the run waits for no function")
        return self._waiting[0]

    def _fail(self, reason: int, text: str) -> None:
        self._failure = StepFailed(self._steps[self._position], reason, text)

    def _note(self, before: Message, after: tuple[Message, ...]) -> None:
        if self.changes is not None:
            self.changes.append(Change(self._steps[self._position], before, after))
