"""A scripted provider, Artemis-like: queues, a cache of ids for each address, unsettled messages delivered again.

What is durable is on its disk some time after it has come; only then its sender learns that it was accepted. A
settlement may be on disk later still, so a broker that dies delivers messages again that were settled.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable
from random import Random

from mqbridge.bridge.agents.linking.message_ids import DUPLICATE_ID
from mqbridge.bridge.agents.linking.provider import Accepted, DeliveryState, Modified, Rejected, Released
from mqbridge.mappings.amqp import AmqpMessage


def digest_of(message: AmqpMessage) -> bytes:
    """SHA-256 of what stands for the bare message."""
    bare = message.properties, sorted(message.application_properties.items()), message.body
    return hashlib.sha256(repr(bare).encode()).digest()


class BrokerQueue:
    """One address. ``cache``: ids of messages that it has had, the newest last."""

    def __init__(self, id_cache: int) -> None:
        self.messages: deque[AmqpMessage] = deque()
        self.cache: dict[str, None] = {}
        self.id_cache = id_cache
        self.consumers: list[Callable[[], None]] = []

    def has_had(self, identifier: str) -> bool:
        """Whether a message with this id has come; remembers it."""
        if identifier in self.cache:
            return True
        self.cache[identifier] = None
        if len(self.cache) > self.id_cache:
            del self.cache[next(iter(self.cache))]
        return False

    def changed(self) -> None:
        for each in list(self.consumers):
            each()


class Broker:
    """Queues by address. ``outcome``: what it says of a message, None for accepting it. ``knows_ids``: whether it drops
    messages whose ids it has had."""

    def __init__(self, random: Random, *, id_cache: int = 20_000, knows_ids: bool = True) -> None:
        self.random = random
        self.id_cache = id_cache
        self.knows_ids = knows_ids
        self.queues: dict[str, BrokerQueue] = {}
        self.dead: list[AmqpMessage] = []
        self.outcome: Callable[[AmqpMessage], DeliveryState | None] = lambda _: None
        self.duplicates = 0
        self.lives = 1
        self._settled: list[tuple[float, BrokerQueue, AmqpMessage]] = []

    def queue(self, address: str) -> BrokerQueue:
        """The queue of an address, made when first asked for."""
        if address not in self.queues:
            self.queues[address] = BrokerQueue(self.id_cache)
        return self.queues[address]

    def put(self, address: str, message: AmqpMessage) -> DeliveryState:
        """Takes a message that is now on disk; its outcome."""
        queue = self.queue(address)
        refusal = self.outcome(message)
        if refusal is not None:
            return refusal
        identifier = message.application_properties.get(DUPLICATE_ID)
        if self.knows_ids and isinstance(identifier, str) and queue.has_had(identifier):
            self.duplicates += 1
            return Accepted()
        queue.messages.append(message)
        queue.changed()
        return Accepted()

    def put_here(self, address: str, message: AmqpMessage) -> None:
        """A program of the provider puts a message."""
        queue = self.queue(address)
        queue.messages.append(message)
        queue.changed()

    def settle(self, queue: BrokerQueue, message: AmqpMessage, state: DeliveryState, now: float) -> None:
        """A consumer has settled a message."""
        if isinstance(state, Accepted):
            self._settled.append((now, queue, message))
        elif isinstance(state, Rejected) or (isinstance(state, Modified) and state.undeliverable_here):
            self.dead.append(message)
        else:
            failed = isinstance(state, Modified) and state.delivery_failed
            self.give_back(queue, [message._replace(delivery_count=message.delivery_count + failed)])
        assert isinstance(state, Accepted | Rejected | Modified | Released)

    def give_back(self, queue: BrokerQueue, messages: list[AmqpMessage]) -> None:
        """Messages that were delivered and not settled, in the order of their deliveries."""
        queue.messages.extendleft(reversed(messages))
        queue.changed()

    def died(self, now: float, lag: float) -> None:
        """It is killed: what is not durable is gone, and the last settlements (``lag`` seconds) with it."""
        self.lives += 1
        for queue in self.queues.values():
            queue.messages = deque(each for each in queue.messages if each.durable)
        for at, queue, message in reversed(self._settled):
            if at >= now - lag and message.durable:
                queue.messages.appendleft(message._replace(delivery_count=0))
        self._settled.clear()

    def forget_settled(self, before: float) -> None:
        """Settlements before a time are on disk."""
        self._settled = [each for each in self._settled if each[0] >= before]
