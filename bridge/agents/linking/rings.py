"""Rings: links whose messages would come back to them, at one queue manager."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mqbridge.bridge.agents.linking.settings import LinkSettings


class Location(NamedTuple):
    """Where messages are: an address at the provider of an endpoint, or a queue here, whose ``endpoint`` is blank."""

    endpoint: str
    name: str


def find_ring(links: Iterable[tuple[str, LinkSettings]]) -> list[Location]:
    """Return the places of a ring, the first of them again at the end; empty if there is none.

    ``links``: the endpoint of each, and its settings. Places are compared by their names as configured.
    """
    follows: dict[Location, set[Location]] = {}
    for endpoint, settings in links:
        for send in settings.send:
            follows.setdefault(Location("", send.queue), set()).add(Location(endpoint, send.address))
        for receive in settings.receive:
            follows.setdefault(Location(endpoint, receive.address), set()).add(Location("", receive.queue))
    while ends := [place for place, after in follows.items() if not after & follows.keys()]:
        for place in ends:
            del follows[place]
    if not follows:
        return []
    path = [next(iter(follows))]
    while (after := min(follows[path[-1]] & follows.keys())) not in path:
        path.append(after)
    return [*path[path.index(after) :], after]
