"""A way to MQ: a client connection object that runs, with its programs."""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.everyplace.mq.pool import ProgramPool
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions import queue_properties
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import ANY, QueueDefinition
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.bridge.everyplace.transfer.conversation import Committer
from mqbridge.mappings.everyplace.transformer import Transformer
from mqbridge.mappings.moment import Time
from mqbridge.protocol.everyplace.names import Address


class BridgeHost(Protocol):
    """What the bridge needs from outside. ``gateway``: name of the queue manager of Everyplace."""

    gateway: str
    committer: Committer

    @property
    def now(self) -> Time:
        """Time of the last call from outside, by a clock that advances steadily."""
        ...

    @property
    def date(self) -> float:
        """The same as seconds since 1970."""
        ...

    def alarm(self, name: str, text: str) -> None:
        """Tell an operator. ``name``: of the object that it is about."""
        ...

    def moved(self) -> None:
        """Messages have been placed on queues of Everyplace, or have failed to be."""
        ...

    def transformer(self, name: str) -> Transformer:
        """Return a transformer by name and parameters. Raises `EveryplaceError`."""
        ...


class Way:
    """``connection``: its definition. ``proxy``: the queue manager of MQ that it leads to. ``pool``: its programs.
    ``here``: whether that is the one in this process. ``transformer``: name of the bridge's, for queues without."""

    __slots__ = ("connection", "here", "host", "pool", "proxy", "transformer")

    def __init__(
        self, host: BridgeHost, connection: BridgeDefinition, pool: ProgramPool, transformer: str, *, here: bool
    ) -> None:
        self.host = host
        self.connection = connection
        self.pool = pool
        self.proxy = connection.value(rows.PROXY)
        self.transformer = transformer
        self.here = here

    @property
    def name(self) -> str:
        """Its name in records and texts."""
        return "/".join(self.connection.path)

    def destination(self, target: TargetElsewhere) -> tuple[str, str]:
        """Return queue and queue manager of a put; the latter blank for the proxy itself (E-395, E-406)."""
        return destination(target.queue.definition, target.address, self.proxy)

    def transformer_of(self, target: TargetElsewhere) -> Transformer:
        """Return the transformer of a bridge queue (E-427). Raises `EveryplaceError`."""
        name = target.queue.definition.value(queue_properties.TRANSFORMER)
        return self.host.transformer(name or self.transformer)


def destination(definition: QueueDefinition, address: Address, proxy: str) -> tuple[str, str]:
    """Return queue and queue manager in MQ of an address that a bridge queue takes; see `Way.destination`."""
    queue = definition.value(queue_properties.REMOTE_QUEUE)
    if not queue:
        queue = address.queue if definition.name == ANY else definition.name
    return queue, "" if address.queue_manager == proxy else address.queue_manager
