"""What other queue managers may do with the queues of this one: the access list (mqe.md 19)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address

from .definitions.queue_kinds import Operation

FOR_ALL: Final = Operation.PUT | Operation.CONFIRM_PUT | Operation.UNDO
"""What everybody may do who may connect: put messages, in two steps if need be, and give up the second."""


class Access(Protocol):
    """An access list."""

    def check(self, peer: str, operation: Operation, address: Address) -> None:
        """Check what a queue manager wants to do with a queue. Raises `EveryplaceError` NOT_ALLOWED."""
        ...


class Everybody:
    """No access list: everybody who may connect may do everything."""

    def check(self, peer: str, operation: Operation, address: Address) -> None:
        """Allow it."""


class Grant(NamedTuple):
    """``peers``: those that may; none: all. ``queue``: its name. ``operations``: what they may do with it."""

    queue: str
    operations: Operation
    peers: frozenset[str] = frozenset()


class AccessList:
    """What is granted beside `FOR_ALL`."""

    def __init__(self, grants: Iterable[Grant] = ()) -> None:
        self._grants: dict[str, list[Grant]] = {}
        for each in grants:
            self._grants.setdefault(each.queue, []).append(each)

    def check(self, peer: str, operation: Operation, address: Address) -> None:
        """See `Access.check`."""
        if operation in FOR_ALL:
            return
        for each in self._grants.get(address.queue, ()):
            if operation in each.operations and (not each.peers or peer in each.peers):
                return
        word = (operation.name or "").lower().replace("_", " ")
        raise EveryplaceError(Code.NOT_ALLOWED, f"{peer} may not {word} on {address}; its access list has no such line")
