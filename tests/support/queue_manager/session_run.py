"""A run of sessions as steps that can be played again: requests, answers of the store, and the time that goes by."""

from __future__ import annotations

from typing import Any, NamedTuple

from mqbridge.bridge.queue_manager import Application, RetrievedMessage
from mqbridge.bridge.queue_manager.calls.outcomes import Completion
from mqbridge.bridge.queue_manager.calls.requests import Request
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.effects import Completed, Wake
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.body import as_bytes
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder
from support.queue_manager.host import Host


class Connect(NamedTuple):
    """A program connects."""

    program: int


class Ask(NamedTuple):
    """A program makes a request."""

    program: int
    request: Request


class Lose(NamedTuple):
    """A program is gone."""

    program: int


class Go(NamedTuple):
    """The store answers, and seconds go by."""

    seconds: float = 0.0


Step = Connect | Ask | Lose | Go


def seen(outcome: Any) -> Any:
    """An outcome in a form that can be compared."""
    if isinstance(outcome, RetrievedMessage):
        data = as_bytes(outcome.message.body)
        return outcome.message.raw_md, data, outcome.token, outcome.queue_name, outcome.length, outcome.reason
    return outcome


def descriptor(**fields: Any) -> bytes:
    """An MQMD in little-endian order."""
    return Message.build(order=ByteOrder.LITTLE, ccsid=1208, **fields).raw_md


class Asking:
    """A program that keeps what its session tells it."""

    def __init__(self, host: Host) -> None:
        options = ConnectOptions(application=Application(user="app", appl_name="program"), program=self)
        self.session = Session(host.queue_manager, options, host.now)
        self.told: list[Completion] = []

    def completed(self, _now: float) -> None:
        self.told += self.session.completions()

    def connection_stopped(self, now: float) -> None:
        self.session.lost(now)


class SessionRun:
    """Plays steps on queues Q and R. ``seen``: every outcome in order, ``steps``: what was played."""

    def __init__(self) -> None:
        self.host = Host()
        self.host.local("Q")
        self.host.local("R")
        self.host.hold = True
        self.programs: dict[int, Asking] = {}
        self.steps: list[Step] = []
        self.seen: list[Any] = []

    def play(self, step: Step) -> Any:
        """Does one step; the outcome of a request, None where it comes."""
        self.steps.append(step)
        host, outcome = self.host, None
        if isinstance(step, Connect):
            self.programs[step.program] = Asking(host)
        elif isinstance(step, Ask):
            outcome = self.programs[step.program].session.submit(step.request, host.now)
            self.seen.append((step.program, "at once", seen(outcome)))
        elif isinstance(step, Lose):
            self.programs.pop(step.program).session.lost(host.now)
        else:
            host.now += step.seconds
            host.hold = False
            host.queue_manager.timeout(host.now)
            host.pump()
            host.hold = True
        self._perform()
        return outcome

    def _perform(self) -> None:
        """What a gateway does with the effects, until there are no more."""
        manager = self.host.queue_manager
        while effects := [*self.host.effects, *manager.take_effects()]:
            self.host.effects = []
            for effect in effects:
                if isinstance(effect, Wake):
                    effect.waiter.owner.woken(effect.waiter, effect.reason, self.host.now)
                elif isinstance(effect, Completed):
                    effect.program.completed(self.host.now)
        for number, program in self.programs.items():
            told, program.told = program.told, []
            self.seen += [(number, tag, seen(outcome)) for tag, outcome in told]

    def later(self, number: int, tag: int) -> list[Any]:
        """The outcomes that have come of a request."""
        return [outcome for program, each, outcome in self.seen if (program, each) == (number, tag)]
