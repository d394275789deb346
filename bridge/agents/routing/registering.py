"""Routes of a configuration as carriers of a gateway: a reader for each source."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.agents.gateway.carriers import CarrierHost, Carriers

from .definitions import RouteDefinition, Source
from .reader import Reader


def add_routes(carriers: Carriers, host: CarrierHost, definitions: Sequence[RouteDefinition]) -> list[Reader]:
    """Register routes, in their order. Returns their readers; they are not started."""
    by_source: dict[Source, list[RouteDefinition]] = {}
    for each in definitions:
        by_source.setdefault(each.source, []).append(each)
    readers = [Reader(host, routes) for routes in by_source.values()]
    routes = {route.name: route for reader in readers for route in reader.routes}
    for each in definitions:
        carriers.add(routes[each.name])
    return readers
