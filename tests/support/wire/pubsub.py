"""Topics by the bytes of clients: the calls of `PubSubHost` that publish, subscribe and consume.

One program publishes, in its unit of work or outside; another one has all subscriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.connections import Connection
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, ByteOrder
from support.queue_manager.pubsub_host import body_of
from support.wire.host import Client, WireHost


@dataclass(slots=True, eq=False)
class Subscribed:
    """Handles of a subscription and of its queue."""

    subscription: int
    queue: int


class WirePubSub(WireHost):
    """A host whose programs are clients."""

    publisher: Client
    subscriber: Client

    def open_doors(self) -> None:
        super().open_doors()
        self.publisher, self.subscriber = Client(self), Client(self)
        self._topics: dict[str, int] = {}

    def restart(self, *after: float) -> QueueManager:
        return super().restart(*after or (10.0,))

    @property
    def pubsub(self) -> Any:
        return self.queue_manager.pubsub

    def begin(self) -> object:  # type: ignore[override]
        return self

    def commit(self, unit: object, *extra: Any) -> None:
        assert self.publisher.does(self.publisher.calls.commit()) == 0

    def backout(self, unit: object) -> None:
        assert self.publisher.does(self.publisher.calls.backout()) == 0

    def publish(
        self, topic: str, data: bytes, unit: object = None, *, options: int = 0, **fields: Any
    ) -> tuple[int, Any]:
        client = self.publisher
        if topic not in self._topics:
            self._topics[topic] = client.does(client.calls.open_topic(topic, int(MQOO.OUTPUT)))
        bits = options | int(MQPMO.NO_SYNCPOINT if unit is None else MQPMO.SYNCPOINT)
        return client.does(client.calls.put(self._topics[topic], data, bits, **fields))

    def subscribe(self, topic: str, options: int, *, name: str = "") -> Subscribed:
        client = self.subscriber
        return Subscribed(*client.does(client.calls.subscribe(topic, options, name)))

    def close(self, handle: Subscribed, options: int = 0) -> None:  # type: ignore[override]
        client = self.subscriber
        assert client.does(client.calls.close(handle.queue)) == 0
        assert client.does(client.calls.close(handle.subscription, options)) == 0

    def waiting(self, handle: Subscribed) -> int:
        """Messages on the queue of a subscription."""
        (program,) = [each for each in self.programs() if handle.queue in each.handles]
        opened: Any = program.handles.get(handle.queue)
        return int(opened.target.queue.visible)

    def programs(self) -> list[Connection]:
        """The subscriber's connection, as the queue manager has it."""
        end: Any = self.subscriber.line.connection.conversation
        return [program.session._connection for program in end.shared.programs.values()]

    def bodies(self, handle: Subscribed) -> list[bytes]:
        client, found = self.subscriber, []
        options = int(MQGMO.PROPERTIES_FORCE_MQRFH2)
        while (taken := client.does(client.calls.take(handle.queue, options))) is not None:
            found.append(body_of(Message(taken.md.build(), taken.data, order=ByteOrder.LITTLE, ccsid=819)))
        return found
