"""Inputs of routes: made of plug-ins, and joined to the intakes of their routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mqbridge.bridge.agents.routing.intake import Intake
from mqbridge.bridge.client.message import Message
from mqbridge.bridge.config import RouteSettings
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.inputs import Input, InputError, InputFactory, Taken
from mqbridge.bridge.inputs.files import FilesInput
from mqbridge.bridge.plug_ins import PlugInError, load_input

from .errors import WRONG_CONFIGURATION, StartError

BUILT_IN: Mapping[str, InputFactory] = {"files": FilesInput}


class RouteSink:
    """The sink of one route; see `Sink`."""

    def __init__(self, route: str, intake: Intake, driver: Driver, folder: Path) -> None:
        self.folder = folder
        self._route = route
        self._intake = intake
        self._driver = driver

    def offer(self, message: Message, identity: bytes, then: Callable[[Taken], None]) -> None:
        """See `Sink.offer`."""
        self._intake.offer(message.stored.copy(), identity, then, self._driver.now())
        self._driver.pump()

    def forget(self, identity: bytes) -> None:
        """See `Sink.forget`."""
        self._intake.forget(identity)
        self._driver.pump()

    def identities(self) -> list[bytes]:
        """See `Sink.identities`."""
        return self._intake.identities()

    def later(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        """See `Sink.later`."""
        timer: Any = self._driver.reactor.callLater(seconds, call)

        def cancel() -> None:
            if timer.active():
                timer.cancel()

        return cancel

    def problem(self, text: str) -> None:
        """See `Sink.problem`."""
        self._driver.log("AMQ5108", (self._route, text))


class Inputs:
    """All inputs of a configuration. Raises `StartError` for one that cannot be."""

    def __init__(self, settings: Mapping[str, RouteSettings], intakes: Mapping[str, Intake], driver: Driver) -> None:
        self._inputs: list[Input] = []
        for name, intake in intakes.items():
            route = settings[name]
            table = dict(route.input or {})
            kind = table.pop("kind", "")
            folder = route.place.file.parent.absolute()
            try:
                if not isinstance(kind, str) or not kind:
                    raise InputError("", "an input has a 'kind', such as \"files\"")
                factory = BUILT_IN.get(kind) or load_input(kind)
                self._inputs.append(self._made(factory, table, RouteSink(name, intake, driver, folder)))
            except InputError as error:
                place = ("input", error.key) if error.key else "input"
                raise StartError(
                    str(route.place.error(place, f"route {name!r}: {error}")), WRONG_CONFIGURATION
                ) from error
            except PlugInError as error:
                raise StartError(
                    str(route.place.error("input", f"route {name!r}: {error}")), WRONG_CONFIGURATION
                ) from error

    @staticmethod
    def _made(factory: InputFactory, table: Mapping[str, Any], sink: RouteSink) -> Input:
        """Make an input; the code of others may raise anything."""
        try:
            return factory(table, sink)
        except InputError:
            raise
        except Exception as error:
            raise InputError("", f"the input cannot be made: {type(error).__name__}: {error}") from error

    def start(self) -> None:
        """Start all."""
        for each in self._inputs:
            each.start()

    def stop(self) -> None:
        """Stop all."""
        for each in self._inputs:
            each.stop()
