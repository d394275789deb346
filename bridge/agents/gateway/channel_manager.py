"""All channels and connections of one queue manager: who runs, who is told what time it is, who has ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial

from mqbridge.bridge.agents.gateway import channel_events
from mqbridge.bridge.agents.gateway.channel import Channel
from mqbridge.bridge.agents.gateway.channel_records import load_senders, load_statuses
from mqbridge.bridge.agents.gateway.connection import Connection
from mqbridge.bridge.agents.gateway.definitions import channel_parameters
from mqbridge.bridge.agents.gateway.effects import Close, Effect, Log, Send
from mqbridge.bridge.agents.gateway.inbound_handshake import InboundHandshake
from mqbridge.bridge.agents.gateway.timers import Timed, Timers
from mqbridge.bridge.agents.gateway.unsent import DEFAULT_LIMIT, Unsent
from mqbridge.bridge.agents.message_channel.attempts import Attempt
from mqbridge.bridge.agents.message_channel.receiver.mca import ReceiverMCA
from mqbridge.bridge.agents.message_channel.sender.mca import SenderMCA
from mqbridge.bridge.agents.message_channel.starting import Starter
from mqbridge.bridge.agents.message_channel.synchronisation import Synchronisation
from mqbridge.bridge.agents.svrconn.password_turns import PasswordTurns
from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security import is_loopback
from mqbridge.bridge.store.interface import Store
from mqbridge.protocol.channel import ChannelParameters, Closed, LuwidSource
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.mqi import Passwords

IMPATIENT = 10.0
"""Seconds that a partner may take nothing while more waits to be sent than may."""


@dataclass(slots=True, kw_only=True)
class ChannelLimits:
    """``[channels]`` of the configuration, and ``unsent`` of ``[limits]``."""

    adopt: str = "all"
    max: int = 10_000
    max_per_address: int = 1_000
    handshake_timeout: float = 30.0
    stalled_timeout: float = 120.0
    unsent: int = DEFAULT_LIMIT


class ChannelManager:
    """Runs the channels of ``manager``.

    ``store`` is read, never written. ``salt``: see :class:`~protocol.channel.LuwidSource`. ``now`` is the time of the
    last call from outside; continuations of commits use it.
    """

    def __init__(
        self, manager: QueueManager, store: Store, limits: ChannelLimits, now: float, *, salt: int = 0
    ) -> None:
        self.manager = manager
        self.settings = limits
        self.now = now
        self.stopping = False
        self.luwids = LuwidSource(int(now), salt)
        self.timers = Timers()
        self.unsent = Unsent(limits.unsent)
        self.channels: dict[str, Channel] = {}
        self.connections: set[Connection] = set()
        self._touched: dict[Connection, None] = {}
        self.synchronisation = Synchronisation(manager, store)
        self.starter = Starter(self)
        self.passwords = PasswordTurns(self.emit)
        self._addresses: Counter[str] = Counter()
        self._effects: list[Effect] = []
        self._warned_of_passwords = False
        for name, record in load_senders(store).items():
            channel = self.channel(name)
            channel.sender = record
            self.synchronisation.hold(channel)
        for name, status in load_statuses(store).items():
            self.channel(name).status = status

    def restart(self, now: float) -> None:
        """Starts the channels that ran when the queue manager ended."""
        self.now = now
        for channel in [each for each in self.channels.values() if each.status.running]:
            if not channel.status.stopped and self.manager.objects.channel(channel.name) is not None:
                self.starter.call_back(channel.name)

    # What is known

    def channel(self, name: str) -> Channel:
        """What is known of a channel name; made when first asked for."""
        found = self.channels.get(name)
        if found is None:
            found = self.channels[name] = Channel(name)
        return found

    def is_stopped(self, name: str) -> bool:
        """STOPPED: only a START CHANNEL helps."""
        channel = self.channels.get(name)
        return channel is not None and channel.status.stopped

    def parameters(self, definition: Definition) -> ChannelParameters:
        """What a machine takes from a definition."""
        return channel_parameters(definition, self.manager.objects.manager, self.settings.handshake_timeout)

    # Effects

    def take_effects(self) -> list[Effect]:
        """Effects since the last call, in order."""
        effects, self._effects = self._effects, []
        return effects

    @property
    def has_more(self) -> bool:
        """Whether there are effects that nobody has taken."""
        return bool(self._effects)

    def emit(self, effect: Effect) -> None:
        """Adds an effect."""
        self._effects.append(effect)

    def log(self, amq: str, *inserts: str | int) -> None:
        """A line for the operator."""
        self._effects.append(Log(amq, inserts))

    def problem(self, amq: str, channel: str, error: MQError | int) -> None:
        """A line for the operator about a call that failed."""
        self.log(amq, channel, str(error))

    # Doors

    def listening(self, host: str) -> None:
        """An address is listened on, blank for all of them. That other machines can reach us holds until the end:
        whoever came by a listener that is closed now still has to give a password."""
        if not is_loopback(host):
            self.manager.security.exposed = True

    def require_users(self, host: str) -> None:
        """Raises `ControlError` where a listener on an address would let nobody in: clients of other machines have to
        give a password, and there is no user."""
        security = self.manager.security
        for amq, inserts in security.refresh_users():
            self.log(amq, *inserts)
        if not is_loopback(host) and security.lacks_users():
            raise ControlError("other machines can reach it, so that clients need a password, and there is no user")

    def passwords_on(self, channel: str) -> Passwords:
        """How clients of a channel may send passwords: readable where they may be looked at. The operator is told once
        that they travel in clear then, since there is no TLS."""
        if not self.manager.security.may_check_passwords(channel):
            return Passwords.PROTECTED
        if not self._warned_of_passwords:
            self._warned_of_passwords = True
            self.log("AMQ5543", channel)
        return Passwords.CLEAR

    # Connections

    def inbound(self, address: str, port: int, now: float) -> Connection | None:
        """Somebody connected; None when there are too many, or the address is blocked: the endpoint closes at once."""
        self.now = now
        if len(self.connections) >= self.settings.max or self._addresses[address] >= self.settings.max_per_address:
            self.log("AMQ9513", address)
            return None
        blocked, lines = self.manager.security.blocks_address(address)
        for amq, inserts in lines:
            self.log(amq, *inserts)
        if blocked:
            return None
        connection = Connection(self, address, port)
        connection.end = InboundHandshake(self, connection, now)
        self._admit(connection, now)
        return connection

    def connected(self, attempt: Attempt, address: str, port: int, now: float) -> Connection | None:
        """A `Connect` succeeded; None when it is no longer wanted: the endpoint closes at once."""
        self.now = now
        connection = self.starter.connected(attempt, address, port, now)
        if connection is not None:
            self._admit(connection, now)
        return connection

    def connect_failed(self, attempt: Attempt, problem: str, now: float) -> None:
        """A `Connect` failed."""
        self.now = now
        self.starter.connect_failed(attempt, problem, now)

    def touched(self, connection: Connection, now: float) -> None:
        """A connection may have something to send and another deadline."""
        del now
        if connection.lost_already:
            return
        if connection.stalled:
            connection.count_unsent()
        if not connection.send_asked and connection.end.machine.link.wire.wants_to_send:
            connection.send_asked = True
            self._effects.append(Send(connection))
        self._touched[connection] = None

    def close(self, connection: Connection, *, abort: bool = False) -> None:
        """Ends a connection after what it still has to send."""
        if not connection.closing:
            connection.closing = True
            self._effects.append(Close(connection, abort))

    def patience(self) -> float:
        """Seconds that a partner may take nothing of what is written for it; few where all together keep too much."""
        longest = self.settings.stalled_timeout
        return min(longest, IMPATIENT) if self.unsent.full else longest

    def forget(self, connection: Connection) -> None:
        """A connection is gone."""
        connection.count_unsent(gone=True)
        if connection in self.connections:
            self.connections.discard(connection)
            self._addresses[connection.address] -= 1
            if not self._addresses[connection.address]:
                del self._addresses[connection.address]
        self._touched.pop(connection, None)
        self.timers.set(connection, None)

    def _admit(self, connection: Connection, now: float) -> None:
        self.connections.add(connection)
        self._addresses[connection.address] += 1
        self.touched(connection, now)

    # Time

    def next_timeout(self) -> float | None:
        """When to call `timeout` at the latest; what was put off since may not be due then."""
        self._set_timers()
        return self.timers.not_before()

    def _set_timers(self) -> None:
        """Asks those for their deadlines who were touched since: often many times before anybody wants to know."""
        for connection in self._touched:
            self.timers.set(connection, connection.next_timeout())
        self._touched.clear()

    def timeout(self, now: float) -> None:
        """Deadlines have come."""
        self.now = now
        self._set_timers()
        for key in self.timers.due(now):
            if isinstance(key, Connection):
                key.timeout(now)
            elif isinstance(key, str):
                self.starter.again(self.channels[key], now)
            elif isinstance(key, Timed):
                key.timeout(now)

    # Life of the ends

    def started(self, channel: Channel, end: SenderMCA | ReceiverMCA) -> None:
        """Negotiation has ended well."""
        channel.retries = None
        channel.requesting = False
        self.log("AMQ9002", channel.name, end.connection.peer)
        channel_events.started(self, channel, end)

    def ended(
        self, channel: Channel, end: SenderMCA | ReceiverMCA, definition: Definition, event: Closed, now: float
    ) -> None:
        """A machine has closed: the connection goes, and the channel becomes inactive, retries or is stopped."""
        self._ended(channel, end, definition, event, now)
        if end.started_at:
            channel_events.stopped(self, channel, end, event, now)

    def _ended(
        self, channel: Channel, end: SenderMCA | ReceiverMCA, definition: Definition, event: Closed, now: float
    ) -> None:
        self.close(end.connection)
        self.log(event.amq, channel.name, event.reason)
        if isinstance(end, ReceiverMCA):
            gone = partial(self._receiving_gone, channel, end)
            if end.committing:
                end.after_commit.insert(0, gone)
            else:
                gone(now)
            if definition.subtype == "RQSTR" and not end.replaced and not self.stopping:
                channel.requesting = event.call_back
                if not event.call_back:
                    self.inactive(channel)
            return
        if channel.sending is end:
            channel.sending = None
        if self.stopping or end.replaced:
            return
        if event.normal and not channel.status.stopped and not channel.store_failed:
            self.inactive(channel)
            if isinstance(end, SenderMCA) and not end.stopping:
                self._trigger_again(channel, end)
        elif (event.retryable or channel.store_failed) and not channel.status.stopped:
            channel.store_failed = False
            self.starter.retry(channel, definition, now)
        else:
            self.stopped(channel)

    def _trigger_again(self, channel: Channel, end: SenderMCA) -> None:
        """The transmission queue was closed by its last getter: the trigger is looked at again (channels.md 13)."""
        definition = self.manager.objects.queue(end.transmission_queue)
        queue = self.manager.queue(end.transmission_queue)
        waiting = queue is not None and queue.depth > queue.uncommitted_puts
        if waiting and definition is not None and definition.flag("TRIGGER"):
            self.starter.trigger(channel.name)

    @staticmethod
    def store_failed(channel: Channel) -> None:
        """A record could not be written: the channel ends now and tries again later."""
        channel.store_failed = True

    @staticmethod
    def _receiving_gone(channel: Channel, end: ReceiverMCA, now: float) -> None:
        del now
        if end in channel.receiving:
            channel.receiving.remove(end)

    def inactive(self, channel: Channel) -> None:
        """The channel ended in order: it starts again when it is triggered or told to."""
        if channel.status.running:
            channel.status.running = False
            self.record_status(channel)

    def stopped(self, channel: Channel) -> None:
        """The channel needs an operator."""
        channel.status.stopped, channel.status.running = True, False
        self.record_status(channel)

    def record_status(self, channel: Channel) -> None:
        """Makes durable what must be known after a restart."""
        self.manager.submit([channel.status.operation(channel.name)])

    def stop_all(self, mode: MQMODE, now: float) -> None:
        """The queue manager ends: every channel with MQMODE.QUIESCE after its batch, with FORCE at once."""
        self.now = now
        self.stopping = True
        for channel in list(self.channels.values()):
            self.starter.abandon(channel)
            for end in channel.ends():
                end.stop(mode, now)
        for connection in list(self.connections):
            if isinstance(connection.end, InboundHandshake) or mode == MQMODE.FORCE:
                self.close(connection, abort=mode == MQMODE.FORCE)
