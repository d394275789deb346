"""The MQ side of a transfer: units of work in which batches are put to queues of MQ (E-136, E-193, O-07).

The engine says what is to be put and when it is committed; the bridge, which its host has made, does it. Everything is
answered by a call, perhaps at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.transfer.lane_records import LaneName
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.everyplace.calls import Refused
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address


class MqTarget(NamedTuple):
    """Where a message for MQ goes. ``queue``: the bridge queue. ``address``: of the message from here on."""

    queue: Queue
    address: Address


class MqUnit(Protocol):
    """A unit of work at one queue manager of MQ."""

    def put(self, target: MqTarget, message: Message, then: Callable[[Refused | None], None]) -> None:
        """Put a message under syncpoint. ``then`` gets why it cannot be put; None: it is in the unit.

        Where a message is refused that may be taken later, those behind it for the same queue are refused too.
        """
        ...

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        """Commit the unit, in which ``number``, that of the batch and its mark, is recorded, and ``rows`` in the store.

        Where one transaction takes both, they are there together; otherwise the unit comes first, and
        `MqBridge.committed` says after a crash whether it did. ``then`` gets whether all of it is on disk. If not, the
        unit may have been committed.
        """
        ...

    def back_out(self) -> None:
        """Back the unit out; nothing of it is answered from now on."""
        ...


class MqBridge(Protocol):
    """Ways to MQ."""

    def begin(self, lane: LaneName) -> MqUnit:
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


class ToMq(NamedTuple):
    """What a receiving lane needs to place messages in MQ. ``target``: where an address leads, None if to a queue of
    this queue manager; raises `EveryplaceError`."""

    bridge: MqBridge
    target: Callable[[Message, Address], MqTarget | None]
