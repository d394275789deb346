"""Rings: routes whose messages would come back to them.

Names are resolved as definitions are now: through aliases, remote queues that lead home, transmission queues, and
subscriptions to the topics that routes publish to. Definitions that are altered later can still make a ring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.pubsub.wildcards import make_pattern
from mqbridge.mappings.destinations import DestinationKind

from .definitions import RouteDefinition, RouteError, SourceKind


def check_rings(routes: Sequence[RouteDefinition], manager: QueueManager) -> None:
    """Raise `RouteError` if messages of a route can come back to it by routes, or by their error queues."""
    follows = {route.name: _following(route, routes, manager) for route in routes}
    key_of = {(name, after): key for name, found in follows.items() for after, key in found}
    done: set[str] = set()
    for route in routes:
        ring = _ring([route.name], {name: [after for after, _ in found] for name, found in follows.items()}, done)
        if ring is not None:
            key = key_of[ring[0], ring[1]]
            raise RouteError(ring[0], key, f"messages go round: {' → '.join(ring)}")


def _ring(path: list[str], follows: dict[str, list[str]], done: set[str]) -> list[str] | None:
    """Return a ring that a path leads to, its first route repeated at its end."""
    stack: list[Iterator[str]] = [iter(follows[path[-1]])]
    while stack:
        after = next(stack[-1], None)
        if after is None:
            stack.pop()
            done.add(path.pop())
        elif after in path:
            return [*path[path.index(after) :], after]
        elif after not in done:
            path.append(after)
            stack.append(iter(follows[after]))
    return None


def _following(
    route: RouteDefinition, routes: Sequence[RouteDefinition], manager: QueueManager
) -> list[tuple[str, str]]:
    """Return the routes that get what a route puts, and the key of the configuration that names the target."""
    target = route.target
    queues: set[str] = set()
    topics: set[str] = set()
    if target.kind is DestinationKind.TOPIC:
        topics.add(target.name)
    else:
        _resolve(manager, target.name, target.queue_manager, queues, topics)
    errors: set[str] = set()
    if route.error:
        _resolve(manager, route.error, "", errors, topics)
    for subscription in manager.objects.select(Kind.SUB) if topics else ():
        characters = subscription.text("WSCHEMA") == "CHAR"
        if any(_matches(subscription.text("TOPICSTR"), topic, characters=characters) for topic in topics):
            _resolve(manager, subscription.text("DEST"), subscription.text("DESTQMGR"), queues, set())
    found = []
    for other in routes:
        kind, name = other.source
        if kind is SourceKind.QUEUE:
            sources: set[str] = set()
            _resolve(manager, name, "", sources, set())
            if sources & queues:
                found.append((other.name, "to"))
            elif sources & errors:
                found.append((other.name, "error"))
        elif kind is SourceKind.TOPIC and any(_matches(name, topic) for topic in topics):
            found.append((other.name, "to"))
    return found


def _resolve(manager: QueueManager, name: str, queue_manager: str, queues: set[str], topics: set[str]) -> None:
    """Add the queue that two names lead to, or the topic; a name without a definition leads to itself."""
    try:
        target = manager.target(name, queue_manager)
    except MQError:
        queues.add(name)
        return
    if target.topic is not None:
        topics.add(target.topic)
    elif target.queue is not None:
        queues.add(target.queue.name)


def _matches(wanted: str, topic: str, *, characters: bool = False) -> bool:
    pattern = make_pattern(wanted, characters=characters)
    return pattern == topic if isinstance(pattern, str) else pattern.matches(topic)
