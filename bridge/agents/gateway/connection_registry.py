"""All connections of one queue manager: limits, turns and deadlines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

from mqbridge.bridge.agents import security_events
from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.agents.message_channel.connection_attempts import ConnectionAttempt
from mqbridge.bridge.security.tls import TlsConnection, TlsFault, TlsOffer, answering_offer
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE

IMPATIENT = 10.0
"""Seconds for which a partner may take no data while unsent data exceed the limit."""
Begin: TypeAlias = Callable[[PartnerConnection, Time], Conversation | None]
"""Creates the first conversation of a connection; None if it is not wanted."""


class ConnectionRegistry:
    """The connections of a gateway. ``begin`` creates the first conversation of an inbound connection.

    ``ready``: drivers whose conversations have requested a turn. ``moved``: those that have had a turn since deadlines
    were last read. ``by_address``: number of connections for each address.
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

    def inbound(
        self, address: str, port: int, now: Time, tls: TlsConnection | None = None, begin: Begin | None = None
    ) -> ConversationDriver | None:
        """Accept an inbound connection; ``tls``: what was agreed, if that is known already. ``begin``: of a carrier
        that has a port of its own. None if there are too many, the address is blocked, or the carrier does not want it:
        the endpoint must close it."""
        host = self._channel_manager
        host.now = now
        if len(self) >= host.settings.max or self.by_address[address] >= host.settings.max_per_address:
            self.log("AMQ9513", address)
            return None
        blocked, lines = host.manager.security.blocks_address(address)
        for amq, inserts in lines:
            self.log(amq, *inserts)
            security_events.blocked_address(host.manager, address, warning=not blocked, now=now)
        if blocked:
            return None
        return self._begun(begin or self._begin, ConversationDriver(self, address, port, tls), now)

    def called(
        self, begin: Begin, address: str, port: int, now: Time, tls: TlsConnection | None = None
    ) -> ConversationDriver | None:
        """A connection that a carrier asked for stands; fields and None as of `inbound`."""
        self._channel_manager.now = now
        driver = ConversationDriver(self, address, port, tls)
        return self._begun(begin, driver, now)

    def _begun(self, begin: Begin, driver: ConversationDriver, now: Time) -> ConversationDriver | None:
        conversation = begin(driver, now)
        if conversation is None:
            return None
        driver.conversation = conversation
        driver.carried = begin is not self._begin
        self._admit(driver)
        return driver

    def connected(
        self, attempt: ConnectionAttempt, address: str, port: int, now: Time, tls: TlsConnection | None = None
    ) -> ConversationDriver | None:
        """A `ConnectToPartner` has succeeded; ``tls``: what was agreed, if it made an offer. None if the connection is
        no longer wanted: the endpoint must close it."""
        self._channel_manager.now = now
        driver = ConversationDriver(self, address, port, tls)
        conversation = self._channel_manager.starter.connected(attempt, driver, now)
        if conversation is None:
            return None
        driver.conversation = conversation
        self._admit(driver)
        return driver

    def connect_failed(
        self, attempt: ConnectionAttempt, problem: str, now: Time, fault: TlsFault | None = None
    ) -> None:
        """A `ConnectToPartner` has failed; ``fault``: if TLS was the reason."""
        self._channel_manager.now = now
        self._channel_manager.starter.connect_failed(attempt, problem, now, fault)

    def answering_offer(self, connection: ConversationDriver, server_name: str) -> TlsOffer:
        """Return what to offer a caller that names a server in its hello, or a blank."""
        offer = answering_offer(server_name, self._channel_manager.manager.objects.channel)
        connection.channel_named = offer.channel
        return offer

    def tls_failed(self, connection: ConversationDriver, fault: TlsFault, now: Time) -> None:
        """TLS has ended an open connection, in the handshake or later. `ConversationDriver.lost` follows."""
        host = self._channel_manager
        host.now = now
        connection.tls_fault = fault
        row = connection.conversation.row()
        name = connection.channel_named if row is None else str(row["CHANNEL"])
        definition = host.manager.objects.channel(name) if name else None
        host.refused_by_tls(fault, connection.peer, now, definition=definition, connection=connection)

    def patience(self) -> float:
        """Seconds for which a partner may take no data; fewer while unsent data of all connections exceed the limit."""
        longest = self._channel_manager.settings.stalled_timeout
        return min(longest, IMPATIENT) if self.unsent.full else longest

    def _admit(self, driver: ConversationDriver) -> None:
        self._open[driver] = None
        self.by_address[driver.address] += 1
        driver.turn_ends()

    # The drivers' side

    def forget(self, driver: ConversationDriver) -> None:
        """Remove a closed connection."""
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

    def take_turns(self, now: Time) -> None:
        """Give a turn to each conversation that has requested one."""
        ready = self.ready
        while ready:
            driver = next(iter(ready))
            del ready[driver]
            driver.turn(now)

    def next_timeout(self) -> float | None:
        """Latest time at which `timeout` must be called. Deadlines that have moved since may not be due then."""
        self._set_timers()
        return self._timers.not_before()

    def timeout(self, now: Time) -> None:
        """Call the conversations whose deadlines have passed."""
        self._channel_manager.now = now
        self._set_timers()
        for key in self._timers.due(now):
            key.timeout(now)

    def _set_timers(self) -> None:
        """Read the deadlines of all connections that have had a turn, often several turns at once."""
        for driver in self.moved:
            self._timers.set(driver, driver.conversation.next_timeout())
        self.moved.clear()

    def stop_all(self, mode: MQMODE) -> None:
        """The queue manager ends: close connections that belong to no channel and no carrier; with FORCE all."""
        for driver in list(self._open):
            if mode == MQMODE.FORCE or (driver.conversation.row() is None and not driver.carried):
                driver.close(abort=mode == MQMODE.FORCE)
