"""From MQ to a bus: destinations and paths of a message that arrives (jms-mapping.md 8.3)."""

from __future__ import annotations

from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.mq import TransmittedMessage

from .bus import Bus, BusDestination
from .bus_message import BusMessage, bus_destination
from .message_uris import renamed, uris_of
from .routing_paths import PathElement, read_path


def from_mq(bus: Bus, arrived: TransmittedMessage) -> BusMessage:
    """Return a message of MQ with its destinations on the bus.

    ``arrived``: the message behind its MQXQH; names are blank where there was none.
    """
    message = arrived.message
    sent_to = delivery = None
    if arrived.remote_q_name:
        name, manager = arrived.remote_q_name, arrived.remote_q_mgr_name
        sent_to = BusDestination(bus.name if bus.is_local(manager) or not manager else manager, name)
        delivery = bus.resolve(sent_to)
    destination, reply_to = uris_of(message)
    forward_path = read_path(destination.routing_path) if destination is not None else ()
    if destination is not None:
        destination = on_bus(bus, destination)
    elif sent_to is not None:
        destination = Destination(DestinationKind.QUEUE, sent_to.identifier, sent_to.bus)
    md = message.md
    first = bus.addressed(md.reply_to_q, md.reply_to_q_mgr) if md.reply_to_q else None
    reverse_path: tuple[PathElement, ...] = () if first is None else (first,)
    if reply_to is not None:
        reverse_path += read_path(reply_to.routing_path)
        reply_to = on_bus(bus, reply_to) if first is None else renamed(reply_to, first.identifier, first.bus)
    elif first is not None:
        reply_to = Destination(DestinationKind.QUEUE, first.identifier, first.bus)
    return BusMessage(message, delivery, destination, forward_path, reply_to, reverse_path)


def on_bus(bus: Bus, destination: Destination) -> Destination:
    """Return a destination of MQ as one of the bus; without a queue manager its bus is not known."""
    found = bus_destination(destination)
    if found is None:
        return destination
    target = bus.addressed(found.identifier, found.bus)
    return renamed(destination, target.identifier, target.bus)
