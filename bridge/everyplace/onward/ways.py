"""Where the messages of a lane go that are not kept at this queue manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere, UnitElsewhere
from mqbridge.bridge.everyplace.mq_units import MqBridge
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

if TYPE_CHECKING:
    from .onward import Onward

_ONWARD: Final = ">"
"""Before a connection in the name of a way; none of a bridge begins so."""


class Ways:
    """``target``: where an address leads, see `elsewhere.Elsewhere.target`. ``mq``: None if no bridge leads from here
    to MQ. ``onward``: None if no other queue manager is called."""

    __slots__ = ("_onward", "_target", "mq")

    def __init__(
        self,
        target: Callable[[Message, Address], TargetElsewhere | None],
        mq: MqBridge | None = None,
        onward: Onward | None = None,
    ) -> None:
        self._target = target
        self._onward = onward
        self.mq = mq

    def target(self, message: Message, address: Address) -> TargetElsewhere | None:
        """Return where a message goes; None if it stays here, or has no queue. Raises `EveryplaceError`."""
        try:
            return self._target(message, address)
        except EveryplaceError as error:
            if error.code is not Code.Q_UNKNOWN:
                raise
            return None

    def discover(self, address: Address, then: Callable[[Refused | None], None]) -> None:
        """Look for a queue that a connection leads to; ``then`` gets why there is none (E-317)."""
        if self._onward is None:
            then(Refused(Code.Q_UNKNOWN, f"{address} is not known"))
        else:
            self._onward.discover(address, then)

    def way(self, queue: Queue) -> str:
        """Return a name that is the same for queues whose messages one unit of work takes. Raises `EveryplaceError` if
        there is no way."""
        if queue.kind is not QueueKind.MQ_BRIDGE and self._onward is not None:
            return _ONWARD + self._onward.way(queue)
        if self.mq is None:
            raise EveryplaceError(Code.BRIDGE_NOT_RUNNING, f"{queue}: no bridge leads to MQ")
        return self.mq.way(queue)

    def begin(self, lane: LaneName, way: str) -> UnitElsewhere:
        """Begin a unit of work for a batch of a lane."""
        if way.startswith(_ONWARD):
            assert self._onward is not None, "it has named the way"
            return self._onward.begin(lane)
        assert self.mq is not None, "it has named the way"
        return self.mq.begin(lane)
