"""Routes of a configuration as carriers of a gateway: a reader for each source, an intake for each input."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.bridge.agents.gateway.carriers import CarrierHost, Carriers

from .definitions import RouteDefinition, Source, SourceKind
from .intake import Intake
from .reader import Reader
from .route import Route


def add_routes(carriers: Carriers, host: CarrierHost, definitions: Sequence[RouteDefinition]) -> dict[str, Intake]:
    """Register routes, in their order; they are not started. Returns the intakes of inputs, by route."""
    by_source: dict[Source, list[RouteDefinition]] = {}
    intakes: dict[str, Intake] = {}
    routes: dict[str, Route] = {}
    for each in definitions:
        if each.source.kind is SourceKind.INPUT:
            intake = intakes[each.name] = Intake(host, each)
            routes[each.name] = intake.route
        else:
            by_source.setdefault(each.source, []).append(each)
    for same in by_source.values():
        routes.update((route.name, route) for route in Reader(host, same).routes)
    for each in definitions:
        carriers.add(routes[each.name])
    return intakes
