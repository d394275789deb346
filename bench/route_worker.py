"""A queue manager with a route, in a process of its own, driven as `channel_worker` is.

    python bench/route_worker.py route FOLDER 0 1

Messages are put on SOURCE; the route takes them to TARGET. Commands besides those of a channel's worker: ``property N``
(1: messages have an MQRFH2 with a property from now on), ``route N`` (with the steps of a row of ROUTES).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from channel_worker import DEEP, LARGEST, Worker, reactor
from twisted.internet.stdio import StandardIO

from mqbridge.bridge.agents.gateway.carriers import Carriers
from mqbridge.bridge.config import RouteSettings
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.service.routes import StepCaller
from mqbridge.bridge.step_workers.workers import StepWorkers
from mqbridge.mappings.body import Body, as_bytes
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property
from mqbridge.mappings.properties.writing import with_properties

ROUTES: tuple[dict[str, Any], ...] = (
    {},
    {"when": "colour = 'red'", "steps": [{"set": "usr.seen", "value": True}]},
    {"steps": [{"python": "route_steps:same"}]},
)


class RouteWorker(Worker):
    """Executes the commands, one after the other."""

    def __init__(self, folder: str) -> None:
        super().__init__("route", folder, 0, 0, {})
        self.pairs = 1
        now, objects = time.time(), self.manager.objects
        changes = [objects.define(Kind.QLOCAL, "SOURCE", {"MAXDEPTH": DEEP, "MAXMSGL": LARGEST}, now)]
        changes.append(objects.define(Kind.QALIAS, "REMOTE.0", {"TARGET": "SOURCE"}, now))
        for change in changes:
            self.manager.submit(change.operations)
        self.driver.pump()
        self.has_property = False
        self.workers = StepWorkers(reactor, _quiet, [str(Path(__file__).parent)])
        self.driver.call_step = StepCaller(self.workers, self.driver).call
        reactor.addSystemEventTrigger("before", "shutdown", self.workers.stop)

    def message(self, body: Body, persistence: int) -> Message:
        message = super().message(body, persistence)
        if not self.has_property:
            return message
        message.body = as_bytes(body)
        return with_properties(message, [Property.of("colour", "red")])

    def do_property(self, wanted: int) -> None:
        self.has_property = bool(wanted)
        self.say(property=wanted)

    def do_route(self, number: int) -> None:
        """Start a route; the one before must have been stopped, and is forgotten."""
        self.gateway.carriers = Carriers(self.gateway.channel_manager)
        began = time.perf_counter()
        self.add_routes([RouteSettings(name="bench", source="SOURCE", to="TARGET", **ROUTES[number])])
        self.say(started=began)

    def do_stop(self) -> None:
        for carrier in self.gateway.carriers:
            carrier.stop(0, time.time())
        self.driver.pump()
        self.say(stopped=self.gateway.carriers.quiet)


def _quiet(*_: object) -> None:
    """No log."""


def main() -> None:
    StandardIO(RouteWorker(sys.argv[2]))
    reactor.run()


if __name__ == "__main__":
    main()
