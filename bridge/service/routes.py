"""Routes of the configuration: read, checked, started, and their Python steps called in processes of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred

from mqbridge.bridge.agents.gateway.effects import CallStep
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.routing.definitions import RouteDefinition, RouteError
from mqbridge.bridge.agents.routing.reading import read_routes
from mqbridge.bridge.agents.routing.registering import add_routes
from mqbridge.bridge.agents.routing.rings import check_rings
from mqbridge.bridge.agents.routing.step_calls import StepAnswer
from mqbridge.bridge.config import Configuration
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.step_workers.frames import FunctionFailed
from mqbridge.bridge.step_workers.workers import StepWorkers
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import PythonFunction

from .errors import WRONG_CONFIGURATION, StartError
from .inputs import Inputs, OpenRouteDoor


class StepCaller:
    """Performs the effect `CallStep` of a driver's gateway."""

    def __init__(self, workers: StepWorkers, driver: Driver) -> None:
        self._workers = workers
        self._driver = driver
        workers.passed = driver.pump

    def call(self, effect: CallStep) -> None:
        """Call a function in its process."""
        self._workers.call(effect.call, partial(self._answered, effect))

    def _answered(self, effect: CallStep, outcome: tuple[Message, ...] | FunctionFailed) -> None:
        if isinstance(outcome, FunctionFailed):
            answer = StepAnswer(reason=outcome.reason, text=outcome.text)
        else:
            answer = StepAnswer(outcome)
        effect.then(answer, self._driver.now())


class Routes:
    """The routes of one queue manager. Raises `StartError` for those that cannot be.

    Modules of Python steps are looked for in the folder of the configuration file first.
    """

    def __init__(
        self, configuration: Configuration, reactor: Any, log: Callable[[str, tuple[str | int, ...]], None]
    ) -> None:
        self._settings = {each.name: each for each in configuration.routes}
        folders = [] if configuration.source is None else [str(configuration.source.parent.absolute())]
        self._workers = StepWorkers(reactor, log, folders)
        self._inputs: Inputs | None = None
        try:
            self._definitions = read_routes(configuration.routes)
        except RouteError as error:
            raise self._start_error(error) from error

    async def open(self, gateway: Gateway, driver: Driver, open_door: OpenRouteDoor) -> None:
        """Register them with a gateway whose objects are defined; ``open_door`` opens the endpoint of an HTTP input.
        Raises `StartError` for a ring, and for a step whose function cannot be called."""
        if not self._definitions:
            return
        try:
            check_rings(self._definitions, gateway.manager)
        except RouteError as error:
            raise self._start_error(error) from error
        await self._load()
        driver.call_step = StepCaller(self._workers, driver).call
        intakes = add_routes(gateway.carriers, gateway.channel_manager, self._definitions)
        self._inputs = Inputs(self._settings, intakes, driver, open_door)

    async def start_inputs(self) -> None:
        """Begin to take messages of other transports; the routes have started. Raises `StartError`."""
        if self._inputs is not None:
            await self._inputs.start()

    async def _load(self) -> None:
        """Import the modules of all Python steps."""
        used: dict[str, tuple[RouteDefinition, int]] = {}
        for route in self._definitions:
            for step in route.steps:
                if isinstance(step.action, PythonFunction):
                    used.setdefault(step.action.target, (route, step.number))
        loaded: Deferred[dict[str, str]] = Deferred()
        self._workers.load(used, loaded.callback)
        for target, fault in (await loaded).items():
            route, number = used[target]
            raise self._start_error(RouteError(route.name, "steps", f"step {number}: {target}: {fault}", number))

    def stop(self) -> None:
        """End inputs, and the processes of Python steps."""
        if self._inputs is not None:
            self._inputs.stop()
        self._workers.stop()

    def _start_error(self, error: RouteError) -> StartError:
        place = self._settings[error.route].place
        key = (error.key, error.number - 1) if error.number else error.key
        return StartError(str(place.error(key, f"route {error.route!r}: {error}")), WRONG_CONFIGURATION)
