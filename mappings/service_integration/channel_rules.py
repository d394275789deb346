"""What a bus does to messages on its channels, where its destinations are queues of our queue manager.

On our queues a message names queues: ours where its destination is on the bus, else those of a foreign bus or queue
manager. The routing paths stay in the URIs, so no hop loses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from mqbridge.mappings.destination_texts import conforms
from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import TransmittedMessage
from mqbridge.protocol.constants import MQFMT, MQRC

from .bus import Bus, BusDestination, BusError
from .bus_message import BusMessage, bus_destination
from .from_mq import from_mq, on_bus
from .message_uris import renamed, uris_of, with_reply_names, with_uris
from .routing_paths import read_path
from .to_mq import send_names, to_mq

_BUS_TO_MQ: Final = "jms-mapping.md 8.2"


class LinkNames(NamedTuple):
    """Names in the MQXQH of a message that leaves a bus, and the section that decides them."""

    remote_q_name: str
    remote_q_mgr_name: str
    section: str = _BUS_TO_MQ

    def __str__(self) -> str:
        return f"RemoteQName {self.remote_q_name}, RemoteQMgrName {self.remote_q_mgr_name} ({self.section})"


class ChannelRules:
    """The rules of one bus for the channels of one queue manager.

    ``queues``: queues by identifiers of the bus; an identifier that is not among them is a queue of the same name.
    """

    __slots__ = ("_identifiers", "_queues", "bus", "queue_manager")

    def __init__(self, bus: Bus, queue_manager: str, queues: Mapping[str, str]) -> None:
        self.bus = bus
        self.queue_manager = queue_manager
        self._queues = dict(queues)
        self._identifiers = {queue: each for each, queue in sorted(queues.items(), key=lambda pair: conforms(pair[0]))}

    # In

    def received(self, arrived: TransmittedMessage) -> TransmittedMessage:
        """Return a message that a channel has received as it is put: names, descriptor and URIs.

        Raises `BusError` for a destination that no queue can have as its name.
        """
        bus, name = self.bus, arrived.remote_q_name
        manager = bus.name if arrived.remote_q_mgr_name == self.queue_manager else arrived.remote_q_mgr_name
        given = from_mq(bus, TransmittedMessage(arrived.message, name, manager))
        queue, queue_manager = name, manager
        if given.resolved is not None:
            queue, queue_manager = self._place(given.resolved)
            if not conforms(queue):
                raise BusError(
                    f"bus {bus.name} has no destination {name!r} that is a queue",
                    bus.name,
                    given.resolved,
                    MQRC.UNKNOWN_OBJECT_NAME,
                )
        return TransmittedMessage(self._on_our_queue(given), queue, queue_manager)

    def _on_our_queue(self, given: BusMessage) -> Message:
        message = given.message
        first = given.reverse_path[0] if message.md.reply_to_q else None
        if isinstance(first, BusDestination) and first.bus == self.bus.name:
            message = with_reply_names(message, *self._place(self.bus.resolve(first)))
        if message.md.format != MQFMT.RF_HEADER_2:
            return message
        sent, reply = uris_of(message)
        return with_uris(
            message,
            None if sent is None else self._placed(given.destination),
            None if reply is None else self._placed(given.reply_to),
        )

    def _place(self, resolved: BusDestination) -> tuple[str, str]:
        """Return queue and queue manager of a destination."""
        if resolved.bus == self.bus.name:
            return self._queues.get(resolved.identifier, resolved.identifier), self.queue_manager
        return self.bus.mq_names(resolved)

    def _placed(self, destination: Destination | None) -> Destination | None:
        found = bus_destination(destination)
        if found is None or destination is None:
            return destination
        return renamed(destination, *self._place(self.bus.resolve(found)))

    # Out

    def sent(self, leaving: TransmittedMessage) -> TransmittedMessage:
        """Return a message of a transmission queue as a channel sends it; raises `BusError`."""
        message = leaving.message
        destination, reply_to = uris_of(message)
        if destination is not None and destination.queue_manager:
            destination = self._on_bus(destination)
        md = message.md
        names = (md.reply_to_q, md.reply_to_q_mgr) if md.reply_to_q else None
        if reply_to is not None and reply_to.kind is DestinationKind.QUEUE:
            if names is not None and self._same_queue(reply_to, *names):
                names = None
            reply_to = self._on_bus(reply_to)
        elif reply_to is None and names is not None and self._is_ours(names[1]):
            reply_to, names = self._on_bus(Destination(DestinationKind.QUEUE, *names)), None
        given = BusMessage(
            message,
            resolved=self.bus.addressed(leaving.remote_q_name, leaving.remote_q_mgr_name),
            destination=destination,
            forward_path=() if destination is None else read_path(destination.routing_path),
            reply_to=reply_to,
            reverse_path=() if reply_to is None else read_path(reply_to.routing_path),
            reply_names=names,
        )
        return to_mq(self.bus, given)

    def _is_ours(self, queue_manager: str) -> bool:
        return queue_manager in ("", self.queue_manager) or self.bus.is_local(queue_manager)

    def _same_queue(self, reply_to: Destination, queue: str, queue_manager: str) -> bool:
        """Return whether the URI and the descriptor name the same reply queue, so that no program set the latter."""
        same = reply_to.queue_manager == queue_manager or (
            self._is_ours(reply_to.queue_manager) and self._is_ours(queue_manager)
        )
        return same and reply_to.name == queue

    def _on_bus(self, destination: Destination) -> Destination:
        """Return a destination of ours, or of a foreign bus or queue manager, as one of the bus."""
        if destination.kind is DestinationKind.QUEUE and self._is_ours(destination.queue_manager):
            identifier = self._identifiers.get(destination.name, destination.name)
            return renamed(destination, identifier, self.bus.name)
        return on_bus(self.bus, destination)

    def explain(self, queue: str, queue_manager: str) -> LinkNames:
        """Return the names with which a message for a queue leaves the bus; raises `BusError`."""
        return LinkNames(*send_names(self.bus, self.bus.addressed(queue, queue_manager)))
