"""A message on a bus, with what the bus knows of its destinations."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.message import Message

from .bus import BusDestination
from .routing_paths import PathElement


@dataclass(frozen=True, slots=True)
class BusMessage:
    """A message and its destinations.

    A `Destination` of a bus has the identifier as its name and the bus in place of the queue manager, which is blank
    where it is not known. ``message``: descriptor and data, MQRFH2 included if it has one.
    """

    message: Message
    resolved: BusDestination | None = None
    """Where it goes, aliases replaced; None for a topic."""
    destination: Destination | None = None
    """JMSDestination, as it was given when the message was sent, with the properties of its URI."""
    forward_path: tuple[PathElement, ...] = ()
    """Further destinations on the way there."""
    reply_to: Destination | None = None
    """JMSReplyTo, an alias not replaced, with the properties of its URI."""
    reverse_path: tuple[PathElement, ...] = ()
    """Destinations on the way back, that of the reply first."""
    reply_names: tuple[str, str] | None = None
    """ReplyToQ and ReplyToQMgr that the application has set itself (JMS_IBM_MQMD_*)."""


def bus_destination(destination: Destination | None) -> BusDestination | None:
    """Return bus and identifier of a `Destination` of a bus; None for a topic, and where the bus is not known."""
    if destination is None or destination.kind is DestinationKind.TOPIC or not destination.queue_manager:
        return None
    return BusDestination(destination.queue_manager, destination.name)
