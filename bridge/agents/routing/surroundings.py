"""What steps know of the queue manager, and the limits that it sets them."""

from __future__ import annotations

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.mappings.moment import Time
from mqbridge.mappings.transformations import Limits, Surroundings
from mqbridge.mappings.tree import EnteredBy


def surroundings_of(host: CarrierHost, queue: str, now: Time, entered_by: EnteredBy = "queue") -> Surroundings:
    """Return what steps know besides a message that was got from a queue, or came in by another transport."""
    manager = host.manager
    return Surroundings(
        ccsid=manager.objects.manager.integer("CCSID"),
        queue_manager=manager.name,
        queue=queue,
        now=now,
        formats=manager.formats,
        entered_by=entered_by,
    )


def limits_of(host: CarrierHost) -> Limits:
    """Return the limits of messages after a step: MAXMSGL of the queue manager."""
    return Limits(length=host.manager.objects.manager.integer("MAXMSGL"))
