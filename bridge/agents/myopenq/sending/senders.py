"""The senders of a queue manager's remote queues: made at the start and with their queues, ended with them."""

from __future__ import annotations

from collections.abc import Iterable

from mqbridge.bridge.agents.gateway.carriers import Carriers
from mqbridge.protocol.myopenq import Create, Stamps

from .context import SendingContext
from .definition import RemoteQueue
from .sender import Sender
from .stamps_on_disk import read_stamped, write_stamped


class Senders:
    """A sender for each remote queue (M-101); the `Follower` of their definitions.

    ``queues``: those that there are. It must be made before any program can get messages, since senders hold those in
    doubt at once. Raises `StoreDamaged`.
    """

    def __init__(self, carriers: Carriers, context: SendingContext, queues: Iterable[Create]) -> None:
        self._carriers = carriers
        self._context = context
        highest, stamped = read_stamped(context.host.manager.store)
        context.stamps = Stamps(highest)
        self._senders: dict[str, Sender] = {}
        for each in queues:
            self._add(Sender(context, RemoteQueue.of(each), stamped.pop(each.queue, [])))
        if stamped:
            context.host.manager.submit([write_stamped(each, ()) for each in stamped])

    def _add(self, sender: Sender) -> None:
        self._senders[sender.name] = sender
        self._carriers.add(sender)

    def created(self, queue: Create) -> None:
        """A remote queue was made, or stays after all: start its sender at once (M-061)."""
        context = self._context
        _, stamped = read_stamped(context.host.manager.store)
        sender = Sender(context, RemoteQueue.of(queue), stamped.get(queue.queue, []))
        self._add(sender)
        sender.start(context.host.now)

    def deleting(self, name: str) -> None:
        """A queue is to be deleted: end its sender first (M-062)."""
        sender = self._senders.pop(name, None)
        if sender is not None:
            self._carriers.remove(sender)
            sender.leave(self._context.host.now)
