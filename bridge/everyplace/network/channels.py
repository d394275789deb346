"""What channels give, and what the queues that use them demand (E-258, E-442 to E-445).

A queue that demands more than the channel gives is held with an alarm; others use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.security.attribute_rules import AttributeRule, decide, require, rule_named
from mqbridge.bridge.everyplace.security.attributes import TLS, Attribute, attribute_of
from mqbridge.protocol.everyplace.authenticators import Authenticator
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .settings import Peer

_OVER_CONNECTIONS = (QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD, QueueKind.HOME_SERVER)


class Channels:
    """The channels that a queue manager opens. Its attribute rule decides (E-442)."""

    def __init__(self, manager: QueueManager) -> None:
        self._manager = manager

    def wanted(self, definition: ConnectionDefinition, peer: Peer) -> Attribute:
        """Return what a channel over a new transport shall give: what its definition says, upgraded as queues demand.

        A queue that demands what no upgrade gives does not count. Raises `EveryplaceError` CHNL_ATTRIBUTES for a
        transport that does not give what the definition says.
        """
        channel = Attribute(
            definition.authenticator, TLS if peer.secure else "", definition.compressor, definition.name
        )
        if definition.cryptor and not peer.secure:
            raise EveryplaceError(Code.CHNL_ATTRIBUTES, f"connection {definition.name} demands {definition.cryptor}")
        for wanted in self._needs(definition.name):
            channel = decide(self._rule, channel, wanted).attribute
        return channel

    def check(self, channel: Attribute, queue: Queue) -> None:
        """Check a channel that is open, whose target is the name of its connection, for one queue: the other end may
        not have taken what was offered. Raises `EveryplaceError` CHNL_ATTRIBUTES."""
        if queue.definition.demands:
            wanted = replace(attribute_of(queue.definition), target="")
            require(self._rule, channel, wanted, f"queue {queue}")

    def suffices(self, channel: Attribute) -> bool:
        """Whether a channel that is open is good enough for all that is defined now."""
        return all(self._rule.satisfies(channel, wanted) for wanted in self._needs(channel.target))

    @property
    def _rule(self) -> AttributeRule:
        return rule_named(self._manager.objects.properties.channel_attribute_rule)

    def _needs(self, connection: str) -> Iterator[Attribute]:
        manager = self._manager
        for queue in manager.queues:
            if queue.kind not in _OVER_CONNECTIONS or not queue.definition.demands:
                continue
            if queue.owner != manager.name and manager.routes.find_hop(queue.owner) == connection:
                yield replace(attribute_of(queue.definition), target="")


def strong_enough(authenticators: Sequence[Authenticator], definition: ConnectionDefinition) -> list[Authenticator]:
    """Return the authenticators that give what a connection demands. Raises `EveryplaceError` AUTHENTICATE for none."""
    found = [each for each in authenticators if Attribute(each.name).proves(definition.authenticator)]
    if not found:
        names = ", ".join(each.name for each in authenticators) or "none"
        raise EveryplaceError(
            Code.AUTHENTICATE, f"{definition.name} is to be proved by {definition.authenticator}; there is {names}"
        )
    return found
