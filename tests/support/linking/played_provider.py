"""A provider that follows the requests of a link on a `Stand` and knows what it has: for models of a link."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from mqbridge.bridge.agents.gateway.effects import AbandonProvider, ConnectToProvider
from mqbridge.bridge.agents.linking.message_ids import DUPLICATE_ID
from mqbridge.bridge.agents.linking.provider import (
    Accepted,
    Attached,
    Credit,
    DeliveryState,
    Lost,
    Modified,
    Opened,
    Outcome,
    Received,
    Refused,
    Rejected,
)
from mqbridge.mappings.amqp import AmqpMessage

from .broker import digest_of
from .stand import STOCK_IN, NotedConnection, Stand


class PlayedProvider:
    """``had``: bodies that it has taken, each once. ``queue``: what waits for the link. ``dead``: what the link has
    rejected. ``unsettled``: sent by the link, without an outcome. ``delivered``: to the link, not settled by it.
    ``settled``: accepted by the link on this connection, oldest first; the last may be lost with the connection."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        self.had: Counter[bytes] = Counter()
        self.queue: deque[AmqpMessage] = deque()
        self.dead: list[AmqpMessage] = []
        self._ids: set[object] = set()
        self._number = 0
        self.wants_connection = self.connected = False
        self._clear()

    def _clear(self) -> None:
        self.senders: dict[int, int] = {}
        self.receivers: dict[int, int] = {}
        self.unsettled: list[tuple[int, bytes, AmqpMessage]] = []
        self.delivered: dict[int, AmqpMessage] = {}
        self.settled: list[AmqpMessage] = []
        self._taken: set[bytes] = set()

    # The connection

    def follow(self) -> None:
        """Do what the link has asked for, until it asks for nothing more."""
        stand = self.stand
        while True:
            for effect in stand.effects:
                if isinstance(effect, ConnectToProvider):
                    self.wants_connection = True
                elif isinstance(effect, AbandonProvider):
                    self.wants_connection = False
                    self.lose(told=False)
            stand.effects.clear()
            asked, stand.connection.asked = stand.connection.asked, []
            if not asked:
                return
            for name, *arguments in asked if self.connected else ():
                getattr(self, f"_{name}")(*arguments)

    def connect(self) -> None:
        """The connection is made and opened."""
        stand = self.stand
        self.wants_connection, self.connected = False, True
        stand.connection = NotedConnection()
        stand.link.connected(stand.connection, stand.now)
        self.tell(Opened("broker", anonymous_relay=True))

    def refuse(self) -> None:
        """No connection can be made."""
        self.wants_connection = False
        self.tell(Lost("refused"))

    def lose(self, settlements: int = 0, *, told: bool = True) -> None:
        """The connection ends; so many of the last settlements were not written, and their messages come again."""
        if not self.connected:
            return
        self.connected = False
        lost = self.settled[len(self.settled) - settlements :] if settlements else []
        self._return([*lost, *self.delivered.values()])
        self._clear()
        if told:
            self.tell(Lost("cut"))

    def tell(self, *events: Any) -> None:
        """The link learns of events."""
        self.stand.receive(*events)
        self.follow()

    def _return(self, messages: Sequence[AmqpMessage]) -> None:
        self.queue.extendleft(reversed([each for each in messages if each.durable]))

    # What the link asks for

    def _attach_sender(self, handle: int, address: str) -> None:
        assert address == STOCK_IN
        self.senders[handle] = 0
        self.tell(Attached(handle, address=address))

    def _attach_receiver(self, handle: int, address: str) -> None:
        self.receivers[handle] = 0
        self.tell(Attached(handle, address=address))

    def _grant_credit(self, handle: int, number: int) -> None:
        assert number > 0
        self.receivers[handle] += number

    def _send(self, handle: int, tag: bytes, message: AmqpMessage) -> None:
        assert self.senders[handle] > 0, "sent without credit"
        self.senders[handle] -= 1
        assert tag not in [each[1] for each in self.unsettled]
        self.unsettled.append((handle, tag, message))

    def _settle(self, delivery: int, state: DeliveryState) -> None:
        message = self.delivered.pop(delivery)
        if isinstance(state, Accepted):
            self.settled.append(message)
        elif isinstance(state, Rejected) or (isinstance(state, Modified) and state.undeliverable_here):
            self.dead.append(message)
        else:
            self._return([message])

    def _detach(self, handle: int) -> None:
        self._end(handle)

    def _close(self) -> None:
        self.lose()

    def _end(self, handle: int) -> None:
        self.senders.pop(handle, None)
        self.unsettled = [each for each in self.unsettled if each[0] != handle]
        if self.receivers.pop(handle, None) is not None:
            self._return(list(self.delivered.values()))
            self.delivered.clear()

    # What it does by itself

    def end(self, handle: int) -> None:
        """It ends one end of the link."""
        self._end(handle)
        self.tell(Refused(handle, "amqp:resource-deleted"))

    def give_credit(self, number: int) -> None:
        """It takes so many more messages."""
        for handle in self.senders:
            self.senders[handle] = number
            self.tell(Credit(handle, number))

    def take(self, index: int) -> None:
        """It takes a message that was sent, unless it has had it; the link does not learn of it yet."""
        _, tag, message = self.unsettled[index]
        if tag in self._taken:
            return
        self._taken.add(tag)
        identifier = message.application_properties.get(DUPLICATE_ID)
        if identifier is None or identifier not in self._ids:
            assert isinstance(message.body, bytes)
            self.had[message.body] += 1
        if identifier is not None:
            self._ids.add(identifier)

    def has_taken(self, index: int) -> bool:
        """Whether it has taken a message that was sent."""
        return self.unsettled[index][1] in self._taken

    def has_had(self, index: int) -> bool:
        """Whether it knows the id of a message that was sent."""
        return self.unsettled[index][2].application_properties.get(DUPLICATE_ID) in self._ids

    def settle(self, index: int, state: DeliveryState) -> None:
        """It states the outcome of a message that was sent."""
        handle, tag, _ = self.unsettled.pop(index)
        self.tell(Outcome(handle, tag, state))

    def deliver(self, number: int) -> None:
        """It delivers messages, as far as there is credit."""
        for handle, credit in self.receivers.items():
            events = []
            for _ in range(min(number, credit, len(self.queue))):
                message = self.queue.popleft()
                self._number += 1
                self.receivers[handle] -= 1
                self.delivered[self._number] = message
                events.append(Received(handle, self._number, message, digest_of(message)))
            if events:
                self.tell(*events)
            return
