"""From a bus to MQ: MQXQH, descriptor and URIs of a message (jms-mapping.md 8.2)."""

from __future__ import annotations

from mqbridge.mappings.destination_texts import conforms
from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.mq import TransmittedMessage
from mqbridge.protocol.constants import MQFMT, MQRC
from mqbridge.protocol.constants.lengths import MQ_Q_NAME_LENGTH

from .bus import Bus, BusDestination, BusError
from .bus_message import BusMessage, bus_destination
from .message_uris import renamed, with_reply_names, with_uris
from .routing_paths import PathElement, write_path


def to_mq(bus: Bus, given: BusMessage) -> TransmittedMessage:
    """Return the message as it leaves the bus, with the names of its MQXQH, blank for a topic.

    A message with an MQRFH2 gets the URIs of its destinations with their routing paths there. Raises `BusError`.
    """
    queue, queue_manager = ("", "") if given.resolved is None else send_names(bus, given.resolved)
    reply_to, reply_names = given.reply_to, given.reply_names
    if reply_to is not None and reply_to.kind is DestinationKind.QUEUE:
        if reply_names is None:
            reply_names = reply_names_of(bus, reply_to)
            reply_to = renamed(reply_to, *reply_names)
        else:
            reply_to = _in_mq(bus, reply_to)
    message = with_reply_names(given.message, *(reply_names or ("", "")))
    if message.md.format == MQFMT.RF_HEADER_2:
        destination = given.destination
        if destination is not None:
            destination = _with_path(_in_mq(bus, destination), given.forward_path)
        if reply_to is not None:
            reply_to = _with_path(reply_to, _behind_first(given))
        message = with_uris(message, destination, reply_to)
    return TransmittedMessage(message, queue, queue_manager)


def send_names(bus: Bus, resolved: BusDestination) -> tuple[str, str]:
    """Return RemoteQName and RemoteQMgrName of a resolved destination; raises `BusError`."""
    if resolved.bus == bus.name:
        raise BusError(f"{resolved} is not behind the link of that bus", bus.name, reason=MQRC.UNKNOWN_REMOTE_Q_MGR)
    if not bus.knows(resolved.bus):
        raise BusError(f"bus {bus.name} does not know bus {resolved.bus}", bus.name, reason=MQRC.UNKNOWN_REMOTE_Q_MGR)
    queue, queue_manager = bus.mq_names(resolved)
    if not conforms(queue_manager):
        if queue_manager == resolved.bus:
            raise BusError(
                f"bus {queue_manager!r} needs a virtual queue manager, under whose name bus {bus.name} defines it",
                bus.name,
            )
        raise BusError(f"no queue manager can be called {queue_manager!r}", bus.name)
    if not (conforms(queue) or _conforms_in_parts(resolved, bus)):
        raise BusError(
            f"bus {resolved.bus} needs an alias with a name of MQ for {resolved.identifier!r}", resolved.bus, resolved
        )
    return queue, queue_manager


def _conforms_in_parts(resolved: BusDestination, bus: Bus) -> bool:
    """Return whether an identifier for an indirect bus is a queue at a queue manager that MQ can name."""
    queue, _, queue_manager = resolved.identifier.partition("@")
    within = len(resolved.identifier) <= MQ_Q_NAME_LENGTH and resolved.bus != bus.direct
    return within and conforms(queue) and conforms(queue_manager)


def reply_names_of(bus: Bus, reply_to: Destination) -> tuple[str, str]:
    """Return ReplyToQ and ReplyToQMgr of a reply destination: itself or an alias, on the local bus.

    Raises `BusError` for a foreign destination, or a name that MQ cannot have, without an alias.
    """
    target = bus_destination(reply_to) or BusDestination(bus.name, reply_to.name)
    if target.bus == bus.name and conforms(target.identifier):
        return target.identifier, bus.mq_name
    alias = bus.alias_of(target)
    if alias is None:
        raise BusError(
            f"bus {bus.name} needs an alias with a name of MQ for the reply destination {target}", bus.name, target
        )
    return alias, bus.mq_name


def _in_mq(bus: Bus, destination: Destination) -> Destination:
    """Return a destination with names of MQ; one whose bus is not known stays as it is."""
    found = bus_destination(destination)
    return destination if found is None else renamed(destination, *bus.mq_names(found))


def _behind_first(given: BusMessage) -> tuple[PathElement, ...]:
    """Return the reverse path without the reply destination itself."""
    path = given.reverse_path
    return path[1:] if path and path[0] == bus_destination(given.reply_to) else path


def _with_path(destination: Destination, path: tuple[PathElement, ...]) -> Destination:
    text = write_path(path)
    if text == (destination.routing_path or ""):
        return destination
    return destination.with_property("ibmRoutingPath", text or None)
