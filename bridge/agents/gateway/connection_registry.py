"""All connections of one queue manager: how many there may be, whose turn it is, and when they are to be called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.agents.message_channel.attempts import ConnectionAttempt
from mqbridge.protocol.constants import MQMODE

IMPATIENT = 10.0
"""Seconds that a partner may take nothing while more waits to be sent than may."""
Begin: TypeAlias = Callable[[PartnerConnection, float], Conversation]
"""Makes the first conversation of a connection that came in."""


class ConnectionRegistry:
    """The connections of a gateway. ``begin``: with what one begins that comes in.

    ``ready``: drivers whose conversations have asked for a turn. ``moved``: those that have had one since deadlines
    were asked for. ``by_address``: how many connections there are of each address.
    """

    def __init__(self, channel_manager: ChannelManager, begin: Begin) -> None:
        self._channel_manager = channel_manager
        self._begin = begin
        self._timers = channel_manager.timers
        self._open: dict[ConversationDriver, None] = {}
        self.unsent = channel_manager.unsent
        self.emit, self.log = channel_manager.emit, channel_manager.log
        self.ready: dict[ConversationDriver, None] = {}
        self.moved: dict[ConversationDriver, None] = {}
        self.by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[ConversationDriver]:
        return iter(self._open)

    # The endpoint's side

    def inbound(self, address: str, port: int, now: float) -> ConversationDriver | None:
        """Somebody connected; None when there are too many, or the address is blocked: the endpoint closes at once."""
        host = self._channel_manager
        host.now = now
        if len(self) >= host.settings.max or self.by_address[address] >= host.settings.max_per_address:
            self.log("AMQ9513", address)
            return None
        blocked, lines = host.manager.security.blocks_address(address)
        for amq, inserts in lines:
            self.log(amq, *inserts)
        if blocked:
            return None
        driver = ConversationDriver(self, address, port)
        driver.conversation = self._begin(driver, now)
        self._admit(driver)
        return driver

    def connected(self, attempt: ConnectionAttempt, address: str, port: int, now: float) -> ConversationDriver | None:
        """A `ConnectToPartner` succeeded; None when it is no longer wanted: the endpoint closes at once."""
        self._channel_manager.now = now
        driver = ConversationDriver(self, address, port)
        conversation = self._channel_manager.starter.connected(attempt, driver, now)
        if conversation is None:
            return None
        driver.conversation = conversation
        self._admit(driver)
        return driver

    def connect_failed(self, attempt: ConnectionAttempt, problem: str, now: float) -> None:
        """A `ConnectToPartner` failed."""
        self._channel_manager.now = now
        self._channel_manager.starter.connect_failed(attempt, problem, now)

    def patience(self) -> float:
        """Seconds that a partner may take nothing of what is written for it; few where all together keep too much."""
        longest = self._channel_manager.settings.stalled_timeout
        return min(longest, IMPATIENT) if self.unsent.full else longest

    def _admit(self, driver: ConversationDriver) -> None:
        self._open[driver] = None
        self.by_address[driver.address] += 1
        driver.turn_ends()

    # The drivers' side

    def forget(self, driver: ConversationDriver) -> None:
        """A connection is gone."""
        driver.count_unsent()
        if driver in self._open:
            del self._open[driver]
            self.by_address[driver.address] -= 1
            if not self.by_address[driver.address]:
                del self.by_address[driver.address]
        self.ready.pop(driver, None)
        self.moved.pop(driver, None)
        self._timers.set(driver, None)

    # Turns and time

    def take_turns(self, now: float) -> None:
        """Gives those a turn that have asked for it."""
        ready = self.ready
        while ready:
            driver = next(iter(ready))
            del ready[driver]
            driver.turn(now)

    def next_timeout(self) -> float | None:
        """When to call `timeout` at the latest; what was put off since may not be due then."""
        self._set_timers()
        return self._timers.not_before()

    def timeout(self, now: float) -> None:
        """Deadlines have come."""
        self._channel_manager.now = now
        self._set_timers()
        for key in self._timers.due(now):
            key.timeout(now)

    def _set_timers(self) -> None:
        """Asks those for their deadlines who have had a turn: often many turns before anybody wants to know."""
        for driver in self.moved:
            self._timers.set(driver, driver.conversation.next_timeout())
        self.moved.clear()

    def stop_all(self, mode: MQMODE) -> None:
        """The queue manager ends: what belongs to no channel ends now; with FORCE everything does."""
        for driver in list(self._open):
            if mode == MQMODE.FORCE or driver.conversation.row() is None:
                driver.close(abort=mode == MQMODE.FORCE)
