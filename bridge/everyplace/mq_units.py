"""The MQ side of a transfer: units of work in which batches are put to queues of MQ (E-136, E-193, O-07).

The engine says what is to be put and when it is committed; the bridge, which its host has made, does it. Everything is
answered by a call, perhaps at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mqbridge.bridge.everyplace.elsewhere import UnitElsewhere
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.protocol.everyplace.calls import Refused


class MqBridge(Protocol):
    """Ways to MQ."""

    def begin(self, lane: LaneName) -> UnitElsewhere:
        """Begin a unit of work for a batch of a lane; the first message decides where."""
        ...

    def way(self, queue: Queue) -> str:
        """Return a name that is the same for bridge queues whose messages one unit of work takes.

        Raises `EveryplaceError` if there is no way to its queue manager.
        """
        ...

    def committed(self, lane: LaneName, then: Callable[[int | Refused | None], None]) -> None:
        """Say which batch of a lane was committed last, by the record that the unit of work wrote beside it.

        ``then`` gets None if there is no such record, so that the local row is right; `Refused` if MQ cannot be asked
        now.
        """
        ...
