"""What routes would do with a message (``mqbridge routes --explain``): steps run on a copy, and nothing is put."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.agents.message_channel.bus_channel import explain_bus
from mqbridge.bridge.queue_manager import MQError
from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.properties import PropertyLookUp
from mqbridge.mappings.service_integration import ChannelRules
from mqbridge.mappings.transformations import CallPython, Finished, Run, StepFailed, explain
from mqbridge.mappings.tree import EnteredBy

from .definitions import RouteDefinition, SourceKind
from .step_calls import CallStep, StepAnswer
from .surroundings import limits_of, surroundings_of

_COLUMN: Final = 12
"""Characters of the words before what they are about, as in the lines of steps."""
_OUTCOMES: Final = {True: "true", False: "false", None: "unknown"}


@dataclass(slots=True)
class RouteExplanation:
    """What one route would do. ``when``: its selector, blank if it takes every message. ``outcome``: of the selector.
    ``lines``: about its steps and its target, none if it does not take the message. ``bus``: what the bus of the
    sending channel makes of the names, blank without one."""

    name: str
    when: str
    outcome: bool | None
    lines: list[str] = field(default_factory=list)
    bus: str = ""

    def shown(self) -> list[str]:
        """All lines, as the command writes them."""
        what = f"{self.when}   {_OUTCOMES[self.outcome]}" if self.when else "every message"
        bus = [self.bus] if self.bus else []
        return [f"route {self.name}   {what}", *(f"  {line}" for line in self.lines), *bus]


Explained = Callable[[list[RouteExplanation] | Exception, Time], None]


class Explaining:
    """One explanation. ``routes``: those of a source, in their order. ``explained`` is called with what they would do,
    up to the one that takes the message; or with what was raised behind a Python step. ``buses``: rules of channels,
    by channel."""

    def __init__(
        self,
        host: CarrierHost,
        routes: Sequence[RouteDefinition],
        message: Message,
        explained: Explained,
        buses: Mapping[str, ChannelRules],
    ) -> None:
        self._buses = buses
        self._host = host
        self._routes = routes
        self._message = message
        self._explained = explained
        self._found: list[RouteExplanation] = []

    def begin(self, now: Time) -> None:
        """Evaluate the selectors, and apply the steps of the route that takes the message."""
        look_up = PropertyLookUp(self._message).get
        for route in self._routes:
            outcome = None if route.when is None else route.when.decide(look_up)
            when = "" if route.when is None else route.when.text
            self._found.append(RouteExplanation(route.name, when, outcome))
            if route.when is None or outcome:
                self._apply(route, now)
                return
        self._explained(self._found, now)

    def _apply(self, route: RouteDefinition, now: Time) -> None:
        from_queue = route.source.kind is not SourceKind.INPUT
        entered_by: EnteredBy = "queue" if from_queue else "other"
        surroundings = surroundings_of(self._host, route.source.name if from_queue else "", now, entered_by)
        self._go_on(route, Run(route.steps, self._message, surroundings, limits_of(self._host), record=True), now)

    def _go_on(self, route: RouteDefinition, run: Run, now: Time) -> None:
        outcome = run.advance()
        if isinstance(outcome, CallPython):

            def answered(answer: StepAnswer, at: float) -> None:
                self._host.now = at
                try:
                    if answer.reason:
                        run.failed(answer.reason, answer.text)
                    else:
                        run.answered(answer.messages)
                    self._go_on(route, run, at)
                except Exception as error:  # else the one who asks would wait for ever
                    self._explained(error, at)

            self._host.emit(CallStep(outcome, answered))
            return
        lines = self._found[-1].lines
        lines.extend(explain(run))
        if isinstance(outcome, StepFailed):
            error = MQError(outcome.reason, outcome.text)
            lines.append(f"{outcome.step.shown:{_COLUMN}} fails: {error}")
            tries = "" if route.source.kind is SourceKind.INPUT else ", after BOTHRESH tries"
            lines.append(f"{'error':{_COLUMN}} {route.error or 'the dead-letter queue'}{tries}")
        else:
            lines.extend(self._about_target(route.target, outcome))
        self._explained(self._found, now)

    def _about_target(self, target: Destination, outcome: Finished) -> list[str]:
        if not outcome.messages:
            return []
        number = len(outcome.messages)
        several = f"{number} messages " if number > 1 else ""
        line = f"{'to':{_COLUMN}} {several}{target.uri}"
        if target.kind is DestinationKind.TOPIC:
            return [line]
        try:
            found = self._host.manager.target(target.name, target.queue_manager)
        except MQError as error:
            return [f"{line}, which fails: {error}"]
        if found.topic is not None:
            return [f"{line}, an alias of topic {found.topic}"]
        if found.queue is None:
            return [line]
        if found.remote:
            objects, queue = self._host.manager.objects, found.queue.name
            bus = explain_bus(self._buses, objects, queue, found.queue_name, found.queue_manager_name)
            if bus is not None:
                name, names = bus
                self._found[-1].bus = f"{f'bus {name}':{_COLUMN + 2}} {names}"
            return [f"{line}, by transmission queue {found.queue.name}"]
        return [line if found.queue.name == target.name else f"{line}, which is {found.queue.name}"]
