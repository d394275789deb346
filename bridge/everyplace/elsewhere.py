"""Messages that are not kept here: for queues of MQ (E-136), or synchronous queues of other queue managers (E-128).

Lanes take batches of them by units of work. Everything is answered by a call, perhaps at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.protocol.everyplace.calls import Browse, ConfirmPut, Outcome, Put, Refused, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address

from .definitions.queue_definition import QueueDefinition
from .definitions.queue_kinds import QueueKind
from .effects import AskPartner, Effect
from .queues.queue import Queue
from .routes import Routes
from .rules.rule_calls import Rules


class TargetElsewhere(NamedTuple):
    """Where a message goes that is not kept here. ``queue``: the bridge queue, or the synchronous queue of another
    queue manager. ``address``: of the message from here on."""

    queue: Queue
    address: Address


class UnitElsewhere(Protocol):
    """A unit of work at one queue manager of MQ, or of Everyplace."""

    def put(self, target: TargetElsewhere, message: Message, then: Callable[[Refused | None], None]) -> None:
        """Put a message under syncpoint. ``then`` gets why it cannot be put; None: it is in the unit.

        Where a message is refused that may be taken later, those behind it for the same queue are refused too.
        """
        ...

    def commit(self, number: int, rows: Sequence[Operation], then: Callable[[bool], None]) -> None:
        """Commit the unit, in which ``number``, that of the batch and its mark, is recorded, and ``rows`` in the store.

        In MQ, where one transaction takes both, they are there together; otherwise the unit comes first, and
        `MqBridge.committed` says after a crash whether it did. Elsewhere ``rows`` come first, and with them what is to
        be done again after a crash. ``then`` gets whether all of it is on disk. If not, the unit may have been
        committed.
        """
        ...

    def back_out(self) -> None:
        """Back the unit out; nothing of it is answered from now on."""
        ...


class Elsewhere:
    """Finds out which messages in transit are not kept here, and makes calls for them. ``admit``: looks at each message
    that is put. ``tell``: gets the effects."""

    __slots__ = ("_admit", "_routes", "_rules", "_store", "_tell")

    def __init__(
        self,
        routes: Routes,
        rules: Rules,
        store: Store,
        admit: Callable[[Queue, Message, str], Sequence[Operation]],
        tell: Callable[[Effect], None],
    ) -> None:
        self._routes = routes
        self._rules = rules
        self._store = store
        self._admit = admit
        self._tell = tell

    def target(self, message: Message, address: Address, peer: str) -> TargetElsewhere | None:
        """Return where a message that ``peer`` has sent goes; None if it stays at this queue manager.

        Raises `EveryplaceError`, which is `Undiscovered` for a queue that a connection may lead to.
        """
        queue, resolved = self._routes.resolve(address)
        if queue.messages is not None or queue.kind not in (QueueKind.MQ_BRIDGE, QueueKind.REMOTE):
            return None
        message.check()
        self._rules.before_put(queue, resolved, message, 0)
        if queue.kind is QueueKind.REMOTE:
            self._admit(queue, message, peer)
            self._routes.hop(queue.owner)
        return TargetElsewhere(queue, resolved)

    def way(self, queue: Queue) -> str:
        """Return the connection over which a synchronous queue is reached. Raises `EveryplaceError` CON_UNKNOWN."""
        return self._routes.hop(queue.owner)

    def ask(self, call: Browse | Put | ConfirmPut | Undo, then: Callable[[Outcome], None]) -> None:
        """Make a call on a synchronous queue, whose address is as it was found by `target`."""
        address = call.address
        try:
            queue, resolved = self._routes.resolve(address)
            if queue.messages is not None or queue.kind is not QueueKind.REMOTE or resolved != address:
                raise EveryplaceError(Code.Q_UNKNOWN, f"{address} leads elsewhere")
        except EveryplaceError:  # the route was changed meanwhile (E-204)
            queue = Queue(QueueDefinition(QueueKind.REMOTE, address), self._store)
        try:
            hop = self._routes.hop(queue.owner)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return

        def answered(outcome: Outcome) -> None:
            if isinstance(outcome, Refused) and outcome.code is Code.Q_UNKNOWN:
                self._routes.forget(queue)
            then(outcome)

        self._tell(AskPartner(hop, call, answered, queue))
