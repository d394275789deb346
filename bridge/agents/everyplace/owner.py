"""What the bridge of a gateway asks of it (`bridge.BridgeOwner`)."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.queue_manager import QueueManager as MqQueueManager
from mqbridge.mappings.moment import Time
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .mq.calling import Calling
from .mq.program import MqProgram

MakeForeign = Callable[[BridgeDefinition, BridgeDefinition, Calling], MqProgram]


class Owner:
    """The gateway behind a bridge. ``moved``: has its agent go on. ``foreign``: makes programs that are being connected
    to queue managers elsewhere; None: there is no way to one."""

    def __init__(self, host: CarrierHost, foreign: MakeForeign | None = None) -> None:
        self._host = host
        self.foreign = foreign
        self.wake: Callable[[], None] = _nothing

    @property
    def mq(self) -> MqQueueManager:
        """See `BridgeOwner`."""
        return self._host.manager

    @property
    def now(self) -> Time:
        """See `BridgeOwner`."""
        return self._host.now

    def moved(self) -> None:
        """See `BridgeOwner`."""
        self.wake()

    def foreign_program(self, proxy: BridgeDefinition, connection: BridgeDefinition, calling: Calling) -> MqProgram:
        """See `BridgeOwner`. Raises `EveryplaceError` BRIDGE_NOT_RUNNING."""
        if self.foreign is None:
            raise EveryplaceError(Code.BRIDGE_NOT_RUNNING, f"{connection}: there is no way to {proxy}")
        return self.foreign(proxy, connection, calling)


def _nothing() -> None:
    """Do nothing: there is no agent yet."""
