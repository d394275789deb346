"""Queue managers that this one calls, by the queues that push to them and pull from them."""

from __future__ import annotations

from collections.abc import Iterable

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.initiator import Initiator

from .calling_line import CallingLine
from .channels import Channels, strong_enough
from .context import Context
from .lane_table import lane_of
from .partner import Contact, Partner
from .settings import Peer


class Partners:
    """``by_name``: each by the name of its connection."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.by_name: dict[str, Partner] = {}
        self._channels = Channels(context.manager)
        self._seen: tuple[int, int] | None = None
        self._connections: dict[str, ConnectionDefinition] = {}

    # Connections

    def openings(self) -> list[ConnectionDefinition]:
        """Return the connections to be opened now."""
        found = []
        for partner in self.by_name.values():
            if partner.wants_connection():
                definition = self._context.manager.connections.get(partner.name)
                if definition is None or not definition.adapter:
                    partner.failed(EveryplaceError(Code.CON_UNKNOWN, f"there is no connection {partner.name}"))
                    continue
                partner.contact = Contact.OPENING
                found.append(definition)
        return found

    def opened(self, name: str, peer: Peer) -> CallingLine:
        """The transport of a connection is there. Raises `EveryplaceError` AUTHENTICATE if it must not be used."""
        context, partner = self._context, self.by_name[name]
        definition = context.manager.connections[name]
        try:
            channel = self._channels.wanted(definition, peer)
            authenticators = strong_enough(context.credentials.for_calling(definition, peer), definition)
        except EveryplaceError as error:
            partner.failed(error)
            raise
        offers = (channel.compressor,) if channel.compressor else context.settings.compressors
        initiator = Initiator(context.identity(offers), name, authenticators)
        line = CallingLine(partner, initiator, context)
        partner.opened(line, definition, peer, channel)
        return line

    def partner(self, connection: str) -> Partner:
        """Return the queue manager at the end of a connection."""
        found = self.by_name.get(connection)
        if found is None:
            found = self.by_name[connection] = Partner(connection, self._context, self._channels)
        return found

    # Queues

    def transmit(self, queue: Queue, connection: str, target: str) -> None:
        """A queue has a message for a queue manager, or for any."""
        for each in _targets(queue, target):
            self.partner(connection).push(queue, each)

    def push_again(self, targets: Iterable[str]) -> None:
        """Push what was not pushed while these queue managers pulled (E-132)."""
        for target in targets:
            for queue in self._context.manager.queues:
                if queue.kind is QueueKind.STORE_AND_FORWARD and target in queue.entries:
                    connection = self._context.manager.routes.find_hop(queue.owner)
                    if connection is not None:
                        self.transmit(queue, connection, target)

    def trigger(self) -> None:
        """Try everything now."""
        self.look_at_definitions()
        for partner in self.by_name.values():
            partner.trigger()

    def go_on(self) -> None:
        """Move what can move."""
        manager = self._context.manager
        if self._seen != (manager.queues.changes, manager.objects.connections.changes):
            self.look_at_definitions()
        for partner in self.by_name.values():
            partner.go_on()

    def look_at_definitions(self) -> None:
        """Find the queues that push or pull; those that are new are looked at."""
        manager = self._context.manager
        if self._seen is None:
            self._keep_doubts()
        self._seen = manager.queues.changes, manager.objects.connections.changes
        before, self._connections = self._connections, dict(manager.connections)
        for name, partner in self.by_name.items():
            if self._connections.get(name) is not before.get(name):
                partner.defined_anew()
        lanes: dict[str, set[str]] = {}
        homes: dict[str, set[str]] = {}
        for queue in manager.queues:
            connection = None if queue.owner == manager.name else self._hop(queue)
            if connection is None:
                continue
            partner = self.partner(connection)
            if queue.kind is QueueKind.HOME_SERVER:
                homes.setdefault(connection, set()).add(str(queue))
                partner.pulls.add(queue)
            elif queue.messages is not None:
                for target in _targets(queue, ""):
                    lanes.setdefault(connection, set()).add(lane_of(queue, target))
                    if lane_of(queue, target) not in partner.pushes.lanes:
                        partner.push(queue, target)
        for name, partner in self.by_name.items():
            partner.pushes.keep(lanes.get(name, set()))
            partner.pulls.keep(homes.get(name, set()))
            partner.upgrade()

    def _keep_doubts(self) -> None:
        """Take up what was in doubt at the last end, over the connection that it took, wherever its queue now leads."""
        for partner, queue, target in self._context.lanes.in_doubt():
            definition = self._context.manager.connections.get(partner)
            if definition is not None and definition.adapter:
                self.partner(partner).push(queue, target)
            else:
                text = f"messages of {queue} are in doubt at {partner}, to which no connection leads"
                self._context.alarms.raise_for(("doubt", str(queue), partner), str(queue), text)

    def _hop(self, queue: Queue) -> str | None:
        """Return the connection of a queue; None, with an alarm if it needs one, where there is none."""
        if queue.kind not in (QueueKind.HOME_SERVER, QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD):
            return None
        manager = self._context.manager
        try:
            definition = manager.connections.get(queue.owner)
            if queue.kind is QueueKind.HOME_SERVER and definition is not None and definition.via:
                text = f"{queue} pulls over one hop, and {queue.owner} is reached via {definition.via}"
                raise EveryplaceError(Code.CON_UNKNOWN, text)
            return manager.routes.hop(queue.owner)
        except EveryplaceError as error:
            if queue.kind is QueueKind.HOME_SERVER or (queue.messages is not None and len(queue.messages)):
                self._context.alarms.raise_for(("route", str(queue)), str(queue), error.text)
            return None


def _targets(queue: Queue, target: str) -> list[str]:
    """Return the lanes of a queue: one for each entry of a store-and-forward queue, else one without target."""
    if queue.kind is not QueueKind.STORE_AND_FORWARD:
        return [""]
    return [target] if target else list(queue.entries)
