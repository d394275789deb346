"""Inputs of routes: made of plug-ins, and joined to the intakes of their routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from twisted.logger import Logger

from mqbridge.bridge.agents.routing.intake import Intake
from mqbridge.bridge.client.message import Message
from mqbridge.bridge.config import RouteSettings
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.inputs import Input, InputError, InputFactory, Taken
from mqbridge.bridge.inputs.files import FilesInput
from mqbridge.bridge.inputs.http import Door, DoorSettings, HttpInput
from mqbridge.bridge.plug_ins import PlugInError, load_input
from mqbridge.bridge.security import Users

from .errors import WRONG_CONFIGURATION, StartError

OpenRouteDoor: TypeAlias = Callable[[str, DoorSettings], Awaitable[Door]]
"""Opens the endpoint of the HTTP input of a route. Raises `StartError`."""
_log = Logger()


class RouteSink:
    """The sink of one route; see `Sink`. What the input's own functions raise is logged."""

    def __init__(self, route: str, intake: Intake, driver: Driver, folder: Path) -> None:
        self.folder = folder
        self._route = route
        self._intake = intake
        self._driver = driver

    def offer(
        self, message: Message, identity: bytes, then: Callable[[Taken], None], mark: bytes = b""
    ) -> Callable[[], None]:
        """See `Sink.offer`."""
        answer = partial(self._safely, then)
        offer = self._intake.offer(message.stored.copy(), identity, answer, self._driver.now(), mark)
        self._driver.pump()

        def withdraw() -> None:
            if offer is not None:
                self._intake.withdraw(offer, self._driver.now())
                self._driver.pump()

        return withdraw

    def forget(self, identity: bytes) -> None:
        """See `Sink.forget`."""
        self._intake.forget(identity)
        self._driver.pump()

    def identities(self) -> dict[bytes, bytes]:
        """See `Sink.identities`."""
        return self._intake.identities()

    def later(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        """See `Sink.later`."""
        timer: Any = self._driver.reactor.callLater(seconds, self._safely, call)

        def cancel() -> None:
            if timer.active():
                timer.cancel()

        return cancel

    def problem(self, text: str) -> None:
        """See `Sink.problem`."""
        self._driver.log("AMQ5108", (self._route, text))

    def _safely(self, call: Callable[..., None], *arguments: Any) -> None:
        """Call a function of the input, which may be the code of others and raise anything."""
        try:
            call(*arguments)
        except Exception as error:
            _log.failure("an input has failed")
            self.problem(f"{type(error).__name__}: {error}")


class Inputs:
    """All inputs of a configuration. Raises `StartError` for one that cannot be."""

    def __init__(
        self,
        settings: Mapping[str, RouteSettings],
        intakes: Mapping[str, Intake],
        driver: Driver,
        open_door: OpenRouteDoor,
    ) -> None:
        self._settings = settings
        self._inputs: dict[str, Input] = {}
        for name, intake in intakes.items():
            table = dict(settings[name].input or {})
            kind = table.pop("kind", "")
            sink = RouteSink(name, intake, driver, settings[name].place.file.parent.absolute())
            built_in: Mapping[str, InputFactory] = {
                "files": FilesInput,
                "http": partial(HttpInput, open_door=partial(open_door, name), users=partial(_users, driver)),
            }
            try:
                if not isinstance(kind, str) or not kind:
                    raise InputError("", "an input has a 'kind', such as \"files\"")
                self._inputs[name] = (built_in.get(kind) or load_input(kind))(table, sink)
            except Exception as error:
                raise self._start_error(name, error) from error

    async def start(self) -> None:
        """Start all. Raises `StartError`."""
        for name, each in self._inputs.items():
            try:
                opening = each.start()
                if opening is not None:
                    await opening
            except Exception as error:
                raise self._start_error(name, error) from error

    def stop(self) -> None:
        """Stop all."""
        for each in self._inputs.values():
            try:
                each.stop()
            except Exception:
                _log.failure("an input could not be stopped")

    def _start_error(self, route: str, error: Exception) -> StartError:
        """Return what to say of an input that cannot be; the code of others may raise anything."""
        place, status = "input", WRONG_CONFIGURATION
        key: str | tuple[str, str] = place
        text = str(error)
        if isinstance(error, InputError):
            key = (place, error.key) if error.key else place
        elif isinstance(error, StartError):
            key, status = (place, "endpoint"), error.status
        elif not isinstance(error, PlugInError):
            text = f"the input cannot be made: {type(error).__name__}: {error}"
        return StartError(str(self._settings[route].place.error(key, f"route {route!r}: {text}")), status)


def _users(driver: Driver) -> Users:
    return driver.gateway.manager.security.users
