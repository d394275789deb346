"""Routes on a station of a stage: defined as in a configuration, with steps called by the play."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.agents.gateway.carriers import CarrierStatus
from mqbridge.bridge.agents.routing.reading import read_routes
from mqbridge.bridge.agents.routing.registering import add_routes
from mqbridge.bridge.config import RouteSettings
from support.gateway.stage import Station


def add(station: Station, *routes: dict[str, Any]) -> None:
    """Define and start routes, given as tables of a configuration; ``from`` is ``source``."""
    gateway = station.gateway
    add_routes(gateway.carriers, gateway.channel_manager, read_routes(RouteSettings(**each) for each in routes))
    station.call(lambda: gateway.carriers.start_all(station.clock.now))
    station.stage.wait(0.1)


def status(station: Station, name: str) -> CarrierStatus:
    """The status of a route."""
    (route,) = station.gateway.carriers.named(name)
    return route.status(station.clock.now)
