"""Definitions of routes from the tables of a configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from mqbridge.mappings.destinations import Destination, DestinationError, DestinationKind
from mqbridge.mappings.selectors import MAX_LENGTH, Selector, SelectorError, compile_selector
from mqbridge.mappings.transformations import Step, StepError, read_steps

from .definitions import RouteDefinition, RouteError, Source, SourceKind
from .placing import PROPERTIES

MAX_ROUTES: Final = 1000
"""Maximum number of routes."""


class RouteTable(Protocol):
    """A ``[[route]]`` table; its keys are documented with the settings of the configuration."""

    name: str
    source: str | None
    topic: str | None
    input: Mapping[str, Any] | None
    when: str | None
    steps: Sequence[Any]
    to: str
    error: str | None
    mcauser: str | None


def read_routes(tables: Iterable[RouteTable]) -> tuple[RouteDefinition, ...]:
    """Return the definitions of routes, in their order. Raises `RouteError`."""
    found: dict[str, RouteDefinition] = {}
    users: dict[Source, str] = {}
    for table in tables:
        if table.name in found:
            raise RouteError(table.name, "name", f"there are two routes {table.name!r}")
        if len(found) >= MAX_ROUTES:
            raise RouteError(table.name, "name", f"more than {MAX_ROUTES} routes")
        route = found[table.name] = _read(table)
        if users.setdefault(route.source, route.user) != route.user:
            text = f"the routes from {route.source.shown} have different users; one of them gets all messages"
            raise RouteError(table.name, "mcauser", text)
    definitions = tuple(found.values())
    _check_order(definitions)
    return definitions


def _read(table: RouteTable) -> RouteDefinition:
    source = _source(table)
    return RouteDefinition(
        name=table.name,
        source=source,
        target=_target(table),
        when=_selector(table),
        steps=_steps(table),
        error=table.error or "",
        user=table.mcauser or "",
    )


def _source(table: RouteTable) -> Source:
    given = [key for key, value in (("from", table.source), ("topic", table.topic), ("input", table.input)) if value]
    if len(given) != 1:
        key = given[1] if given else ""
        raise RouteError(table.name, key, "a route has one source: 'from', 'topic' or 'input'")
    if table.source:
        return Source(SourceKind.QUEUE, table.source)
    if table.topic:
        return Source(SourceKind.TOPIC, table.topic)
    if table.when:
        raise RouteError(table.name, "when", "a route takes every message of its input: nobody else gets them")
    return Source(SourceKind.INPUT, table.name)


def _target(table: RouteTable) -> Destination:
    try:
        target = Destination.parse(table.to)
        for name, _ in target.properties:
            if name.lower() not in PROPERTIES:
                raise DestinationError(f"property {name}: a route applies {', '.join(sorted(PROPERTIES))}")
        _ = target.persistence, target.priority, target.expiry  # each raises an error for a wrong value
    except DestinationError as error:
        raise RouteError(table.name, "to", str(error)) from error
    if target.kind is DestinationKind.TOPIC and any(part in ("#", "+") for part in target.name.split("/")):
        raise RouteError(table.name, "to", f"topic {target.name}: messages are not published to wildcards")
    return target


def _selector(table: RouteTable) -> Selector | None:
    if table.when is None:
        return None
    try:
        return compile_selector(table.when)
    except SelectorError as error:
        raise RouteError(table.name, "when", str(error)) from error


def _steps(table: RouteTable) -> tuple[Step, ...]:
    try:
        return read_steps(table.steps)
    except StepError as error:
        raise RouteError(table.name, "steps", str(error), error.number) from error


def _check_order(definitions: Sequence[RouteDefinition]) -> None:
    """Raise `RouteError` for a route that no message can reach, and for selectors that are too long together."""
    ended: dict[Source, str] = {}
    lengths: dict[Source, int] = {}
    for each in definitions:
        before = ended.get(each.source)
        if before is not None:
            text = f"route {before!r} takes every message of {each.source.shown} before it: it has no 'when'"
            raise RouteError(each.name, "name", text)
        if each.when is None:
            ended[each.source] = each.name
        else:
            lengths[each.source] = lengths.get(each.source, 0) + len(each.when.text) + len(") OR (")
            if lengths[each.source] > MAX_LENGTH:
                text = f"the selectors of the routes from {each.source.shown} exceed {MAX_LENGTH} characters together"
                raise RouteError(each.name, "when", text)
